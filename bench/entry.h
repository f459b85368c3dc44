// One benchmark of the program, before the command line has chosen among them.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prelaunch::bench {

enum class Night : std::uint8_t { kEvery, kOnlyFull };  // part of --nightly, or of --full alone
enum class Clock : std::uint8_t { kWall, kDevice };

struct Entry {
  std::string_view op;
  std::string name;  // validation/<op>/<what>/<case or rule> or kernel/<op>/<case>
  Night night;
  Clock clock;
  std::function<void(benchmark::State&)> run;
};

// One op's benchmarks, and what must hold before any of them is timed.
struct Suite {
  std::string_view op;
  void (*add)(std::vector<Entry>& entries);
  // What is wrong first, or nothing.
  std::optional<std::string> (*first_wrong)();
};

// In the order of CMakeLists.txt (suites.cc).
std::vector<Suite> validation_suites();
// Those of the <op>_bench.cu files.
std::vector<Suite>& kernel_suites();

}  // namespace prelaunch::bench
