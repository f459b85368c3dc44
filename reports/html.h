// Building a page from text that nobody vouches for. Markup can only come from string literals of
// this program (checked by the compiler); every other string is escaped on its way in, and leads
// somewhere only as a Url. There is no other way.
//
//   Html html;
//   html.raw("<p class=\"reason\">").text(finding.reason).raw("</p>");
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/url.h"

namespace prelaunch::reports {

class Markup {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is what a caller writes
  consteval Markup(const char* literal) : text_(literal) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Html {
 public:
  Html& raw(Markup markup);
  // Escaped: right as element content and within a quoted attribute.
  Html& text(std::string_view untrusted);
  Html& link(const Url& url, std::string_view untrusted);
  const std::string& page() const { return page_; }

 private:
  std::string page_;
};

enum class Align { kText, kNumber };
enum class Tone { kPlain, kQuiet, kWarn, kBad, kCode };

struct Column {
  Markup title;
  Align align = Align::kText;
};

struct Cell {
  std::string text;
  std::string note = {};  // with the text, smaller: a unit, a difference; below it in numbers
  Tone tone = Tone::kPlain;
  Tone note_tone = Tone::kQuiet;
};

// One row of the table; as many cells as there are columns.
using Row = std::vector<Cell>;

// Scrolls sideways in its own box where the page is too narrow for it.
void write_table(Html& html, std::span<const Column> columns, std::span<const Row> rows);

}  // namespace prelaunch::reports
