#include "reports/html.h"

#include "kernels/common/escape.h"

namespace prelaunch::reports {
namespace {

Markup class_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      break;
    case Tone::kQuiet:
      return " quiet";
    case Tone::kWarn:
      return " warn";
    case Tone::kBad:
      return " bad";
    case Tone::kCode:
      return " code";
  }
  return "";
}

void write_cell(Html& html, const Column& column, const Cell& cell) {
  html.raw("<td class=\"");
  html.raw(column.align == Align::kNumber ? Markup("n") : Markup("t"));
  html.raw(class_of(cell.tone)).raw("\">").text(cell.text);
  if (!cell.note.empty()) {
    html.raw(" <span class=\"note").raw(class_of(cell.note_tone)).raw("\">");
    html.text(cell.note).raw("</span>");
  }
  html.raw("</td>");
}

}  // namespace

Html& Html::raw(Markup markup) {
  page_ += markup.text();
  return *this;
}

Html& Html::text(std::string_view untrusted) {
  page_ += html_escape(untrusted);
  return *this;
}

Html& Html::link(const Url& url, std::string_view untrusted) {
  return raw("<a rel=\"noreferrer\" href=\"")
      .text(url.text())
      .raw("\">")
      .text(untrusted)
      .raw("</a>");
}

void write_table(Html& html, std::span<const Column> columns, std::span<const Row> rows) {
  html.raw("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
  for (const Column& column : columns) {
    html.raw(column.align == Align::kNumber ? Markup("<th scope=\"col\" class=\"n\">")
                                            : Markup("<th scope=\"col\" class=\"t\">"));
    html.raw(column.title).raw("</th>");
  }
  html.raw("</tr></thead>\n<tbody>\n");
  for (const Row& row : rows) {
    html.raw("<tr>");
    for (std::size_t i = 0; i < columns.size(); ++i) write_cell(html, columns[i], row.at(i));
    html.raw("</tr>\n");
  }
  html.raw("</tbody></table></div>\n");
}

}  // namespace prelaunch::reports
