#include "fuzz/op_info.h"

#include <array>

namespace prelaunch::fuzz {

std::size_t rule_index(const OpInfo& op, std::string_view id) {
  if (id.starts_with(op.name) && id.substr(op.name.size()).starts_with(".")) {
    id.remove_prefix(op.name.size() + 1);
  }
  const auto dot = id.find('.');
  if (dot == id.npos) return kNoRule;
  for (std::size_t i = 0; i < op.rules.size(); ++i) {
    if (op.rules[i].argument == id.substr(0, dot) && op.rules[i].property == id.substr(dot + 1)) {
      return i;
    }
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

std::string_view to_string(Reason reason) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "none",          "accepted_bad_call",   "rejected_good_call",
      "wrong_rule",    "reached_device",      "bad_message",
      "launch_failed", "nothing_launched",    "device_not_restored",
      "wrong_result",  "foreign_byte_changed"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace prelaunch::fuzz
