#include "base/text.hpp"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/paths.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/short_text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"

namespace robot_council::base {
namespace {

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (const std::size_t size : {55U, 56U, 63U, 64U, 65U, 119U, 120U}) {
    EXPECT_NE(sha256_hex(std::string(size, 'a')), sha256_hex(std::string(size + 1, 'a'))) << size;
  }
}

TEST(Text, TrimsSplitsAndJoins) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_TRUE(is_blank(" \n"));
  EXPECT_EQ(split("a::b", ':'), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(replace_all("aXbX", "X", "XX"), "aXXbXX");
  EXPECT_EQ(without_trailing("https://h//", '/'), "https://h");
  EXPECT_TRUE(starts_with_ignoring_case("CONTENT-length: 3", "content-length:"));
  EXPECT_EQ(edit_distance("pendng", "pending"), 1U);
}

TEST(Text, AShortTextLiesInItsObject) {
  struct Row {
    ShortText<4> word;
    int number;
  };
  static constexpr std::array kRows = {Row{"", 0}, Row{"ab", 1}, Row{"abcd", 2}};
  static_assert(std::is_trivially_copyable_v<Row>);
  EXPECT_TRUE(kRows[0].word.empty());
  EXPECT_EQ(kRows[1].word.view(), "ab");
  EXPECT_EQ(std::string_view(kRows[2].word), "abcd");
  EXPECT_EQ(kRows[2].word.size(), 4U);
  const Row copy = kRows[2];
  EXPECT_GE(copy.word.view().data(), reinterpret_cast<const char*>(&copy));
  EXPECT_LT(copy.word.view().data(), reinterpret_cast<const char*>(&copy + 1));
}

TEST(Text, DigitsWithin64BitsOnly) {
  EXPECT_EQ(parse_digits("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"9223372036854775808", "", "-1", "+1", "1a", " 1", "1.0"}) {
    EXPECT_EQ(parse_digits(bad), std::nullopt) << bad;
  }
}

TEST(Text, ShellQuoting) {
  EXPECT_EQ(shell_quote("/opt/a-b_c.d:e@f%g+h=i,j"), "/opt/a-b_c.d:e@f%g+h=i,j");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("a'b"), "'a'\\''b'");
  EXPECT_EQ(shell_quote(""), "''");
}

TEST(Utf8, ValidityFollowsTheTable) {
  for (const char* good : {"", "a", "ü", "€", "😀", "\x7f", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\xff", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
  EXPECT_EQ(to_utf8("a\xffü\xe2\x82z"), "a\xEF\xBF\xBDü\xEF\xBF\xBDz");
}

// Plain ASCII is read eight bytes at a time: what is none is found wherever it stands.
TEST(Utf8, WhatIsNoAsciiIsSeenAtEachPlace) {
  struct Case {
    std::string bytes;
    bool valid;
    std::string as_utf8;
    std::size_t utf16;
    std::string clean;
  };
  const std::string mark = "\xEF\xBF\xBD";
  const std::vector<Case> cases = {{"ü", true, "ü", 1, "ü"},
                                   {"😀", true, "😀", 2, "😀"},
                                   {"\xff", false, mark, 1, mark},
                                   {"\xe2\x82", false, mark, 1, mark},
                                   {"\x1b", true, "\x1b", 1, ""},
                                   {"\x7f", true, "\x7f", 1, ""},
                                   {"\xc2\x85", true, "\xc2\x85", 1, ""},
                                   {"\n", true, "\n", 1, "\n"}};
  for (std::size_t before = 0; before <= 17; ++before) {
    for (std::size_t after = 0; after <= 9; ++after) {
      const std::string head(before, 'a');
      const std::string tail(after, '~');
      for (const Case& one : cases) {
        const std::string text = head + one.bytes + tail;
        SCOPED_TRACE(to_utf8(text) + " " + std::to_string(before));
        EXPECT_EQ(is_utf8(text), one.valid);
        EXPECT_EQ(to_utf8(text), head + one.as_utf8 + tail);
        EXPECT_EQ(count_utf16(text), before + one.utf16 + after);
        EXPECT_EQ(without_controls(text, Keep::line_breaks_and_tabs), head + one.clean + tail);
        // Two of them, so that reading goes on behind the first.
        EXPECT_EQ(to_utf8(text + text), head + one.as_utf8 + tail + head + one.as_utf8 + tail);
        EXPECT_EQ(count_utf16(text + text), 2 * (before + one.utf16 + after));
      }
    }
  }
}

TEST(Utf8, CountsAndCutsAtWholeCodePoints) {
  const std::string text = "aü😀b";
  EXPECT_EQ(count_code_points(text), 4U);
  EXPECT_EQ(count_utf16(text), 5U);
  EXPECT_EQ(prefix_code_points(text, 3), "aü😀");
  EXPECT_EQ(prefix_utf16(text, 3), "aü");
  EXPECT_EQ(prefix_utf16(text, 4), "aü😀");
  EXPECT_EQ(prefix_bytes(text, 6), "aü");
  EXPECT_EQ(prefix_bytes(text, 7), "aü😀");
}

TEST(Utf8, ControlsGoAndDisplayIsShort) {
  EXPECT_EQ(without_controls("a\x1b[31m\r\n\tb\xc2\x85z\x7f", Keep::line_breaks_and_tabs),
            "a[31m\n\tbz");
  EXPECT_EQ(without_controls("a\n\tb", Keep::nothing), "ab");
  EXPECT_EQ(for_display("  x\x1b "), "x");
  EXPECT_EQ(for_display("\xff"), "[unprintable]");
  EXPECT_EQ(for_display(" \n "), "[empty]");
  EXPECT_EQ(for_display(std::string(201, 'x')), std::string(200, 'x') + "…");
  EXPECT_EQ(for_display(std::string(200, 'x')), std::string(200, 'x'));
}

TEST(Time, IsWrittenAndReadInUtc) {
  constexpr std::int64_t kTime = 1790272800123;  // 2026-09-24T18:00:00.123Z
  EXPECT_EQ(iso_offset(kTime), "2026-09-24T18:00:00+00:00");
  EXPECT_EQ(iso_zulu(kTime), "2026-09-24T18:00:00Z");
  EXPECT_EQ(iso_zulu_ms(kTime), "2026-09-24T18:00:00.123Z");
  EXPECT_EQ(compact_utc(kTime), "20260924T180000Z");
  EXPECT_EQ(utc_date(0), "1970-01-01");
  EXPECT_EQ(iso_zulu(951782400000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(iso_zulu(-1000), "1969-12-31T23:59:59Z");
  EXPECT_EQ(parse_iso("2026-09-24T18:00:00.123Z"), kTime);
  EXPECT_EQ(parse_iso("2026-09-24T20:00:00+02:00"), kTime - 123);
  EXPECT_EQ(parse_iso("2026-09-24T18:00:00.123456+00:00"), kTime);
  for (const char* bad : {"", "2026-09-24", "2026-13-01T00:00:00Z", "2026-09-24T18:00:00",
                          "2026-09-24T18:00:00.Z", "x"}) {
    EXPECT_EQ(parse_iso(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777000);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), std::nullopt);
}

TEST(Time, AgesForPeople) {
  EXPECT_EQ(age_text(-5), "0 s");
  EXPECT_EQ(age_text(59999), "59 s");
  EXPECT_EQ(age_text(60000), "1 min");
  EXPECT_EQ(age_text(3 * 3600000LL), "3 h");
  EXPECT_EQ(age_text(2 * 86400000LL), "2 d");
}

TEST(Random, IsHexOfTheAskedLengthAndInRange) {
  const std::string one = random_hex(32);
  EXPECT_EQ(one.size(), 64U);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, random_hex(32));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random_below(7), 7U);
  }
  EXPECT_EQ(random_below(0), 0U);
}

TEST(Paths, XdgCountsOnlyWhenAbsolute) {
  MapEnvironment environment;
  environment.set("HOME", "/home/u/");
  EXPECT_EQ(home_directory(environment), "/home/u");
  EXPECT_EQ(pending_directory(environment), "/home/u/.local/state/robot-council/pending");
  environment.set("XDG_STATE_HOME", "relative");
  EXPECT_EQ(state_home(environment), "/home/u/.local/state");
  environment.set("XDG_STATE_HOME", "/s//");
  EXPECT_EQ(state_home(environment), "/s");
  environment.set("XDG_CONFIG_HOME", " ");
  EXPECT_EQ(config_directory(environment), "/home/u/.config/robot-council");
  EXPECT_EQ(data_directory(environment), "/home/u/.local/share/robot-council");
  environment.set("HOME", "relative");
  EXPECT_EQ(home_directory(environment).front(), '/');
}

TEST(Environment, EmptyIsSetAndBlankIsNothing) {
  const MapEnvironment environment(
      std::map<std::string, std::string>{{"EMPTY", ""}, {"BLANK", " \t"}, {"X", " x "}});
  EXPECT_TRUE(environment.has("EMPTY"));
  EXPECT_EQ(environment.nonblank("EMPTY"), std::nullopt);
  EXPECT_EQ(environment.nonblank("BLANK"), std::nullopt);
  EXPECT_EQ(environment.nonblank("X"), " x ");
  EXPECT_EQ(environment.get("NONE"), std::nullopt);
  EXPECT_EQ(environment.all().size(), 3U);
}

}  // namespace
}  // namespace robot_council::base
