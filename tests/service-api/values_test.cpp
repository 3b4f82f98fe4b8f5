#include "service-api/values.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/json_value.hpp"
#include "service-api/errors.hpp"
#include "service-api/limits.hpp"

namespace robot_council::service_api {
namespace {

// An object of `depth` levels.
std::string nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += "{\"a\":";
  }
  text += "1";
  return text + std::string(static_cast<std::size_t>(depth), '}');
}

TEST(Values, TwelveIsTwelveInEverySpelling) {
  EXPECT_EQ(integer_of(base::Json(12)), 12);
  EXPECT_EQ(integer_of(base::Json(12.0)), 12);
  EXPECT_EQ(integer_of(base::Json("12")), 12);
  EXPECT_EQ(integer_of(std::string_view("12.0")), 12);
  EXPECT_EQ(integer_of(std::string_view("-3")), -3);
  EXPECT_FALSE(integer_of(base::Json(1.5)));
  EXPECT_FALSE(integer_of(base::Json(true)));
  EXPECT_FALSE(integer_of(base::Json("")));
  EXPECT_FALSE(integer_of(base::Json("12a")));
  EXPECT_FALSE(integer_of(std::string_view("12.")));
}

TEST(Values, PathIdIsOneToEighteenDigits) {
  EXPECT_EQ(parse_path_id("7"), 7);
  EXPECT_EQ(parse_path_id("999999999999999999"), 999999999999999999);
  EXPECT_FALSE(parse_path_id("1000000000000000000"));
  EXPECT_FALSE(parse_path_id("abc"));
  EXPECT_FALSE(parse_path_id(""));
  EXPECT_FALSE(parse_path_id("-1"));
}

TEST(Values, IdsAreSortedWithoutDuplicates) {
  EXPECT_EQ(sorted_ids({3, 1, 3, 2}), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(Values, FreeObjectOf4096BytesIsTakenAnd4097AreNot) {
  const std::string frame = R"({"a":""})";
  const std::string fits = R"({"a":")" + std::string(kMaxJsonBytes - frame.size(), 'x') + R"("})";
  const std::string over =
      R"({"a":")" + std::string(kMaxJsonBytes - frame.size() + 1, 'x') + R"("})";
  EXPECT_TRUE(check_free_object(fits));
  EXPECT_FALSE(check_free_object(over));
  EXPECT_TRUE(check_free_object("  { \"a\" : 1 }  "));
}

TEST(Values, SizeCountsEscapesAsTheServiceSpellsThem) {
  EXPECT_EQ(compact_size("{ \"a\" : \"/\" }"), std::string(R"({"a":"\/"})").size());
  EXPECT_EQ(compact_size("\"\xC3\xA9\""), std::string(R"("\u00e9")").size());
  EXPECT_EQ(compact_size("\"\xF0\x9F\x98\x80\""), std::string(R"("\ud83d\ude00")").size());
  EXPECT_EQ(compact_size(R"("\u00e9\n")"), std::string(R"("\u00e9\n")").size());
}

TEST(Values, NestingOf8IsTakenAnd9IsNot) {
  EXPECT_TRUE(check_free_object(nested(8)));
  EXPECT_FALSE(check_free_object(nested(9)));
}

TEST(Values, OnlyObjects) {
  EXPECT_FALSE(check_free_object("[1]"));
  EXPECT_FALSE(check_free_object("\"x\""));
  EXPECT_TRUE(check_free_object("[]"));
  EXPECT_TRUE(is_empty_container("{ }"));
  EXPECT_FALSE(is_empty_container("{\"a\":1}"));
}

TEST(Values, BlanksGoAndEverythingElseStays) {
  EXPECT_EQ(without_blanks("{ \"b\" : 1.0 , \"a\" : \"x  \\\" y\" }"),
            "{\"b\":1.0,\"a\":\"x  \\\" y\"}");
}

TEST(Errors, ValidationBodyNamesTheFirstAndCountsTheRest) {
  EXPECT_EQ(
      validation_body({{"limit", "The limit must be an integer."}}),
      R"({"message":"The limit must be an integer.","errors":{"limit":["The limit must be an integer."]}})");
  EXPECT_EQ(validation_message({{"a", "A."}, {"b", "B."}}), "A. (and 1 more error)");
  EXPECT_EQ(validation_message({{"a", "A."}, {"b", "B."}, {"c", "C."}}), "A. (and 2 more errors)");
  EXPECT_EQ(grant_error_body("invalid_grant"), R"({"error":"invalid_grant"})");
}

}  // namespace
}  // namespace robot_council::service_api
