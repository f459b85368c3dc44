// Writes the C interface from the ops' field lists: `write_capi header` the header prelaunch.h,
// `write_capi source` the definitions.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/field.h"
#include "prelaunch_ops.h"

namespace prelaunch {
namespace {

struct Parameter {
  std::string type, name, about;
};

template <class Args>
Parameter parameter(const Field<Args>& field) {
  constexpr std::string_view kTypes[] = {"const DLTensor*", "int64_t", "float", "bool",
                                         "const float*"};
  constexpr std::string_view kRoles[] = {"input", "output", "written in place", "scalar"};
  Parameter out{std::string(kTypes[field.member.index()]), std::string(field.name), ""};
  out.about = kRoles[static_cast<std::size_t>(field.role)];
  // Outputs that the C++ interface would allocate must be given here.
  if (field.presence == kOptional && field.role != Role::kOutput) out.about += ", may be NULL";
  return out;
}

template <class Op>
std::vector<Parameter> parameters() {
  std::vector<Parameter> out;
  for (const auto& field : Op::kFields) out.push_back(parameter(field));
  return out;
}

std::string declaration(std::string_view op, const std::vector<Parameter>& parameters) {
  std::string out = "int prelaunch_" + std::string(op) + "(";
  for (const Parameter& p : parameters) out += p.type + " " + p.name + ", ";
  return out + "void* stream, char* error, size_t error_size)";
}

constexpr std::string_view kHeaderBegin =
    R"(/* Prelaunch from C. Written from the ops' field lists: edit those instead.
 *
 * A function checks its arguments against the op's contract and, where all rules hold, launches the op
 * on the tensors' device. Nothing reaches a device before that. No function throws, keeps a pointer or
 * synchronises; all may be called from many threads at once.
 *
 *   tensors   DLTensor of DLPack, borrowed for the call; what kernels/<op>/<op>.h says of shapes,
 *             dtypes and strides holds. NULL is an absent argument, where one may be absent.
 *   stream    a cudaStream_t of the tensors' device, borrowed; NULL is its default stream
 *   error     gets one line of text, which ends in a NUL and is cut to error_size bytes; empty where
 *             all is well. May be NULL.
 */
#ifndef PRELAUNCH_H
#define PRELAUNCH_H

#include <dlpack/dlpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PRELAUNCH_API __attribute__((visibility("default")))
#else
#define PRELAUNCH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum PrelaunchResult {
  PRELAUNCH_OK = 0,       /* launched */
  PRELAUNCH_REJECTED = 1, /* a rule is broken: the error says which, and by which argument */
  PRELAUNCH_FAILED = 2    /* accepted, but an allocation or the launch failed */
};
)";

constexpr std::string_view kHeaderEnd = R"(
#ifdef __cplusplus
}
#endif

#endif
)";

template <class Op>
void write_declaration() {
  const auto fields = parameters<Op>();
  std::printf("\n/*");
  for (const Parameter& p : fields) {
    std::printf("%s %-16s %s\n", &p == fields.data() ? "" : " *", p.name.c_str(), p.about.c_str());
  }
  std::printf(" */\nPRELAUNCH_API %s;\n", declaration(Op::kName, fields).c_str());
}

template <class Op>
void write_definition() {
  const auto fields = parameters<Op>();
  const std::string op(Op::kName);
  std::printf(
      "\n%s {\n  return prelaunch::capi::call<prelaunch::%s::Op>(stream, {error, error_size}",
      declaration(op, fields).c_str(), op.c_str());
  for (const Parameter& p : fields) std::printf(", %s", p.name.c_str());
  std::printf(");\n}\n");
}

void write_header() {
  std::fwrite(kHeaderBegin.data(), 1, kHeaderBegin.size(), stdout);
  Ops::for_each([]<class Entry>() { write_declaration<typename Entry::Op>(); });
  std::fwrite(kHeaderEnd.data(), 1, kHeaderEnd.size(), stdout);
}

void write_source() {
  std::printf(
      "#include \"prelaunch.h\"\n\n#include \"kernels/capi/call.h\"\n"
      "#include \"prelaunch_ops.h\"\n");
  Ops::for_each([]<class Entry>() { write_definition<typename Entry::Op>(); });
}

}  // namespace
}  // namespace prelaunch

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "header") {
    prelaunch::write_header();
  } else if (what == "source") {
    prelaunch::write_source();
  } else {
    std::fprintf(stderr, "usage: write_capi header | source\n");
    return 2;
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}
