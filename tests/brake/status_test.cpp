#include "brake/status.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::write_text;
using test::stop_text;
using test::World;

class StatusTest : public ::testing::Test {
 protected:
  BrakeStatus status() {
    return brake_status({clock_, environment_, log_}, {world_.home}, world_.checkout);
  }

  World world_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  robot_council::test::FakeClock clock_;
};

// 83
TEST_F(StatusTest, NothingWhenNoStopIsOn) {
  EXPECT_FALSE(status().stopped);
  EXPECT_EQ(status().json, "null");
  EXPECT_TRUE(status().lines.empty());
}

TEST_F(StatusTest, LinesAndJsonOfARepositoryStop) {
  write_text(world_.checkout_copy(), stop_text(R"(["cursor"])"));
  write_text(world_.home_copy(), stop_text(R"(["grok"])"));
  const std::vector<std::string> expected = {
      "STOPPED shop: cursor, grok",
      "  reason: wrong branch",
      "  by ana@example.org, 2026-11-30T05:40:12Z (19 min)",
      "  copies: " + world_.checkout_copy() + ", " + world_.home_copy(),
      "  lift: robot-council resume --repo " + world_.checkout,
  };
  EXPECT_EQ(status().lines, expected);
  EXPECT_EQ(status().json,
            R"({"everywhere":false,"fleet":null,"repository":")" + world_.checkout +
                R"(","scope":["cursor","grok"],"reason":"wrong branch","who":"ana@example.org",)"
                R"("when":"2026-11-30T05:40:12Z","copies":[")" +
                world_.checkout_copy() + "\",\"" + world_.home_copy() + "\"],\"readable\":true}");
}

TEST_F(StatusTest, TheMachineAndAnUnreadableFileLead) {
  write_text(world_.checkout_copy(), "broken");
  EXPECT_EQ(status().lines.front(), "STOPPED shop: every agent");
  EXPECT_NE(status().json.find("\"readable\":false"), std::string::npos);
  write_text(everywhere_file(world_.home), stop_text(R"("all")"));
  EXPECT_EQ(status().lines.front(), "STOPPED EVERYWHERE");
  EXPECT_EQ(status().lines.back(), "  lift: robot-council resume --everywhere");
}

}  // namespace
}  // namespace robot_council::brake
