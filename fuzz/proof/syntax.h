// Clang's syntax tree of one header, as far as mutating it needs: kinds, source ranges, names.
#pragma once

#include <clang-c/Index.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prelaunch::fuzz {

// Bytes [begin, end) of a file.
struct Range {
  unsigned begin = 0, end = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// A node of the tree; valid as long as its Syntax.
class Node {
 public:
  explicit Node(CXCursor cursor) : cursor_(cursor) {}

  CXCursorKind kind() const { return clang_getCursorKind(cursor_); }
  // Its name, its operator, or nothing.
  std::string spelling() const;
  // The type as written in messages: "const prelaunch::TensorView".
  std::string type() const;
  // Where it stands; what comes from a macro stands where the macro is used.
  Range range() const;
  unsigned line() const;
  // Absolute path of its file; empty for what is in none.
  std::string file() const;
  std::vector<Node> children() const;
  // What a name refers to.
  Node referenced() const { return Node(clang_getCursorReferenced(cursor_)); }
  // The function, class or namespace around its declaration.
  Node parent() const { return Node(clang_getCursorSemanticParent(cursor_)); }

 private:
  CXCursor cursor_;
};

// A header and all it includes, parsed. Throws std::runtime_error with clang's first error.
class Syntax {
 public:
  Syntax(const std::filesystem::path& header, const std::vector<std::string>& flags);

  Node root() const { return Node(clang_getTranslationUnitCursor(unit_.get())); }

 private:
  std::unique_ptr<void, void (*)(CXIndex)> index_;
  std::unique_ptr<CXTranslationUnitImpl, void (*)(CXTranslationUnit)> unit_;
};

}  // namespace prelaunch::fuzz
