#include "fuzz/proof/mutate_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "fuzz/files.h"
#include "fuzz/proof/sites.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSource = std::size_t{1} << 20;

const std::map<std::string, std::pair<std::string, std::string>>& other_operators() {
  static const std::map<std::string, std::pair<std::string, std::string>> table = {
      {"==", {"!=", "equality"}},   {"!=", {"==", "equality"}},   {"<", {"<=", "boundary"}},
      {"<=", {"<", "boundary"}},    {">", {">=", "boundary"}},    {">=", {">", "boundary"}},
      {"&&", {"||", "connective"}}, {"||", {"&&", "connective"}},
  };
  return table;
}

bool is_constant_name(const std::string& name) {
  return name.size() > 1 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1]));
}

bool is_integral(const std::string& type) {
  static const std::set<std::string> kTypes = {"const std::int64_t", "const std::int32_t",
                                               "const int", "const std::size_t"};
  return kTypes.contains(type);
}

class Mutator {
 public:
  Mutator(const SourceFile& file, const fs::path& path, std::string planted,
          std::vector<SourceMutant>& mutants)
      : file_(file),
        path_(path),
        sites_(read_file(path, kMaxSource), std::move(planted)),
        mutants_(mutants) {}

  std::string run(const Node& root) {
    for (const Node& node : root.children()) {
      if (node.file().starts_with("/usr")) continue;
      declaration(node);
    }
    std::string out = sites_.rendered();
    const auto pragma = out.find("#pragma once\n");
    return out.insert(pragma + 13, "#include \"fuzz/proof/planted.h\"\n");
  }

 private:
  std::string text(Range range) const { return sites_.text(range); }
  bool is_here(const Node& node) const { return fs::path(node.file()) == path_; }

  // --- what holds code ---
  void declaration(const Node& node) {
    const CXCursorKind kind = node.kind();
    if (kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate ||
        kind == CXCursor_CXXMethod) {
      return function(node);
    }
    if (kind == CXCursor_InitListExpr && is_rule(node)) return rule(node);
    if (kind == CXCursor_LambdaExpr || kind == CXCursor_StaticAssert) return;
    for (const Node& child : node.children()) declaration(child);
  }

  bool is_wanted(const Node& node) const {
    const std::string name = node.spelling();
    if (!is_here(node) || (!file_.functions.empty() && !file_.functions.contains(name))) {
      return false;
    }
    const std::string head = text(node.range()).substr(0, text(node.range()).find(name));
    return head.find("consteval") == head.npos && !name.starts_with("operator");
  }

  void function(const Node& node) {
    if (!is_wanted(node)) return;
    where_ = node.spelling();
    body_of(node);
  }

  // {"id", kSafety, "text", [](const Args& a) { .. }}
  bool is_rule(const Node& node) const {
    if (!is_here(node) || !file_.functions.empty()) return false;
    const std::vector<Node> children = node.children();
    return children.size() >= 4 && children[0].kind() == CXCursor_StringLiteral &&
           children[1].type() == "const RuleKind";
  }
  void rule(const Node& node) {
    const std::string id = text(node.children()[0].range());
    where_ = id.substr(1, id.size() - 2);
    for (const Node& child : node.children()) find_lambda(child);
  }
  void find_lambda(const Node& node) {
    if (node.kind() == CXCursor_LambdaExpr) {
      is_whole_rule_ = true;
      return body_of(node);
    }
    for (const Node& child : node.children()) find_lambda(child);
  }

  void body_of(const Node& node) {
    for (const Node& child : node.children()) {
      if (child.kind() == CXCursor_CompoundStmt) code(child);
    }
  }

