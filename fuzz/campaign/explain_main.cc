// prelaunch-explain: what a rule says and why it is there.
#include <fmt/format.h>

#include "fuzz/campaign/tool.h"
#include "fuzz/op_info.h"

namespace prelaunch::fuzz {
namespace {

std::string_view meaning(RuleKind kind) {
  switch (kind) {
    case kSafety:
      return "without it some call makes the kernel touch memory it must not, or fault";
    case kSemantics:
      return "without it some call gives a wrong result";
    case kPolicy:
      break;
  }
  return "narrower than the kernel would have to be";
}

void print_rule(const OpInfo& op, std::size_t rule) {
  const RuleInfo& info = op.rules[rule];
  fmt::print("{}\n  message  {}\n  kind     {}: {}\n", full_id(op, rule), info.text,
             to_string(info.kind), meaning(info.kind));
  if (!info.why.empty()) fmt::print("  why      {}\n", info.why);
}

// Every rule whose full id is `name`, or that belongs to the op or argument of that name.
std::size_t explain_all(std::string_view name) {
  std::size_t found = 0;
  for (const OpInfo* op : all_ops()) {
    for (std::size_t rule = 0; rule < op->rules.size(); ++rule) {
      const std::string id = full_id(*op, rule);
      if (id != name && !id.starts_with(std::string(name) + ".")) continue;
      print_rule(*op, rule);
      ++found;
    }
  }
  return found;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Says what a rule requires and why. Takes <op>, <op>.<argument> or a rule's full id.",
      "prelaunch explain");
  std::string name;
  app.add_option("name", name, "Op, argument or rule")->required();
  app.footer("Example: prelaunch explain ulysses_pack.qkv.cuda");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (explain_all(name) > 0) return 0;
  throw std::runtime_error("expected an op, <op>.<argument> or a rule's full id, got " + name);
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch explain", prelaunch::fuzz::run, argc, argv);
}
