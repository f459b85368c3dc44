// The oracle: judges one call, knowing no rule.
//
//   accepted   it is run twice, under two orders of threads and two fillings of memory: nothing may
//              fault, every output element is what the definition says (so: was written), no other
//              byte changed, the caller's current device is given back
//   rejected   nothing went through the door, the message is finished and names an argument
//   and where the call's author knows the verdict, that is the verdict, by the rule that must fire
//
// Faults (a foreign byte read, a misaligned vector) end the process with a report: no oracle is
// needed.
#pragma once

#include <fmt/format.h>

#include "fuzz/arena.h"
#include "fuzz/backing.h"
#include "fuzz/judgement.h"
#include "fuzz/readback.h"
#include "fuzz/watch.h"
#include "kernels/common/contents.h"
#include "kernels/common/contract.h"
#include "kernels/common/explain.h"
#include "kernels/common/launched.h"

namespace prelaunch::fuzz {

inline Judgement& find(Judgement& judgement, Reason reason, std::string detail) {
  if (judgement.is_finding()) return judgement;  // the first one is the cause
  judgement.reason = reason;
  judgement.detail = std::move(detail);
  return judgement;
}

// Rules seen so far, and rejections, for the sampling of messages.
class MessageSampler {
 public:
  bool wants(Explain explain, std::size_t rule) {
    if (explain != Explain::kSampled) return explain == Explain::kAlways;
    const bool first = rule < kTracked && !seen_[rule];
    if (first) seen_[rule] = true;
    return first || ++rejections_ % 1000 == 0;
  }

