// An op without its types: what replay, the campaign and the forms of a call work with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/judgement.h"
#include "kernels/common/call.h"
#include "kernels/common/choices.h"
#include "kernels/common/contract.h"

namespace prelaunch::fuzz {

enum class FieldType : std::uint8_t { kTensor, kInteger, kReal, kBoolean, kOptionalReal };

struct FieldInfo {
  std::string_view name;
  FieldType type;
  Presence presence;
};

struct RuleInfo {
  std::string_view argument, property;
  RuleKind kind;
  std::string_view text, why;

  // The id in the table, `<argument>.<property>`; the full one has the op's name in front.
  std::string id() const { return std::string(argument).append(".").append(property); }
};

// A call that a corpus keeps: `name` is its file's, `why` says what it is for.
struct NamedCall {
  std::string name, why;
  Call call;
  Expectation expect;
};

struct OpInfo {
  std::string_view name;
  std::span<const FieldInfo> fields;
  std::span<const RuleInfo> rules;

  // Judges one call; see fuzz/oracle.h.
  Judgement (*judge)(const Call& call, const Expectation& expect, const JudgeOptions& options);
  // Draws a call and says what is known about its verdict; see fuzz/generate.h.
  Expectation (*generate)(Choices& choose, Call& call);
};

// Index of the rule with this id (`<argument>.<property>`, or with the op's name in front), or
// kNoRule. Of rules that share an id (`q.rank` as a well-formed rule and as the op's own), "#1",
// "#2" tell which; without that it is the first.
std::size_t rule_index(const OpInfo& op, std::string_view id);
// How files spell a buffer: the name of the field whose own it is, "buffer9" for the others.
std::string buffer_name(const OpInfo& op, std::size_t buffer);
// "<op>.<argument>.<property>".
std::string full_id(const OpInfo& op, std::size_t rule);
// The same with "#1" or "#2" behind it where rules share the id.
std::string numbered_id(const OpInfo& op, std::size_t rule);

// Every op of the build, in the order of CMakeLists.txt (fuzz/registry.cc).
std::span<const OpInfo* const> all_ops();
// Null when there is none of this name.
const OpInfo* find_op(std::string_view name);

}  // namespace prelaunch::fuzz
