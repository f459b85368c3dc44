// Preloaded: the disk below any folder called .work is full. No room is left there, and nothing can
// be created.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

bool is_full(const char* path) { return strstr(path, "/.work") != nullptr; }

template <class Function>
Function genuine(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int open_unless_full(const char* path, int flags, mode_t mode) {
  if ((flags & O_CREAT) != 0 && is_full(path)) {
    errno = ENOSPC;
    return -1;
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

FILE* fopen_unless_full(const char* name, const char* path, const char* mode) {
  if (mode[0] != 'r' && is_full(path)) {
    errno = ENOSPC;
    return nullptr;
  }
  return genuine<FILE* (*)(const char*, const char*)>(name)(path, mode);
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_unless_full(path, flags, mode);
}

extern "C" int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_unless_full(path, flags | O_LARGEFILE, mode);
}

extern "C" FILE* fopen(const char* path, const char* mode) {
  return fopen_unless_full("fopen", path, mode);
}

extern "C" FILE* fopen64(const char* path, const char* mode) {
  return fopen_unless_full("fopen64", path, mode);
}

extern "C" int statvfs(const char* path, struct statvfs* out) {
  const int result = genuine<int (*)(const char*, struct statvfs*)>("statvfs")(path, out);
  if (result == 0 && is_full(path)) out->f_bavail = 0;
  return result;
}
