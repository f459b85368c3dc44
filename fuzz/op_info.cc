#include "fuzz/op_info.h"

#include <algorithm>
#include <array>

namespace prelaunch::fuzz {

namespace {

// Which of the rules of its id a rule is, from 1.
std::size_t number_of(const OpInfo& op, std::size_t rule) {
  std::size_t number = 0;
  for (std::size_t i = 0; i <= rule; ++i) number += op.rules[i].id() == op.rules[rule].id();
  return number;
}
bool is_shared(const OpInfo& op, std::size_t rule) {
  return std::count_if(op.rules.begin(), op.rules.end(), [&](const RuleInfo& other) {
           return other.id() == op.rules[rule].id();
         }) > 1;
}

}  // namespace

std::size_t rule_index(const OpInfo& op, std::string_view id) {
  if (id.starts_with(op.name) && id.substr(op.name.size()).starts_with(".")) {
    id.remove_prefix(op.name.size() + 1);
  }
  for (std::size_t i = 0; i < op.rules.size(); ++i) {
    const std::string plain = op.rules[i].id();
    if (plain == id) return i;
    if (id.starts_with(plain) && numbered_id(op, i).substr(op.name.size() + 1) == id) return i;
  }
  return kNoRule;
}

std::string buffer_name(const OpInfo& op, std::size_t buffer) {
  return buffer < op.fields.size() ? std::string(op.fields[buffer].name)
                                   : "buffer" + std::to_string(buffer);
}

std::string full_id(const OpInfo& op, std::size_t rule) {
  return std::string(op.name).append(".").append(op.rules[rule].id());
}

std::string numbered_id(const OpInfo& op, std::size_t rule) {
  std::string id = full_id(op, rule);
  return is_shared(op, rule) ? id + "#" + std::to_string(number_of(op, rule)) : id;
}

std::string_view to_string(Reason reason) {
  static constexpr std::array<std::string_view, 12> kNames = {"none",
                                                              "accepted_bad_call",
                                                              "rejected_good_call",
                                                              "wrong_rule",
                                                              "wrong_argument",
                                                              "reached_device",
                                                              "bad_message",
                                                              "launch_failed",
                                                              "nothing_launched",
                                                              "device_not_restored",
                                                              "wrong_result",
                                                              "foreign_byte_changed"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace prelaunch::fuzz
