#include "fuzz/proof/syntax.h"

#include <stdexcept>

namespace prelaunch::fuzz {
namespace {

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string out = chars != nullptr ? chars : "";
  clang_disposeString(text);
  return out;
}

CXSourceLocation start_of(CXCursor cursor) {
  return clang_getRangeStart(clang_getCursorExtent(cursor));
}

std::string first_error(CXTranslationUnit unit) {
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const bool is_error = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    std::string text =
        take(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions()));
    clang_disposeDiagnostic(diagnostic);
    if (is_error) return text;
  }
  return {};
}

}  // namespace

std::string Node::spelling() const { return take(clang_getCursorSpelling(cursor_)); }
std::string Node::type() const { return take(clang_getTypeSpelling(clang_getCursorType(cursor_))); }

Range Node::range() const {
  const CXSourceRange extent = clang_getCursorExtent(cursor_);
  Range out;
  clang_getExpansionLocation(clang_getRangeStart(extent), nullptr, nullptr, nullptr, &out.begin);
  clang_getExpansionLocation(clang_getRangeEnd(extent), nullptr, nullptr, nullptr, &out.end);
  return out;
}

unsigned Node::line() const {
  unsigned line = 0;
  clang_getExpansionLocation(start_of(cursor_), nullptr, &line, nullptr, nullptr);
  return line;
}

std::string Node::file() const {
  CXFile file = nullptr;
  clang_getExpansionLocation(start_of(cursor_), &file, nullptr, nullptr, nullptr);
  return file != nullptr ? take(clang_getFileName(file)) : "";
}

std::vector<Node> Node::children() const {
  std::vector<Node> out;
  clang_visitChildren(
      cursor_,
      [](CXCursor child, CXCursor, CXClientData data) {
        static_cast<std::vector<Node>*>(data)->emplace_back(child);
        return CXChildVisit_Continue;
      },
      &out);
  return out;
}

Syntax::Syntax(const std::filesystem::path& header, const std::vector<std::string>& flags)
    : index_(clang_createIndex(0, 0), &clang_disposeIndex),
      unit_(nullptr, &clang_disposeTranslationUnit) {
  std::vector<const char*> arguments;
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  unit_.reset(clang_parseTranslationUnit(index_.get(), header.c_str(), arguments.data(),
                                         static_cast<int>(arguments.size()), nullptr, 0, 0));
  if (unit_ == nullptr) throw std::runtime_error(header.string() + ": clang cannot parse it");
  if (const std::string error = first_error(unit_.get()); !error.empty()) {
    throw std::runtime_error(error);
  }
}

}  // namespace prelaunch::fuzz
