#include "harness/settings_json.hpp"

#include <gtest/gtest.h>

#include "harness/settings_hooks.hpp"

namespace robot_council {
namespace {

using harness::Comments;
using harness::read_settings;
using harness::SettingsEncoding;
using harness::SettingsKind;
using harness::strict_error;
using harness::TrailingCommas;

std::string why(std::string_view text, Comments comments = Comments::refused,
                TrailingCommas commas = TrailingCommas::refused) {
  const auto document = read_settings(text);
  const auto error = strict_error(document, comments, commas);
  return error ? describe_error(document, *error) : std::string();
}

TEST(SettingsJson, SpansCoverExactlyTheBytesOfEachValue) {
  const std::string text =
      "{ \"a\" : [1, -2.5e3 ,\"x\\n\\u00e9\\ud83d\\ude00\"], \"b\":{\"c\":null},\"d\":true }";
  const auto document = read_settings(text);
  ASSERT_TRUE(document.has_root());
  const auto& list = *document.root.find("a");
  EXPECT_EQ(text.substr(list.begin, list.end - list.begin),
            "[1, -2.5e3 ,\"x\\n\\u00e9\\ud83d\\ude00\"]");
  EXPECT_EQ(text.substr(list.elements[1].begin, list.elements[1].end - list.elements[1].begin),
            "-2.5e3");
  EXPECT_EQ(list.elements[1].number(), -2500.0);
  EXPECT_EQ(list.elements[2].text, "x\n\xC3\xA9\xF0\x9F\x98\x80");
  const auto* member = document.root.find_member("b");
  EXPECT_EQ(text.substr(member->key_begin, member->key_end - member->key_begin), "\"b\"");
  EXPECT_TRUE(document.root.find("b")->find("c")->is(SettingsKind::null));
  EXPECT_EQ(document.root.boolean_at("d"), true);
  EXPECT_EQ(document.depth, 2U);
}

TEST(SettingsJson, OfEqualKeysTheLastWinsAndAllAreKept) {
  const auto document = read_settings(R"({"a":1,"a":2})");
  EXPECT_EQ(document.root.find("a")->text, "2");
  EXPECT_EQ(document.root.count("a"), 2U);
}

TEST(SettingsJson, CommentsAndTrailingCommasAreReadAndNamed) {
  EXPECT_EQ(why("{\n// x\n\"a\":1}"), "line 2, column 1: a comment is no JSON");
  EXPECT_EQ(why("{\n// x\n\"a\":1}", Comments::allowed), "");
  EXPECT_EQ(why("{/* , */\"a\":[1,\n 2,\n]}", Comments::allowed),
            "line 2, column 3: a comma before the closing bracket is no JSON");
  EXPECT_EQ(why("{/* , */\"a\":[1,2,]}", Comments::allowed, TrailingCommas::allowed), "");
  EXPECT_EQ(why("{} // end", Comments::allowed), "");
  EXPECT_EQ(why("{\"a\":\"// no comment\"}"), "");
}

TEST(SettingsJson, WhatIsNoJsonIsNamedWithItsPlace) {
  EXPECT_EQ(why(""), "line 1, column 1: the file is empty");
  EXPECT_EQ(why("{\"a\":\n \"Bü\" x}"), "line 2, column 7: expected \",\" or \"}\"");
  EXPECT_EQ(why("{a:1}"), "line 1, column 2: expected a key in double quotes");
  EXPECT_EQ(why("{\"a\" 1}"), "line 1, column 6: expected \":\"");
  EXPECT_EQ(why("[1 2]"), "line 1, column 4: expected \",\" or \"]\"");
  EXPECT_EQ(why("[,1]"), "line 1, column 2: expected a value");
  EXPECT_EQ(why("{\"a\":\"b\tc\"}"), "line 1, column 8: a control character in a string");
  EXPECT_EQ(why("\"\\x\""), "line 1, column 2: unknown escape in a string");
  EXPECT_EQ(why("\"\\u12g4\""), "line 1, column 2: \\u needs four hexadecimal digits");
  EXPECT_EQ(why("\"abc"), "line 1, column 1: a string is not closed");
  EXPECT_EQ(why("/* abc", Comments::allowed), "line 1, column 1: a comment is not closed");
  EXPECT_EQ(why("{} {}"), "line 1, column 4: something follows the value");
  EXPECT_EQ(why("[1"), "line 1, column 3: the text ends inside a list");
  for (const char* bad :
       {"01", "1.", "-", "1e", "+1", "nul", "True", "'a'", "{\"a\":}", "[}", "\xFF"}) {
    EXPECT_NE(why(bad), "") << bad;
  }
  for (const char* good :
       {"0", "-0", "1e9999", "[]", "{}", " \"\" ", "12345678901234567890", "\"\\ud800\""}) {
    EXPECT_EQ(why(good), "") << good;
  }
}

TEST(SettingsJson, DepthIsBounded) {
  EXPECT_EQ(why(std::string(512, '[') + std::string(512, ']')), "");
  EXPECT_NE(why(std::string(513, '[') + std::string(513, ']')), "");
  EXPECT_NE(why(std::string(1000000, '[')), "");
}

TEST(SettingsJson, EncodingsAreTold) {
  EXPECT_EQ(read_settings("{}").encoding, SettingsEncoding::utf8);
  EXPECT_EQ(read_settings("\xEF\xBB\xBF{}").encoding, SettingsEncoding::utf8_bom);
  const auto little = read_settings(std::string("\xFF\xFE{\0\"\0\xE9\0\"\0:\0001\0}\0", 16));
  EXPECT_EQ(little.encoding, SettingsEncoding::utf16_bom);
  EXPECT_EQ(little.root.find("\xC3\xA9")->text, "1");
  EXPECT_EQ(read_settings(std::string("\xFE\xFF\0{\0}", 6)).encoding, SettingsEncoding::utf16_big);
  EXPECT_EQ(read_settings(std::string("{\0}\0", 4)).encoding, SettingsEncoding::utf16_bare);
  EXPECT_FALSE(read_settings(std::string("{\0}\0", 4)).has_root());
  const auto latin = read_settings("{\"a\":\"B\xFC\"}");
  EXPECT_TRUE(latin.has_root());
  EXPECT_EQ(latin.bad_utf8, 7U);
  EXPECT_FALSE(read_settings("{\"a\":\"\xC3\xA9\"}").bad_utf8);
}

TEST(SettingsJson, ForeignTextIsCleanedAndCut) {
  EXPECT_EQ(harness::quoted_text("a\nb\x1B[31m\x7F\xC2\x9B\xFF"), "a b[31m\xEF\xBF\xBD");
  EXPECT_EQ(harness::quoted_text(std::string(200, 'x')), std::string(120, 'x') + "…");
}

}  // namespace
}  // namespace robot_council
