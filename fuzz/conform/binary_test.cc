#include "fuzz/conform/binary.h"

#include <gtest/gtest.h>

namespace prelaunch::fuzz {
namespace {

const BuildKind& kind(std::string_view name) {
  for (const BuildKind& each : build_kinds()) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << name;
  return build_kinds().front();
}

// One that conforms, in a build of this sanitizer.
Binary good(std::string_view sanitizer) {
  return {.calls = {{"__asan", sanitizer == "address" ? 1000 : 0},
                    {"__ubsan", sanitizer == "undefined" ? 168 : 0},
                    {"__msan", 0}},
          .libraries = {"libc.so.6", "libm.so.6"},
          .main_file = "",
          .has_target = true};
}

TEST(Binary, CallsAreCountedByRuntime) {
  const auto calls = count_calls(
      "  401000: callq 0x402000 <__asan_report_load4>\n"
      "  401005: call  0x402000 <__ubsan_handle_add_overflow>\n"
      "  40100a: call  0x402000 <__asan_report_store8@plt>\n"
      "  40100f: jmp   0x402000 <__asan_report_load4>\n"
      "0000000000402000 <__asan_report_load4>:\n"
      "  401014: call  0x403000 <my__asan_lookalike>\n");
  EXPECT_EQ(calls.at("__asan"), 2);
  EXPECT_EQ(calls.at("__ubsan"), 1);
  EXPECT_EQ(calls.at("__msan"), 0);
}

TEST(Binary, NeededLibrariesAreTheDynamicSections) {
  EXPECT_EQ(needed_libraries("  0x0001 (NEEDED)  Shared library: [libm.so.6]\n"
                             "  0x000e (SONAME)  Library soname: [x.so]\n"
                             "  0x0001 (NEEDED)  Shared library: [libfmt.so.9]\n"),
            (std::set<std::string>{"libm.so.6", "libfmt.so.9"}));
  EXPECT_TRUE(needed_libraries("").empty());
}

TEST(Binary, OfEachBuildAGoodOneIsGood) {
  for (const BuildKind& each : build_kinds()) {
    EXPECT_TRUE(check_binary(good(each.sanitizer), each).empty()) << each.name;
  }
}

TEST(Binary, EachViolationIsNamed) {
  const BuildKind& address = kind("libfuzzer-address");
  const auto wrong = [](const Binary& binary, const BuildKind& of) {
    const std::vector<std::string> all = check_binary(binary, of);
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " reasons";
  };
  Binary few = good("address"), foreign = good("undefined"), main = good("address"),
         shared = good("address"), empty = good("address");
  few.calls["__asan"] = 999;
  foreign.calls["__asan"] = 1;
  main.main_file = "toy.cc";
  shared.libraries.insert("libfmt.so.9");
  empty.has_target = false;
  EXPECT_EQ(wrong(few, address), "999 calls of __asan*: expected at least 1000");
  EXPECT_EQ(wrong(foreign, kind("libfuzzer-undefined")), "1 calls of __asan*: expected at most 0");
  EXPECT_EQ(wrong(main, address), "it has a main() of its own, from toy.cc; the engine brings it");
  EXPECT_EQ(wrong(shared, address), "it needs libfmt.so.9: expected everything but libc inside");
  EXPECT_EQ(wrong(empty, address), "it holds no LLVMFuzzerTestOneInput");
}

}  // namespace
}  // namespace prelaunch::fuzz
