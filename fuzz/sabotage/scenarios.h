// The ways in which a night is broken, and what it must say.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sabotage/sandbox.h"

namespace prelaunch::fuzz {

struct Scenario {
  std::string_view name;
  int exit;                   // of the night
  std::string_view sentence;  // a part of what names the trouble
  std::function<void(Sandbox&)> prepare;
  // Called over and over while the night runs, with its process; true when all is done.
  std::function<bool(Sandbox&, int)> meddle = {};
};

// The first is a night that nothing is wrong with: it must be clean.
const std::vector<Scenario>& scenarios();

}  // namespace prelaunch::fuzz
