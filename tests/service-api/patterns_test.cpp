#include "service-api/patterns.hpp"

#include <string>

#include <gtest/gtest.h>

#include "service-api/paths.hpp"

namespace robot_council::service_api {
namespace {

TEST(Patterns, RepositoryIsOwnerSlashName) {
  EXPECT_TRUE(is_repository("owner/name"));
  EXPECT_TRUE(is_repository("_o.w-n/.github"));
  EXPECT_FALSE(is_repository("owner"));
  EXPECT_FALSE(is_repository("owner/.."));
  EXPECT_FALSE(is_repository("./name"));
  EXPECT_FALSE(is_repository("-owner/name"));
  EXPECT_FALSE(is_repository("owner/name/more"));
  EXPECT_FALSE(is_repository("owner/"));
  EXPECT_FALSE(is_repository("owner/name\n"));
  EXPECT_TRUE(is_repository("o/" + std::string(138, 'x')));
  EXPECT_FALSE(is_repository("o/" + std::string(139, 'x')));
}

TEST(Patterns, WorkLocationIsALabelNotAPath) {
  EXPECT_TRUE(is_work_location("main-2"));
  EXPECT_TRUE(is_work_location(".a"));
  EXPECT_FALSE(is_work_location("..."));
  EXPECT_FALSE(is_work_location("Main"));
  EXPECT_FALSE(is_work_location("-a"));
  EXPECT_FALSE(is_work_location("a/b"));
  EXPECT_TRUE(is_work_location(std::string(32, 'a')));
  EXPECT_FALSE(is_work_location(std::string(33, 'a')));
}

TEST(Patterns, BranchRefusesWhatGitRefuses) {
  EXPECT_TRUE(is_branch("feature/a-b_c.d"));
  for (const char* bad : {"", "-a", ".a", "/a", "a.", "a/", "a..b", "a//b", "a b"}) {
    EXPECT_FALSE(is_branch(bad)) << bad;
  }
  EXPECT_FALSE(is_branch(std::string(201, 'a')));
}

TEST(Patterns, IssueIsNeverBare) {
  EXPECT_TRUE(is_issue("owner/name#12"));
  EXPECT_FALSE(is_issue("#12"));
  EXPECT_FALSE(is_issue("owner/name#"));
  EXPECT_FALSE(is_issue("owner/name#1a"));
}

TEST(Patterns, ShortFields) {
  EXPECT_TRUE(is_harness("claude"));
  EXPECT_FALSE(is_harness("Claude"));
  EXPECT_FALSE(is_harness(std::string(33, 'a')));
  EXPECT_TRUE(is_machine_label("my.host_1"));
  EXPECT_FALSE(is_machine_label("my host"));
  EXPECT_TRUE(is_os_family("Linux"));
  EXPECT_FALSE(is_os_family("linux"));
  EXPECT_TRUE(is_arch("x86_64"));
  EXPECT_FALSE(is_arch("_x"));
  EXPECT_TRUE(is_sub_label("part-2"));
  EXPECT_FALSE(is_sub_label(".part"));
  EXPECT_TRUE(is_project_id("o/n/loc"));
  EXPECT_FALSE(is_project_id("o n"));
  EXPECT_TRUE(is_lock_name("a:b/c.d-e"));
  EXPECT_FALSE(is_lock_name(std::string(192, 'a')));
  EXPECT_TRUE(is_code_challenge(std::string(64, 'a')));
  EXPECT_FALSE(is_code_challenge(std::string(64, 'A')));
  EXPECT_FALSE(is_token("a\nb"));
  EXPECT_TRUE(is_token("1|abc"));
}

TEST(Patterns, TypedUserCodeIsReadInUpperCaseWithoutTheRest) {
  EXPECT_EQ(normal_user_code("bcdf-ghjk"), "BCDFGHJK");
  EXPECT_EQ(normal_user_code(" BCDF 1 ghjk\n"), "BCDFGHJK");
}

TEST(Paths, Built) {
  EXPECT_EQ(path::session_renew(7), "/robot-council/api/sessions/7/renew");
  EXPECT_EQ(path::task_action(7, "claim"), "/robot-council/api/tasks/7/claim");
  EXPECT_EQ(path::operator_enrolment("BCDFGHJK", "approve"),
            "/robot-council/api/operator/enrolments/BCDFGHJK/approve");
  EXPECT_EQ(path::operator_session(3, "role/deny"),
            "/robot-council/api/operator/sessions/3/role/deny");
}

}  // namespace
}  // namespace robot_council::service_api
