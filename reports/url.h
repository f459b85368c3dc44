// Where a link of the page leads. Text from a run's files becomes one only through these, which
// pass plain characters alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prelaunch::reports {

class Url {
 public:
  // An https:// address; nothing for any other text.
  static std::optional<Url> https(std::string_view text);
  // "triage/<id>" and the extension, beside the page; nothing for an id that is not of letters,
  // digits, '_' and '-'.
  enum class Triaged { kCall, kTest };
  static std::optional<Url> triaged(std::string_view id, Triaged what);
  // "coverage/index.html"
  static Url coverage();

  const std::string& text() const { return text_; }

 private:
  explicit Url(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace prelaunch::reports
