// The JSON form of a call, as a corpus stores it and people read it:
//
//   {
//     "op": "ulysses_pack",
//     "args": {
//       "q": {"dtype": "bf16", "device": "cuda:0", "shape": [4, 8, 16], "strides": [128, 16, 1]},
//       "world_size": 4,
//       "out": null
//     },
//     "current_device": 0,
//     "fill": 7,
//     "expect": {"verdict": "reject", "rule": "ulysses_pack.qkv.cuda"},
//     "why": "q lies on the CPU"
//   }
//
// A tensor's optional members: "strides" (absent: null strides), "offset" (bytes), "buffer"
// (tensors of one name share memory; absent: its own), "data" ("null", or "0x.." which is never
// dereferenced), "rank" (where it is not the length of the shape), "fill" (what it holds, where
// that is not the op's ordinary values): "bytes" at random, or {"all": 0.5, "at": {"3": "nan"}},
// the number in all elements and in single ones by their row-major number. A dtype or device
// without a name is an object:
// {"code", "bits", "lanes"}, {"type", "index"}. A null shape is null; a null argument is absent. A
// float that is not finite is a string of its bits, "0x7f800000". Where rules share an id, "#1" or
// "#2" behind it tells which; without that, any of them will do. "argument" beside "rule" names the
// one that its message must blame. "current_device", "fill",
// "expect" and "why" may be left out. Anything else is refused, with the place where it stands.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Larger files are refused before they are parsed.
inline constexpr std::size_t kMaxCallBytes = std::size_t{1} << 20;

// What is wrong with a file, in one line, with the place: "args.q.shape[1]: expected an integer".
struct BadCall : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ParsedCall {
  const OpInfo* op = nullptr;
  NamedCall named;  // its name is left empty
};

// Throws BadCall.
ParsedCall parse_call(std::string_view text);

// The text that parse_call gives `named` back for.
std::string format_call(const OpInfo& op, const NamedCall& named);

}  // namespace prelaunch::fuzz
