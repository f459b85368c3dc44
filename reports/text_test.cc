// Escaping, links, durations and numbers.
#include <gtest/gtest.h>

#include "kernels/common/duration.h"
#include "kernels/common/escape.h"
#include "reports/change.h"
#include "reports/format.h"

namespace prelaunch::reports {
namespace {

using std::chrono::seconds;
using namespace std::string_literals;

TEST(Escape, MarkupBecomesEntities) {
  EXPECT_EQ(html_escape("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
}

TEST(Escape, WellFormedTextIsKept) {
  const std::string text = "op \u00b5s \u4e2d \U0001f600";
  EXPECT_EQ(valid_utf8(text), text);
  EXPECT_EQ(html_escape(text), text);
}

TEST(Escape, EachIllFormedByteBecomesOneReplacement) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\ufffd"
            "b");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\ufffd\ufffd");                      // overlong '/'
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");            // a surrogate
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\ufffd\ufffd");                      // cut short
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // above U+10FFFF
}

TEST(Escape, WhatHidesOrBreaksLinesIsShown) {
  EXPECT_EQ(visible("a\nb\x1b[31m\x7f"), "a\u240ab\u241b[31m\u2421");
  EXPECT_EQ(visible("\0"s), "\u2400");
  EXPECT_EQ(visible("x\u202ey\u200b\u0085"), "x\ufffdy\ufffd\ufffd");
}

TEST(Escape, EveryTwoBytesGiveValidText) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second)};
      const std::string escaped = html_escape(bytes);
      ASSERT_EQ(valid_utf8(escaped), escaped);
      ASSERT_EQ(escaped.find_first_of("<>\"'\n\x1b"), std::string::npos);
    }
  }
}

TEST(Duration, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("90"), seconds(90));
  EXPECT_EQ(parse_duration("90s"), seconds(90));
  EXPECT_EQ(parse_duration("30m"), seconds(1800));
  EXPECT_EQ(parse_duration("1h30m"), seconds(5400));
  EXPECT_EQ(parse_duration("1h5s"), seconds(3605));
  EXPECT_EQ(parse_duration("1000h"), kLongestDuration);
}

TEST(Duration, RefusesTheRest) {
  for (const char* text : {"", "0", "0h0m", "-5", "5x", "h", "1h30", "30m1h", "1m1m", "1.5h", " 5",
                           "5 ", "1000h1s", "99999999999999999999", "+5"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, IsShownInTheUnitsItNeeds) {
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.96), "1 min 0 s");
  EXPECT_EQ(format_duration(1741.3), "29 min 1 s");
  EXPECT_EQ(format_duration(5400), "1 h 30 min");
}

TEST(TimeUntil, IsTheNextSuchTimeAcrossMidnightToo) {
  using std::chrono::hours;
  const auto at = [](int hour, int minute, int second) {
    return seconds(3600 * hour + 60 * minute + second);
  };
  EXPECT_EQ(time_until("06:30", at(6, 29, 59)), seconds(1));
  EXPECT_EQ(time_until("06:30", at(22, 0, 0)), seconds(30600));
  EXPECT_EQ(time_until("06:30", at(6, 30, 0)), hours(24)) << "now is not ahead";
  EXPECT_EQ(time_until("06:30", at(6, 30, 1)), hours(24) - seconds(1));
  EXPECT_EQ(time_until("00:00", at(23, 59, 59)), seconds(1));
  EXPECT_EQ(time_until("23:59", at(0, 0, 0)), at(23, 59, 0));
}

TEST(TimeUntil, RefusesWhatIsNoTimeOfDay) {
  for (const char* text : {"", "6:30", "06:3", "24:00", "06:60", "06.30", "0630", "-1:30", "06:30 ",
                           "06:30:00", "+6:30", "aa:bb", ":::::"}) {
    EXPECT_EQ(time_until(text, seconds(0)), std::nullopt) << text;
  }
}

TEST(Change, IsADifferenceAndAShare) {
  EXPECT_EQ(change_text(110, 100), "+10 (+10.0\u00a0%)");
  EXPECT_EQ(change_text(990, 1000), "\u221210 (\u22121.0\u00a0%)");
  EXPECT_EQ(change_text(5, 0), "+5");
  EXPECT_EQ(change_text(100.2, 100), "=");
}

TEST(Change, OnlyAFallByAFifthIsMarked) {
  const auto tone = [](double now) { return with_change({"x"}, now, 100).note_tone; };
  EXPECT_EQ(tone(81), Tone::kQuiet);
  EXPECT_EQ(tone(80), Tone::kWarn);
  EXPECT_EQ(tone(1000), Tone::kQuiet);
  EXPECT_EQ(with_change({"x"}, 5, std::nullopt).note, "") << "nothing to compare with";
  EXPECT_EQ(with_change({"x"}, 0, 0).note_tone, Tone::kQuiet);
}

TEST(Url, IsMadeOfPlainTextAlone) {
  EXPECT_EQ(Url::https("https://example.com/a?b=c&d#e-1")->text(),
            "https://example.com/a?b=c&d#e-1");
  for (const char* text : {"", "https://", "http://a", "HTTPS://a", "javascript:alert(1)",
                           "https://a\"b", "https://a b", "https://a'b", "https://a<b",
                           "https://good@bad", " https://a", "https://a\n", "https://\u00e4"}) {
    EXPECT_FALSE(Url::https(text)) << text;
  }
  EXPECT_EQ(Url::triaged("pack-x_1", Url::Triaged::kCall)->text(), "triage/pack-x_1.json");
  EXPECT_EQ(Url::triaged("pack-x_1", Url::Triaged::kTest)->text(), "triage/pack-x_1.cc");
  for (const char* id : {"", "..", "a/b", "a.b", "a b", "a:b", "\u00e4", "a\""}) {
    EXPECT_FALSE(Url::triaged(id, Url::Triaged::kCall)) << id;
  }
}

TEST(Format, SeparatesThousands) {
  EXPECT_EQ(with_separators(std::uint64_t{999}), "999");
  EXPECT_EQ(with_separators(std::uint64_t{1234567}), "1,234,567");
  EXPECT_EQ(with_separators(18446744073709551615U), "18,446,744,073,709,551,615");
  EXPECT_EQ(with_separators(-1234.56, 1), "-1,234.6");
  EXPECT_EQ(with_separators(-123.0, 0), "-123");
  EXPECT_EQ(with_separators(1e300, 1), "1e+300");
}

TEST(Format, AShareOfNothingIsUnknown) {
  EXPECT_EQ(share(1, 4), "25.0\u00a0%");
  EXPECT_EQ(share(0, 0), kNone);
}

}  // namespace
}  // namespace prelaunch::reports
