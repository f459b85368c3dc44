/* The C interface from C: the header is C, a call's verdict and error are as promised. */
#include <prelaunch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(bool holds, const char* what, const char* error) {
  if (holds) return;
  fprintf(stderr, "FAILED: %s; the error is '%s'\n", what, error);
  ++failures;
}

/* A contiguous tensor of int64 that lies nowhere: nothing here is launched. */
static DLTensor tensor(int64_t* shape, int32_t rank, int32_t device) {
  DLTensor t;
  memset(&t, 0, sizeof t);
  t.data = (void*)(uintptr_t)0x10000;
  t.device.device_type = kDLCUDA;
  t.device.device_id = device;
  t.ndim = rank;
  t.dtype.code = kDLInt;
  t.dtype.bits = 64;
  t.dtype.lanes = 1;
  t.shape = shape;
  return t;
}

int main(void) {
  char error[512];
  int64_t shape[2] = {3, 8}, other[2] = {3, 7}, rows[1] = {3};
  DLTensor candidates = tensor(shape, 2, 0), target = tensor(shape, 2, 0),
           short_target = tensor(other, 2, 0), bonus = tensor(rows, 1, 0);

  int result =
      prelaunch_dflash_greedy(&candidates, &short_target, NULL, NULL, NULL, error, sizeof error);
  expect(result == PRELAUNCH_REJECTED, "another shape is rejected", error);
  expect(strstr(error, "[dflash_greedy.target_predict.") != NULL, "the rule is named", error);
  expect(strchr(error, '\n') == NULL, "the error is one line", error);

  result = prelaunch_dflash_greedy(NULL, &target, NULL, NULL, NULL, error, sizeof error);
  expect(result == PRELAUNCH_REJECTED, "a required argument may not be NULL", error);
  expect(strstr(error, "candidates.present") != NULL, "it is named", error);

  result = prelaunch_dflash_greedy(&candidates, &target, NULL, NULL, NULL, error, sizeof error);
  expect(result == PRELAUNCH_REJECTED, "an output may not be NULL", error);
  expect(strstr(error, "accept_len must be given") != NULL, "it is named", error);

  char small[8];
  result = prelaunch_dflash_greedy(NULL, &target, NULL, &bonus, NULL, small, sizeof small);
  expect(result == PRELAUNCH_REJECTED && strlen(small) == sizeof small - 1,
         "a short buffer holds the beginning", small);
  result = prelaunch_dflash_greedy(NULL, &target, NULL, &bonus, NULL, NULL, 0);
  expect(result == PRELAUNCH_REJECTED, "no buffer is no trouble", "");

  if (failures == 0) printf("all as promised\n");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
