#include <gtest/gtest.h>

#include "base/files.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

// Statement 3 and the life of a bridge that nobody asks to join.
TEST_F(BridgeTest, NobodyJoinsSoNothingIsCalledAndNoSinkMade) {
  start();
  harness_->handshake();
  EXPECT_EQ(finish(), 0);
  EXPECT_TRUE(fleet_.requests().empty());
  EXPECT_FALSE(base::exists(files().database()));
}

// Statements 39, 54, 55, 57.
TEST_F(BridgeTest, JoinsOffersTheFleetsToolsAndLeaves) {
  start();
  harness_->handshake();
  const std::string text = join();
  EXPECT_EQ(text.find("Joined the fleet as session 41"), 0U) << text;
  EXPECT_NE(text.find("\n\nThe fleet's instructions:\nClaim before work."), std::string::npos);
  const std::vector<std::string> lines = harness_->lines();
  EXPECT_NE(lines.at(lines.size() - 2).find("list_changed"), std::string::npos);
  harness_->request("2", "tools/list");
  const std::string list = harness_->answer("2");
  EXPECT_LT(list.find(R"("name":"leave")"), list.find(R"("name":"role_request")"));
  EXPECT_LT(list.find(R"("name":"role_request")"), list.find(R"("name":"task_list")"));
  EXPECT_EQ(list.find(R"("name":"join")"), std::string::npos);
  harness_->call("3", "task_list");
  EXPECT_EQ(harness_->text_of("3"), "ok");
  harness_->call("4", "leave");
  EXPECT_EQ(harness_->text_of("4"),
            "Left the fleet: session 41 ended, and the fleet releases the tasks and locks it held. "
            "Only `join` is offered now.");
  EXPECT_TRUE(wait_until(
      [&] { return harness_->lines().back().find("list_changed") != std::string::npos; }));
  harness_->call("5", "leave");
  EXPECT_NE(harness_->answer("5").find("-32002"), std::string::npos);
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

TEST_F(BridgeTest, ADirectiveReachesTheSink) {
  start_joined();
  fleet_.directive("rebase");
  EXPECT_TRUE(wait_rows(1));
  EXPECT_EQ(rows().at(0).type, "directive");
  EXPECT_EQ(finish(), 0);
  EXPECT_TRUE(rows().empty());  // cleared at the end of the session
}

}  // namespace
}  // namespace robot_council::test