 private:
  static constexpr std::size_t kTracked = 512;
  std::array<bool, kTracked> seen_{};
  std::uint64_t rejections_ = 0;
};

template <class Op>
std::string rule_name(std::size_t rule) {
  if (rule == kNoRule) return "none";
  return fmt::format("{}.{}.{}", Op::kName, kRules<Op>[rule].argument, kRules<Op>[rule].property);
}

template <class Op>
void judge_message(const Check<Op>& checked, Judgement& judgement) {
  judgement.explanation = explain(checked);
  const Explanation& said = *judgement.explanation;
  bool names_argument = false;
  for (const auto& field : Op::kFields) names_argument |= field.name == said.argument;
  if (said.message.empty() || said.message.find_first_of("{}\n") != std::string::npos) {
    find(judgement, Reason::kBadMessage, "unfinished message: " + said.message);
  } else if (!names_argument) {
    find(judgement, Reason::kBadMessage, said.rule + " names no argument");
  }
}

template <class Op>
bool same_id(std::size_t a, std::size_t b) {
  return kRules<Op>[a].argument == kRules<Op>[b].argument &&
         kRules<Op>[a].property == kRules<Op>[b].property;
}

template <class Op>
bool is_expected_rule(std::size_t broken, const Expectation& expect) {
  if (expect.rule == kNoRule || broken == expect.rule) return true;
  return expect.any_of_id && same_id<Op>(broken, expect.rule);
}

template <class Op>
std::string_view field_name(std::size_t field) {
  return field == kNoField ? "no argument" : Op::kFields[field].name;
}

// Whom a broken rule over a group blames; kNoField for a rule over one argument.
template <class Op>
std::size_t blamed_field(const typename Op::Args& args, std::size_t rule) {
  const void* blamed = kRules<Op>[rule].blamed(args);
  if (blamed == nullptr) return kNoField;
  for (std::size_t i = 0; i < Op::kFields.size(); ++i) {
    const void* place = std::visit([&](auto member) -> const void* { return &(args.*member); },
                                   Op::kFields[i].member);
    if (place == blamed) return i;
  }
  return kNoField;
}

template <class Op>
void judge_verdict(const Check<Op>& checked, const Expectation& expect, Judgement& judgement) {
  const std::string_view got = checked ? "accepted" : "rejected by ";
  if (expect.verdict == Verdict::kAccept && !checked) {
    find(judgement, Reason::kRejectedGoodCall,
         fmt::format("{}{}", got, rule_name<Op>(checked.broken())));
  } else if (expect.verdict == Verdict::kReject && checked) {
    find(judgement, Reason::kAcceptedBadCall,
         expect.rule == kNoRule
             ? "must be rejected"
             : fmt::format("must be rejected by {}", rule_name<Op>(expect.rule)));
  } else if (expect.verdict == Verdict::kReject &&
             !is_expected_rule<Op>(checked.broken(), expect)) {
    find(judgement, Reason::kWrongRule,
         fmt::format("{}{}, not by {}", got, rule_name<Op>(checked.broken()),
                     rule_name<Op>(expect.rule)));
  } else if (expect.argument != kNoField && expect.argument != judgement.argument) {
    find(judgement, Reason::kWrongArgument,
         fmt::format("{}{} blames {}, not {}", got, rule_name<Op>(checked.broken()),
                     field_name<Op>(judgement.argument), field_name<Op>(expect.argument)));
  }
}

template <class Op>
Check<Op> check_with(const typename Op::Args& args, const JudgeOptions& options) {
  return options.without_rule == kNoRule ? check<Op>(args)
                                         : check_without<Op>(args, options.without_rule);
}

// What the call writes, as the launch left it.
template <class Op>
std::vector<const TensorView*> written_views(const typename Op::Args& args) {
  std::vector<const TensorView*> views;
  for_each_tensor<Op>(args, [&](const auto& field, const TensorView& view) {
    if (field.written() && view.given && view.elements > 0) views.push_back(&view);
  });
  return views;
}

// Memory that the launch allocated for absent outputs; the call's own belongs to the arena.
template <class Op>
void release_allocated(const typename Op::Args& before, const typename Op::Args& after) {
  for_each_tensor<Op>(before, [&](const auto& field, const TensorView& view) {
    const TensorView& now = *field.tensor(after);
    if (view.given || !now.given || now.address == 0) return;
    static_cast<void>(door::release(reinterpret_cast<void*>(now.address), nullptr));
  });
}

// Compares what a launch left with the definition.
template <class Op>
void judge_outputs(const typename Op::Args& before, const typename Op::Args& now,
                   const typename Op::Args& launched, Judgement& judgement) {
  const Readback<Op> after(now, launched);
  if (!after.status().ok()) {
    find(judgement, Reason::kLaunchFailed, after.status().message());
    return;
  }
  for (const TensorView* view : written_views<Op>(after.args())) {
    judgement.compared += view->elements;
  }
  if (auto wrong = verify(before, after.args())) find(judgement, Reason::kWrongResult, *wrong);
}

template <class Op>
void judge_result(const Call& call, const Placement& placement, const typename Op::Args& launched,
                  Judgement& judgement) {
  const auto before = bind<Op>(call, Arena::pristine(placement), kJudgedDevices);
  const auto now = bind<Op>(call, placement, kJudgedDevices);
  judge_outputs<Op>(before, now, launched, judgement);
  if (auto changed = Arena::instance().foreign_change(written_views<Op>(now))) {
    find(judgement, Reason::kForeignByteChanged, *changed);
  }
}

inline void tell(const JudgeOptions& options, Phase phase) {
  if (options.phase != nullptr) *options.phase = static_cast<std::uint32_t>(phase);
}

// Whether the call is small enough to be filled and compared.
inline bool is_comparable(const Call& call, std::uint32_t tensors, const JudgeOptions& options) {
  std::int64_t left = options.max_elements;
  for (std::size_t i = 0; i < kMaxFields && left >= 0; ++i) {
    if ((tensors >> i & 1) == 0 || call.values[i].absent) continue;
    const DLTensor tensor = describe(call.values[i].tensor, 0);
    left -= std::min(TensorView::from(&tensor, kJudgedDevices).elements, left + 1);
  }
  return left >= 0;
}

template <class Op>
void prepare_memory(const Call& memory_of, const Placement& placement, std::uint32_t seed) {
  if (!has_contents<Op>(memory_of)) return;
  const auto args = bind<Op>(memory_of, Arena::pristine(placement), kJudgedDevices);
  fill_contents<Op>(memory_of, args, seed);
  Arena::instance().publish();
}

// Launches and says what was seen of it at the door; `device` is the caller's.
template <class Op>
Launched<typename Op::Args> launch_once(const typename Op::Args& args, std::int32_t device,
                                        std::uint32_t order, const JudgeOptions& options,
                                        Judgement& judgement) {
  door::set_current_device(device);
  backing::set_order(order);
  const Watch watch;
  tell(options, Phase::kLaunching);
  const auto launched = launch(check_with<Op>(args, options).accepted(), nullptr);
  tell(options, Phase::kComparing);
  judgement.door = watch.door();
  ++judgement.runs;
  if (launched.status.ok() && !written_views<Op>(launched.args).empty()) {
    if (auto blind = watch.missed(Work::kLaunch)) find(judgement, Reason::kNothingLaunched, *blind);
  }
  return launched;
}

inline void judge_device(std::int32_t device, Judgement& judgement) {
  if (door::current_device() != device) {
    find(judgement, Reason::kDeviceNotRestored,
         fmt::format("the current device was {}, is {}", device, door::current_device()));
  }
}

// One run of an accepted call: `order` seeds the order of threads; 2k and 2k + 1 are each other's
// reverse.
template <class Op>
void run_once(const Call& call, const Placement& placement, std::uint32_t order,
              const JudgeOptions& options, Judgement& judgement) {
  const Call& memory_of = options.memory_of != nullptr ? *options.memory_of : call;
  const bool comparable = is_comparable(memory_of, tensor_fields<Op>(), options);
  tell(options, Phase::kPreparing);
  if (comparable) prepare_memory<Op>(memory_of, placement, order);
  const std::int32_t device =
      exists(cuda(call.current_device), door::device_count()) ? call.current_device : 0;
  Arena& arena = Arena::instance();
  const auto args = bind<Op>(call, arena.on_devices(), kJudgedDevices);
  const auto launched = launch_once<Op>(args, device, order, options, judgement);
  const Status status = launched.status.ok() ? arena.fetch() : launched.status;
  if (!status.ok()) {
    find(judgement, Reason::kLaunchFailed, status.message());
    return;
  }
  judge_device(device, judgement);
  if (comparable) judge_result<Op>(call, placement, launched.args, judgement);
  release_allocated<Op>(args, launched.args);
}

template <class Op>
void judge_runs(const Call& call, const Placement& placement, const JudgeOptions& options,
                Judgement& judgement) {
  Arena& arena = Arena::instance();
  const Call& memory_of = options.memory_of != nullptr ? *options.memory_of : call;
  const ArenaLimits limits{options.memory_of != nullptr ? std::numeric_limits<std::int64_t>::max()
                                                        : options.max_elements};
  for (const std::uint32_t order : {0u, 1u}) {
    const std::uint32_t seed = 2 * call.fill + order;
    if (!arena.materialise(memory_of, tensor_fields<Op>(), limits, seed)) return;
    run_once<Op>(call, placement, seed, options, judgement);
    arena.retire();
    if (judgement.is_finding()) return;
  }
}

template <class Op>
Judgement judge(const Call& call, const Expectation& expect, const JudgeOptions& options) {
  static MessageSampler sampler;
  Judgement judgement;
  const Placement placement = Arena::instance().place(call, tensor_fields<Op>(), options.memory_of);
  const auto args = bind<Op>(call, placement, kJudgedDevices);
  const Watch watch;
  const Check<Op> checked = check_with<Op>(args, options);
  judgement.accepted = static_cast<bool>(checked);
  judgement.rule = checked.broken();
  if (!checked) judgement.argument = blamed_field<Op>(args, checked.broken());
  judge_verdict(checked, expect, judgement);
  if (!checked) {
    if (sampler.wants(options.explain, checked.broken())) judge_message(checked, judgement);
    judgement.door = watch.door();
    if (auto seen = watch.anything()) {
      find(judgement, Reason::kReachedDevice, "the call was rejected, but " + *seen);
    }
  } else if (options.profile == Profile::kExecute && !judgement.is_finding()) {
    judge_runs<Op>(call, placement, options, judgement);
  }
  return judgement;
}

}  // namespace prelaunch::fuzz