  // --- code ---
  void code(const Node& node) {
    const bool whole_rule = std::exchange(is_whole_rule_, false);
    switch (node.kind()) {
      case CXCursor_CompoundStmt:
        adjacent_ifs(node);
        is_whole_rule_ = whole_rule && node.children().size() == 1;
        break;
      case CXCursor_ReturnStmt:
      case CXCursor_UnexposedExpr:
        is_whole_rule_ = whole_rule;
        break;
      case CXCursor_StaticAssert:
        return;
      case CXCursor_VarDecl:
        if (text(node.range()).find("constexpr") == 0) return;
        break;
      case CXCursor_IfStmt:
        return if_statement(node);
      case CXCursor_LambdaExpr:
        return body_of(node);
      case CXCursor_BinaryOperator:
        binary(node, node.children());
        break;
      case CXCursor_CallExpr:
        return call(node, whole_rule);
      case CXCursor_ConditionalOperator:
        conditional(node);
        break;
      case CXCursor_IntegerLiteral:
        return constant(node);
      case CXCursor_DeclRefExpr:
        return name(node);
      case CXCursor_MemberRefExpr:
        member(node);
        break;
      default:
        break;
    }
    for (const Node& child : node.children()) {
      code(child);
    }
    is_whole_rule_ = false;
  }

  void binary(const Node& node, const std::vector<Node>& operands) {
    if (operands.size() == 2) {
      replace_operator(node, node.spelling(), {operands[0].range().end, operands[1].range().begin});
    }
  }

  void replace_operator(const Node& node, const std::string& op, Range between) {
    const auto other = other_operators().find(op);
    if (other == other_operators().end() || between.begin >= between.end) return;
    const std::size_t at = text(between).find(op);
    if (at == std::string::npos) return;  // a macro's
    std::string changed = text(node.range());
    changed.replace(between.begin + at - node.range().begin, op.size(), other->second.first);
    add(node, other->second.second, changed);
  }

  void call(const Node& node, bool whole_rule) {
    const std::vector<Node> children = node.children();
    const std::string callee = node.spelling();
    if (callee.starts_with("operator") && children.size() == 3) {
      const Range between = {children[0].range().end, children[2].range().begin};
      replace_operator(node, callee.substr(8), between);
      code(children[0]);
      is_index_ = callee == "operator[]";
      code(children[2]);
      is_index_ = false;
      return;
    }
    if (is_predicate(node) && !whole_rule) {
      add(node, "predicate", node.type() == "bool" ? "true" : "nullptr");
    }
    const bool named = !children.empty() && children[0].kind() != CXCursor_MemberRefExpr &&
                       children[0].spelling() == callee;
    for (std::size_t i = named ? 1 : 0; i < children.size(); ++i) code(children[i]);
  }

  // A function of the vocabulary, or one of the contract's own, that says whether something holds
  // or who offends.
  bool is_predicate(const Node& node) const {
    const Node function = node.referenced();
    const bool ours =
        function.file().find("/kernels/") != std::string::npos &&
        !function.spelling().starts_with("__builtin") &&
        (function.kind() == CXCursor_FunctionDecl || function.kind() == CXCursor_FunctionTemplate);
    return ours && (node.type() == "bool" || node.type() == "const TensorView *" ||
                    node.type() == "const prelaunch::TensorView *");
  }

  void constant(const Node& node) {
    const std::string digits = text(node.range());
    if (digits.empty() || !std::isdigit(static_cast<unsigned char>(digits[0]))) return;
    add(node, "constant", digits + " + 1");
    if (!is_index_ || digits != "0") add(node, "constant", digits + " - 1");
  }

  void name(const Node& node) {
    const Node variable = node.referenced();
    if (variable.kind() != CXCursor_VarDecl || !is_constant_name(node.spelling()) ||
        !is_integral(node.type())) {
      return;
    }
    add(node, "constant", text(node.range()) + " + 1");
    add(node, "constant", text(node.range()) + " - 1");
  }

  void member(const Node& node) {
    const std::vector<Node> base = node.children();
    if (base.size() != 1 || base[0].kind() != CXCursor_DeclRefExpr ||
        !base[0].type().ends_with("::Args")) {
      return;
    }
    if (const auto other = next_of_type(node.referenced())) {
      add(node, "argument", text(base[0].range()) + "." + *other);
    }
  }

