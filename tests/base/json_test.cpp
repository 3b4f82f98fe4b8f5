#include "base/json.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/json_scan.hpp"
#include "base/json_value.hpp"

namespace robot_council::base {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Json, ParsesWithinItsLimitsOnly) {
  EXPECT_TRUE(parse_bounded(R"({"a":[1,2]})", 100).ok());
  EXPECT_EQ(parse_bounded(R"({"a":[1,2]})", 5).error().code, Errc::invalid);
  EXPECT_TRUE(parse_bounded(nested(128), 1000).ok());
  EXPECT_FALSE(parse_bounded(nested(129), 1000).ok());
  EXPECT_FALSE(parse_bounded(nested(100000), 1 << 20).ok());
  for (const char* bad :
       {"", " ", "{", "{\"a\":1,}", "[1 2]", "nul", "\"\xff\"", "1e999", "{} x", "\xEF\xBB\xBF"}) {
    EXPECT_FALSE(parse_bounded(bad, 100).ok()) << bad;
  }
}

TEST(Json, ErrorNamesLineAndColumn) {
  EXPECT_NE(parse_bounded("{\n \"a\": x}", 100).error().what.find("line 2, column 7"),
            std::string::npos)
      << parse_bounded("{\n \"a\": x}", 100).error().what;
}

TEST(Json, AccessorsNeverThrowOnAnotherType) {
  const Json value = *parse_bounded(
      R"({"s":"x","n":12,"f":12.0,"h":12.5,"big":9223372036854775808,"o":{},"a":[],"b":true})",
      200);
  EXPECT_EQ(get_string(value, "s"), "x");
  EXPECT_EQ(get_string(value, "n"), std::nullopt);
  EXPECT_EQ(get_integer(value, "n"), 12);
  EXPECT_EQ(get_integer(value, "f"), 12);
  EXPECT_EQ(get_integer(value, "h"), std::nullopt);
  EXPECT_EQ(get_integer(value, "big"), std::nullopt);
  EXPECT_EQ(get_integer(value, "s"), std::nullopt);
  EXPECT_EQ(get_bool(value, "b"), true);
  EXPECT_NE(get_object(value, "o"), nullptr);
  EXPECT_EQ(get_object(value, "a"), nullptr);
  EXPECT_NE(get_array(value, "a"), nullptr);
  const Json list = Json::array();
  EXPECT_EQ(get_string(list, "s"), std::nullopt);
  EXPECT_EQ(get_member(list, "s"), nullptr);
}

TEST(Json, DumpReplacesWhatIsNoUtf8AndEscapesNoSlash) {
  OrderedJson value;
  value["b"] = "a/\xff\xc3\xbc";
  value["a"] = 1;
  EXPECT_EQ(dump_safe(value), "{\"b\":\"a/\xEF\xBF\xBD\xc3\xbc\",\"a\":1}");
  EXPECT_EQ(quote_json("x\"\n"), "\"x\\\"\\n\"");
}

TEST(JsonScan, AcceptsWhatTheGrammarAllows) {
  for (const char* good :
       {"{}", " [ ] ", "0", "-0.5e+10", "1e999", "\"\\u0061\\ud800\"",
        "[{\"a\":[]},null,true,false]", "{\"a\":{\"b\":[1,2,{\"c\":\"d\"}]},\"a\":1}",
        "12345678901234567890123456789012345678901234567890"}) {
    EXPECT_TRUE(validate_json(good, 128).ok()) << good;
  }
}

TEST(JsonScan, RefusesWhatTheGrammarForbids) {
  for (const char* bad : {"",           " ",       "{",           "}",      "[1,]",
                          "{\"a\":1,}", "{a:1}",   "{\"a\" 1}",   "[1 2]",  "01",
                          "1.",         ".5",      "+1",          "1e",     "tru",
                          "\"a",        "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "[1]]",
                          "{} {}",      "[}",      "{]",          "'a'",    "\xEF\xBB\xBF{}",
                          "\"\xff\"",   "[,1]",    "{,}",         "nan"}) {
    EXPECT_FALSE(validate_json(bad, 128).ok()) << bad;
  }
}

TEST(JsonScan, DepthIsCountedExactlyAndWithoutRecursion) {
  EXPECT_TRUE(validate_json(nested(128), 128).ok());
  EXPECT_EQ(validate_json(nested(129), 128).error().code, Errc::refused);
  EXPECT_EQ(validate_json(std::string(5000000, '['), 128).error().code, Errc::refused);
  EXPECT_TRUE(validate_json(nested(1000000), 2000000).ok());
}

TEST(JsonScan, MembersAndElementsKeepTheirBytes) {
  const std::string text =
      R"( {"id" : 1e999 , "k\u0065y":{ "x":[1,2 ,{}]} ,"s":"a,}\"]","id":1.0} )";
  const auto members = json_members(text);
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[0].value, "1e999");
  EXPECT_EQ(members[1].key, "key");
  EXPECT_EQ(members[1].value, R"({ "x":[1,2 ,{}]})");
  EXPECT_EQ(members[2].value, R"("a,}\"]")");
  EXPECT_EQ(json_member(text, "id"), "1.0");
  EXPECT_EQ(json_member(text, "none"), "");
  const auto elements = json_elements("[ {\"a\":1} , 2,\"x\" , [3] ]");
  ASSERT_EQ(elements.size(), 4U);
  EXPECT_EQ(elements[0], "{\"a\":1}");
  EXPECT_EQ(elements[3], "[3]");
  EXPECT_TRUE(json_elements("{}").empty());
  EXPECT_TRUE(json_members("[]").empty());
}

TEST(JsonScan, UnescapesPairsAndReplacesLoneSurrogates) {
  EXPECT_EQ(json_unescape(R"("a\n\/\u00fc\ud83d\ude00")"), "a\n/ü😀");
  EXPECT_EQ(json_unescape(R"("\ud83dx\udc88")"), "\xEF\xBF\xBDx\xEF\xBF\xBD");
  EXPECT_EQ(json_unescape("12"), "");
}

TEST(JsonScan, TellsKinds) {
  EXPECT_EQ(json_kind(" {}"), JsonKind::object);
  EXPECT_EQ(json_kind("[]"), JsonKind::array);
  EXPECT_EQ(json_kind("\"\""), JsonKind::string);
  EXPECT_EQ(json_kind("-1"), JsonKind::number);
  EXPECT_EQ(json_kind("true"), JsonKind::boolean);
  EXPECT_EQ(json_kind("null"), JsonKind::null);
}

}  // namespace
}  // namespace robot_council::base
