// What the oracle says about one call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/common/call.h"
#include "kernels/common/contract.h"
#include "kernels/common/door.h"
#include "kernels/common/explain.h"

namespace prelaunch::fuzz {

// The devices that calls are judged by, on every machine the same, so that a call has one verdict:
// a call on one that this machine lacks is judged, but not run.
inline constexpr DeviceCount kJudgedDevices{4};

enum class Profile : std::uint8_t {
  kValidate,  // no kernel runs; every buffer stays untouchable
  kExecute,   // accepted calls run, twice; in the emulator under two orders of threads
};

constexpr std::string_view to_string(Profile profile) {
  return profile == Profile::kValidate ? "validate" : "execute";
}

enum class Explain : std::uint8_t {
  kNever,
  kSampled,  // a rule's first firing, and one rejection in 1,000
  kAlways,
};

// How far the run of an accepted call has come.
enum class Phase : std::uint32_t { kChecking, kPreparing, kLaunching, kComparing };

struct JudgeOptions {
  Profile profile = Profile::kExecute;
  Explain explain = Explain::kAlways;
  // Accepted calls with more elements than this over all tensors are not run.
  std::int64_t max_elements = std::int64_t{1} << 22;
  // A rule to leave out of the contract, or kNoRule: shows what the rule is for.
  std::size_t without_rule = kNoRule;
  // The call whose memory it is, laid out and filled, where that is not the call itself: shows what
  // a caller who means this one and passes the other would see. One of more than `max_elements` is
  // launched, but neither filled nor compared.
  const Call* memory_of = nullptr;
  // Where set, kept up to date for whoever outlives this process.
  std::atomic<std::uint32_t>* phase = nullptr;
};

// Why a judgement is a finding.
enum class Reason : std::uint8_t {
  kNone,
  kAcceptedBadCall,     // a call that must be rejected was accepted
  kRejectedGoodCall,    // a call that is valid by construction was rejected
  kWrongRule,           // rejected, but not by the rule that the one edit breaks
  kWrongArgument,       // rejected by that rule, but its message blames another argument
  kReachedDevice,       // something went through the door before or despite a rejection
  kBadMessage,          // a rejection whose message is unfinished or names no argument
  kLaunchFailed,        // accepted, and then the launch or an allocation failed
  kNothingLaunched,     // accepted, with something to write, but no launch was seen
  kDeviceNotRestored,   // the caller's current device was not given back
  kWrongResult,         // an output element is not what the definition says
  kForeignByteChanged,  // a byte outside the written tensors changed
};

// "accepted_bad_call", ...
std::string_view to_string(Reason reason);

struct Judgement {
  bool accepted = false;
  // Rejected: index of the rule that fired.
  std::size_t rule = kNoRule;
  // Rejected by a rule over a group: position of the argument to blame.
  std::size_t argument = kNoField;
  // Accepted and run: how many launches, and elements of outputs, were compared.
  int runs = 0;
  std::int64_t compared = 0;
  door::Counts door;
  // Rejected and asked for.
  std::optional<Explanation> explanation;
  Reason reason = Reason::kNone;
  std::string detail;

  bool is_finding() const { return reason != Reason::kNone; }
};

}  // namespace prelaunch::fuzz