  // The next member of the same type, the first one after the last.
  static std::optional<std::string> next_of_type(const Node& field) {
    std::vector<std::string> names;
    for (const Node& member : field.parent().children()) {
      if (member.kind() == CXCursor_FieldDecl && member.type() == field.type()) {
        names.push_back(member.spelling());
      }
    }
    const auto at = std::find(names.begin(), names.end(), field.spelling());
    if (names.size() < 2 || at == names.end()) return std::nullopt;
    return at + 1 == names.end() ? names.front() : *(at + 1);
  }

  // c1 ? a : c2 ? b : c
  void conditional(const Node& node) {
    const std::vector<Node> arms = node.children();
    if (arms.size() != 3 || arms[2].kind() != CXCursor_ConditionalOperator) return;
    const std::vector<Node> rest = arms[2].children();
    if (rest.size() != 3) return;
    add(node, "order",
        fmt::format("{} ? {} : {} ? {} : {}", text(rest[0].range()), text(rest[1].range()),
                    text(arms[0].range()), text(arms[1].range()), text(rest[2].range())));
  }

  void if_statement(const Node& node) {
    const std::vector<Node> parts = node.children();
    const bool is_constexpr = text(node.range()).starts_with("if constexpr");
    if (!is_constexpr && parts.size() == 3 && parts[2].kind() == CXCursor_IfStmt) else_if(node);
    for (std::size_t i = is_constexpr ? 1 : 0; i < parts.size(); ++i) code(parts[i]);
  }

  // if (c1) a else if (c2) b else c
  void else_if(const Node& node) {
    const std::vector<Node> first = node.children(), second = first[2].children();
    std::string changed = fmt::format("if ({}) {} else if ({}) {}", text(second[0].range()),
                                      text(whole(second[1].range())), text(first[0].range()),
                                      text(whole(first[1].range())));
    if (second.size() == 3) changed += " else " + text(whole(second[2].range()));
    add_statements(whole(node.range()), node, changed);
  }

  // if (c1) return a; if (c2) return b;
  void adjacent_ifs(const Node& node) {
    const std::vector<Node> statements = node.children();
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      if (!leaves(statements[i]) || !leaves(statements[i + 1])) continue;
      const Range first = whole(statements[i].range()), second = whole(statements[i + 1].range());
      add_statements({first.begin, second.end}, statements[i], text(second) + "\n" + text(first));
      ++i;  // sites must nest
    }
  }
  bool leaves(const Node& node) const {
    return node.kind() == CXCursor_IfStmt && node.children().size() == 2 &&
           text(node.range()).find("return") != std::string::npos &&
           !text(node.range()).starts_with("if constexpr");
  }

  // With the semicolon, which is no part of a statement's range.
  Range whole(Range range) const {
    const std::string& source = sites_.source();
    std::size_t end = range.end;
    while (end < source.size() && std::isspace(static_cast<unsigned char>(source[end]))) ++end;
    if (end < source.size() && source[end] == ';') range.end = static_cast<unsigned>(end) + 1;
    return range;
  }

  // --- sites ---
  void add(const Node& node, const std::string& kind, const std::string& changed) {
    add_at(node.range(), Form::kExpression, node, kind, changed);
  }
  void add_statements(Range range, const Node& node, const std::string& changed) {
    add_at(range, Form::kStatements, node, "order", changed);
  }
  void add_at(Range range, Form form, const Node& node, const std::string& kind,
              const std::string& changed) {
    sites_.add(range, form, mutants_.size(), changed);
    mutants_.push_back({kind, file_.path, node.line(), where_, text(range), changed});
  }

  const SourceFile& file_;
  const fs::path path_;
  Sites sites_;
  std::vector<SourceMutant>& mutants_;
  std::string where_;
  // The expression at hand is all that a rule says: to weaken it is to leave the rule out.
  bool is_whole_rule_ = false;
  bool is_index_ = false;
};

}  // namespace

std::string mutate_source(const Syntax& syntax, const fs::path& root, const SourceFile& file,
                          const std::string& planted, std::vector<SourceMutant>& mutants) {
  return Mutator(file, root / file.path, planted, mutants).run(syntax.root());
}

}  // namespace prelaunch::fuzz
