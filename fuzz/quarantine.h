// Calls that are not to be run, because of a known bug that would end or block whatever runs them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/op_info.h"

namespace prelaunch::fuzz {

// Calls that agree with this one, which is canonical, in the properties named, as
// fuzz/difference.h names them ("q.dtype", "k.shape[1]"); with none named, in all.
struct Quarantine {
  Call call;
  std::vector<std::string> where;
};

// Whether `text` names a property of one of the op's arguments.
bool is_property(const OpInfo& op, std::string_view text);

// The first entry that the call, which is canonical, is like: it is not to be run.
std::optional<std::size_t> place_in_quarantine(const OpInfo& op, const Call& call,
                                               std::span<const Quarantine> quarantine);
inline bool is_quarantined(const OpInfo& op, const Call& call,
                           std::span<const Quarantine> quarantine) {
  return place_in_quarantine(op, call, quarantine).has_value();
}

// The form in which a campaign hands it to its fuzzers, in the file that PRELAUNCH_QUARANTINE
// names: a line for each, the call's bytes in hexadecimal and the properties.
std::string format_quarantine(const OpInfo& op, std::span<const Quarantine> quarantine);
// Nothing where the text is not of that form.
std::optional<std::vector<Quarantine>> parse_quarantine(const OpInfo& op, std::string_view text);

// That of this process: empty where the environment names no file. A file that cannot be read ends
// the process with a message: what must not be run could be.
const std::vector<Quarantine>& quarantine(const OpInfo& op);

}  // namespace prelaunch::fuzz
