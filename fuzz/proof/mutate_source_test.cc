// What is mutated in a source, and how.
#include "fuzz/proof/mutate_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/temp_folder.h"

// libclang keeps some memory to the end.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace prelaunch::fuzz {
namespace {

// The least that looks like an op's contract.
constexpr std::string_view kHead = R"(#pragma once
#include <array>
#include <string_view>
namespace prelaunch {
enum class RuleKind { kSafetyRule };
inline constexpr RuleKind kSafety = RuleKind::kSafetyRule;
struct TensorView { int rank; long shape[8]; };
namespace op { struct Args { TensorView q, k, out; long n; }; }
template <class T> struct Rule {
  constexpr Rule(std::string_view, RuleKind, std::string_view, bool (*)(const T&)) {}
};
inline constexpr int kLimit = 4;
)";

class MutateSource : public testing::Test {
 protected:
  // The mutants of the code, each as "kind: before -> after"; keeps the text.
  std::vector<std::string> mutants(const std::string& code, std::set<std::string> functions = {}) {
    folder_.write("kernels/op/contract.h",
                  std::string(kHead) + code + "\n}  // namespace prelaunch\n");
    const Syntax syntax(folder_.path() / "kernels/op/contract.h", {"-std=c++20", "-xc++"});
    std::vector<SourceMutant> all;
    text_ = mutate_source(syntax, folder_.path(), {"kernels/op/contract.h", std::move(functions)},
                          "M", all);
    std::vector<std::string> out;
    for (const SourceMutant& m : all) {
      where_.insert(m.where);
      out.push_back(m.kind + ": " + m.before + " -> " + m.after);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  using Expected = std::vector<std::string>;

  TempFolder folder_;
  std::string text_;
  std::set<std::string> where_;
};

TEST_F(MutateSource, ComparisonsAndConnectives) {
  EXPECT_EQ(mutants("inline bool f(long a, long b) { return a == b && a < b; }"),
            (Expected{"boundary: a < b -> a <= b", "connective: a == b && a < b -> a == b || a < b",
                      "equality: a == b -> a != b"}));
  EXPECT_EQ(where_, std::set<std::string>{"f"});
  EXPECT_NE(text_.find("return (M(0) ? (a == b || a < b) : ((M(1) ? (a != b) : (a == b)) && "
                       "(M(2) ? (a <= b) : (a < b))));"),
            std::string::npos)
      << text_;
}

TEST_F(MutateSource, ConstantsAreOneMoreAndOneLess) {
  EXPECT_EQ(mutants("inline int f(int a) { return a + 3 + kLimit; }"),
            (Expected{"constant: 3 -> 3 + 1", "constant: 3 -> 3 - 1",
                      "constant: kLimit -> kLimit + 1", "constant: kLimit -> kLimit - 1"}));
}

TEST_F(MutateSource, AnArgumentBecomesTheNextOfItsType) {
  EXPECT_EQ(mutants("inline int f(const op::Args& a) { return a.q.rank - a.out.rank; }"),
            (Expected{"argument: a.out -> a.q", "argument: a.q -> a.k"}));
  EXPECT_TRUE(mutants("inline long f(const op::Args& a) { return a.n; }").empty());
}

TEST_F(MutateSource, APredicateIsBelievedButNotAWholeRule) {
  const std::string p = "inline bool p(const TensorView& t) { return t.rank > t.rank; }\n";
  EXPECT_EQ(mutants(p + "inline bool f(bool x, const TensorView& t) { return x || p(t); }", {"f"}),
            (Expected{"connective: x || p(t) -> x && p(t)", "predicate: p(t) -> true"}));
  const std::string table =
      "inline constexpr auto r = std::to_array<Rule<op::Args>>({{\"q.p\", kSafety, \"text\", "
      "[](const op::Args& a) { return p(a.q); }}});";
  EXPECT_EQ(mutants(p + table),
            (Expected{"argument: a.q -> a.k", "boundary: t.rank > t.rank -> t.rank >= t.rank"}));
  EXPECT_TRUE(where_.contains("q.p"));
}

TEST_F(MutateSource, DecisionsChangePlaces) {
  const auto all = mutants(
      "inline int f(bool a, bool b) { if (a) return sizeof(a); else if (b) "
      "return sizeof(int); return a ? sizeof(a) : b ? sizeof(b) : sizeof(a); }");
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const std::string& m) { return m.starts_with("order: "); }),
            2);
  EXPECT_NE(text_.find("if (M(0)) { if (b) return sizeof(int); else if (a) return sizeof(a); }"),
            std::string::npos)
      << text_;
}

TEST_F(MutateSource, WhatTheCompilerMustEvaluateIsLeftAlone) {
  EXPECT_TRUE(mutants("static_assert(kLimit == 4);\n"
                      "consteval int g(int a) { return a + 1; }\n"
                      "template <int kN> int f() { if constexpr (kN == 2) return sizeof(int);\n"
                      "  constexpr int local = kN + 2; return local + f<5>(); }")
                  .empty());
}

TEST_F(MutateSource, OnlyTheFunctionsAskedFor) {
  EXPECT_EQ(mutants("inline int f() { return 1; } inline int g() { return 2; }", {"g"}),
            (Expected{"constant: 2 -> 2 + 1", "constant: 2 -> 2 - 1"}));
}

TEST_F(MutateSource, ASourceThatDoesNotCompileIsSaidToBeWrong) {
  folder_.write("kernels/op/contract.h", "#pragma once\nint f( {\n");
  EXPECT_THROW(Syntax(folder_.path() / "kernels/op/contract.h", {"-std=c++20", "-xc++"}),
               std::runtime_error);
}

}  // namespace
}  // namespace prelaunch::fuzz
