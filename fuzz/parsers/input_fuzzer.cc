// Inputs of fuzzers, which campaigns keep as calls: the call of any bytes has a text and bytes that
// give it back. The first byte picks the op.
#include "fuzz/codec.h"
#include "fuzz/json.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const OpInfo& op = *all_ops()[data[0] % all_ops().size()];
  NamedCall named;
  named.expect = decode(op, {data + 1, size - 1}, named.call);
  const Call before = named.call;
  canonical(op, named.call);
  const bool generated = size > 1 && (data[1] & 1) != 0;
  claim(generated || named.call == before, "explicit bytes hold nothing without a meaning");
  const ParsedCall parsed = parse_call(format_call(op, named));
  claim(parsed.op == &op && parsed.named.call == named.call && parsed.named.expect == named.expect,
        "the text of an input's call gives the call back");
  Call decoded;
  claim(decode(op, encode(op, named.call), decoded) == Expectation{} && decoded == named.call,
        "the bytes of a call give the call back");
  return 0;
}
