#include "net/bearer.hpp"

#include <gtest/gtest.h>

namespace robot_council::net {
namespace {

TEST(Bearer, TokenOfAHeader) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bEARER   abc "), "abc");
  for (const char* header :
       {"", "Bearer", "Bearer ", "Basic abc", "Bearerabc", "abc", "Bearer a b", "Bearer a\tb"}) {
    EXPECT_EQ(bearer_token(header), std::nullopt) << header;
  }
}

TEST(Bearer, MatchesTheWholeTokenOnly) {
  EXPECT_TRUE(bearer_matches("Bearer secret", "secret"));
  for (const char* header :
       {"Bearer secre", "Bearer secrets", "Bearer Secret", "Bearer ", "secret", ""}) {
    EXPECT_FALSE(bearer_matches(header, "secret")) << header;
  }
  EXPECT_FALSE(bearer_matches("Bearer ", ""));
  EXPECT_FALSE(bearer_matches("", ""));
}

TEST(Bearer, EqualComparesEveryByte) {
  EXPECT_TRUE(equal_constant_time("", ""));
  EXPECT_TRUE(equal_constant_time(std::string_view("a\0b", 3), std::string_view("a\0b", 3)));
  EXPECT_FALSE(equal_constant_time(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
  EXPECT_FALSE(equal_constant_time("a", "ab"));
}

}  // namespace
}  // namespace robot_council::net
