// The join and the local tools.

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "bridge/join_request.hpp"
#include "bridge/place.hpp"
#include "bridge/summary.hpp"
#include "bridge/texts.hpp"
#include "bridge/tools_list.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

namespace text = bridge::text;
using bridge::CapacityAnswer;
using bridge::RoleAnswer;
using JoinTest = BridgeTest;

// 39
TEST_F(JoinTest, BeforeInitializedTheListChangesOnlyThen) {
  start();
  join();
  EXPECT_EQ(harness_->count("list_changed"), 0U);
  harness_->handshake();
  EXPECT_EQ(harness_->count("list_changed"), 1U);
}

// 40
TEST_F(JoinTest, AFailureIsToldToBothAndNothingChanges) {
  fleet_.on("POST sessions", FleetReply{503, "busy", {}});
  start();
  harness_->handshake();
  EXPECT_EQ(join(), "Could not join the fleet: The service refused to start a session (HTTP 503).");
  EXPECT_NE(harness_->answer("\"join\"").find(R"("isError":true)"), std::string::npos);
  EXPECT_EQ(
      times_said("Could not join the fleet: The service refused to start a session (HTTP 503)."),
      1U);
  EXPECT_EQ(harness_->count("list_changed"), 1U);
  harness_->request("2", "tools/list");
  EXPECT_NE(harness_->answer("2").find(R"("name":"join")"), std::string::npos);
  EXPECT_EQ(fleet_.count("POST sessions"), 1U);
}

TEST_F(JoinTest, AnUnusableOrUnreachableStartIsToldApart) {
  fleet_.on("POST sessions", FleetReply{201, R"({"session_id":5})", {}});
  start();
  EXPECT_EQ(
      join(),
      "Could not join the fleet: The service started a session but did not describe it usably.");
  fleet_.on("POST sessions", FleetReply{0, "", {}, true, false, false});
  harness_->call("2", "join");
  EXPECT_EQ(harness_->text_of("2"), "Could not join the fleet: The fleet could not be reached.");
}

// 41, 43 (through the wire)
TEST_F(JoinTest, WrongArgumentsAreRefusedWithoutACall) {
  start();
  int id = 10;
  const auto answer = [&](const std::string& arguments) {
    const std::string name = std::to_string(++id);
    harness_->call(name, "join", arguments);
    return harness_->text_of(name);
  };
  EXPECT_EQ(answer(R"({"role":5})"), "The role must be one of: build, ci, coordinator.");
  EXPECT_EQ(answer(R"({"role":"boss"})"),
            "There is no role called boss. Roles are: build, ci, coordinator.");
  EXPECT_EQ(answer(R"({"capacity":0})"), std::string(text::kCapacityArgument));
  EXPECT_TRUE(fleet_.requests().empty());
}

// 43
TEST(JoinRequest, CapacitiesThatPassAndThatDoNot) {
  for (const char* good : {"2", "\"2\"", "2.0", "20e-1"}) {
    EXPECT_EQ(bridge::capacity_of_json(good), 2) << good;
  }
  for (const char* bad :
       {"0", "-1", "\"0\"", "1.5", "\"3x\"", "\"03\"", "[3]", "true", "\"\"", "1e999"}) {
    EXPECT_FALSE(bridge::capacity_of_json(bad)) << bad;
  }
  EXPECT_FALSE(bridge::join_arguments(R"({"capacity":null})")->capacity);
  EXPECT_FALSE(bridge::join_arguments(R"({"role":"  ","repository":5,"work_location":" "})")->role);
}

// 42
TEST_F(JoinTest, ASecondJoinIsRefused) {
  start_joined();
  harness_->call("2", "join");
  EXPECT_EQ(harness_->text_of("2"),
            "This bridge has already joined the fleet, as session 41. Nothing was changed; the "
            "session it holds stays open.");
  EXPECT_EQ(fleet_.count("POST sessions"), 1U);
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 0U);
}

// 44
TEST_F(JoinTest, ArgumentsBeatOptionsAndOptionsTheCheckout) {
  write_text(dir_ / "work/.git/HEAD", "ref: refs/heads/main\n");
  write_text(dir_ / "work/.git/config",
             "[remote \"origin\"]\n\turl = git@github.com:from/checkout.git\n");
  ASSERT_EQ(::mkdir((dir_ / "work/.git/objects").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((dir_ / "work/.git/refs").c_str(), 0700), 0);
  options_.repository = "from/option";
  start();
  EXPECT_NE(join(R"({"work_location":"0","capacity":2})").find("working in from/option at 0."),
            std::string::npos);
  const std::string body = fleet_.requests("POST sessions").at(0).body;
  EXPECT_EQ(
      body.find(
          R"({"repository":"from/option","work_location":"0","capacity":2,"platform":{"os_family":"Linux","arch":)"),
      0U)
      << body;
  harness_->call("2", "leave");
  harness_->text_of("2");
  harness_->call("3", "join", R"({"repository":"from/argument","work_location":"..."})");
  EXPECT_NE(
      harness_->text_of("3").find(
          "working in from/argument. The fleet's tools are available now. The work location ... is "
          "not a shape the fleet accepts, so it was left unset."),
      std::string::npos)
      << harness_->text_of("3");
}
TEST_F(JoinTest, TheCheckoutTellsRepositoryAndPlace) {
  write_text(dir_ / "work/.git/HEAD", "ref: refs/heads/main\n");
  write_text(dir_ / "work/.git/config",
             "[core]\n[remote \"origin\"]\n\turl = https://github.com/from/checkout.git\n");
  ASSERT_EQ(::mkdir((dir_ / "work/.git/objects").c_str(), 0700), 0);
  ASSERT_EQ(::mkdir((dir_ / "work/.git/refs").c_str(), 0700), 0);
  start();
  EXPECT_NE(join().find("working in from/checkout at primary."), std::string::npos);
}

// 45, 46
TEST(Place, RemotesOfOneRepositoryGiveOneName) {
  for (const char* remote :
       {"git@github.com:Own/Na.me.git", "https://github.com/Own/Na.me",
        "ssh://git@github.com:22/Own/Na.me.git", "https://user:pw@www.GitHub.com/Own/Na.me.git/",
        "github.com:Own/Na.me"}) {
    EXPECT_EQ(bridge::repository_of_remote(remote), "Own/Na.me") << remote;
  }
  for (const char* remote :
       {"https://gitlab.com/own/name", "git@example.org:own/name", "https://github.com/own",
        "/srv/own/name", "https://github.com/own/name/more", "https://github.com/./..", "",
        "https://github.com.evil.org/a/b"}) {
    EXPECT_FALSE(bridge::repository_of_remote(remote)) << remote;
  }
}
TEST(Place, LocationsAreReduced) {
  EXPECT_EQ(bridge::reduced_location("Feature-A"), "feature-a");
  EXPECT_EQ(bridge::reduced_location("-wip"), "wip");
  EXPECT_EQ(bridge::reduced_location("0"), "0");
  EXPECT_EQ(bridge::reduced_location(std::string(40, 'a')), std::string(32, 'a'));
  EXPECT_FALSE(bridge::reduced_location("..."));
  EXPECT_FALSE(bridge::reduced_location("- /"));
}
TEST(Place, PlatformsHaveTheWordsOfTheFleet) {
  EXPECT_EQ(bridge::platform_of("FreeBSD", "amd64").os_family, "BSD");
  EXPECT_EQ(bridge::platform_of("SunOS", "i86pc").os_family, "Solaris");
  EXPECT_EQ(bridge::platform_of("Plan9", "x").os_family, "Unknown");
  EXPECT_EQ(bridge::platform_of("Linux", "X86_64").arch, "x86_64");
  EXPECT_EQ(bridge::platform_of("Linux", "_bad arch").arch, "");
}

// 47
TEST_F(JoinTest, ARefusedPlatformIsLeftOutOnce) {
  fleet_.once("POST sessions",
              FleetReply{422, R"({"message":"x","errors":{"platform.arch":["bad"]}})", {}});
  start();
  EXPECT_NE(join().find("Joined"), std::string::npos);
  const std::vector<FleetRequest> starts = fleet_.requests("POST sessions");
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_NE(starts.at(0).body.find("platform"), std::string::npos);
  EXPECT_EQ(starts.at(1).body.find("platform"), std::string::npos);
}
TEST_F(JoinTest, AnotherRefusedFieldIsNotRepeated) {
  fleet_.once("POST sessions",
              FleetReply{422, R"({"message":"x","errors":{"platform_x":["bad"]}})", {}});
  start();
  EXPECT_EQ(join(), "Could not join the fleet: The service refused to start a session (HTTP 422).");
  EXPECT_EQ(fleet_.count("POST sessions"), 1U);
}

// 48
TEST(Summary, RoleNotes) {
  RoleAnswer role;
  EXPECT_EQ(bridge::role_note(role, "It"), "");
  role.asked = true;
  role.wanted = "ci";
  EXPECT_EQ(bridge::role_note(role, "It"),
            "It joined as build: asking for ci failed. The fleet could not be reached.");
  role.status = 429;
  role.message = "Slow down.";
  EXPECT_EQ(bridge::role_note(role, "It"),
            "It joined as build: asking for ci failed. The service refused the role request (HTTP "
            "429). Slow down.");
  role.status = 202;
  role.pending = true;
  EXPECT_EQ(bridge::role_note(role, "It"),
            "It asked for the ci role; an administrator decides, and until then it holds build's "
            "abilities.");
  role.held = "coordinator";
  EXPECT_EQ(bridge::role_note(role, "This session"),
            "This session asked for the ci role; an administrator decides, and until then it holds "
            "coordinator's abilities.");
  role.pending = false;
  EXPECT_EQ(bridge::role_note(role, "It"),
            "It asked for the ci role, and the fleet recorded no request; it holds coordinator.");
  role.held = "";
  EXPECT_EQ(
      bridge::role_note(role, "It"),
      "It asked for the ci role, and the fleet recorded no request; it holds an unknown role.");
  role.held = "ci";
  EXPECT_EQ(bridge::role_note(role, "It"), "It holds the ci role already.");
}

// 49
TEST(Summary, CapacityNotes) {
  EXPECT_EQ(bridge::capacity_note({std::nullopt, 3, 3}), "");
  EXPECT_EQ(bridge::capacity_note({2, std::nullopt, std::nullopt}),
            "It declared a capacity of 2, and the fleet reported none, so it may not support "
            "capacity; plan on one task at a time.");
  EXPECT_EQ(bridge::capacity_note({1, 1, 1}), "It holds up to 1 task at once.");
  EXPECT_EQ(bridge::capacity_note({2, 2, 2}), "It holds up to 2 tasks at once.");
  EXPECT_EQ(bridge::capacity_note({99, 16, 16}),
            "It declared a capacity of 99; the fleet takes at most 16, so it holds up to 16 tasks "
            "at once.");
  EXPECT_EQ(
      bridge::capacity_note({4, 1, 4}),
      "It declared a capacity of 4; its seat caps it at 1, so it holds up to 1 task at once.");
  EXPECT_EQ(bridge::capacity_note({99, 2, 16}),
            "It declared a capacity of 99; the fleet takes at most 16, and its seat caps it at 2, "
            "so it holds up to 2 tasks at once.");
}

// 50
TEST_F(JoinTest, ASinkThatCannotBeOpenedEndsTheSessionAgain) {
  write_text(files().folder + "/" + files().key + ".db/in-the-way", "x");
  start();
  const std::string answer = join();
  EXPECT_EQ(answer.find("Could not join the fleet: "), 0U);
  EXPECT_NE(answer.find(". The session that had started was ended."), std::string::npos) << answer;
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
  finish();
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
}

// 51
TEST_F(JoinTest, CodexIsToldThatItReadsTheListOnce) {
  start();
  EXPECT_EQ(join().find("This client reads the tool list once"), std::string::npos);
  harness_->handshake();
  harness_->call("2", "leave");
  harness_->text_of("2");
  harness_->call("3", "join");
  EXPECT_NE(harness_->text_of("3").find(
                " This client reads the tool list once: start it with --auto-join"),
            std::string::npos);
}

// 52
TEST_F(JoinTest, AFleetWithoutCoordinatorIsToldOnce) {
  fleet_.on("GET agent/session", FleetReply{200, R"({"fleet_can_direct":false})", {}});
  start_joined();
  EXPECT_EQ(times_said(std::string(text::kNoCoordinator)), 1U);
}
TEST_F(JoinTest, AFleetThatDoesNotTellIsNotTalkedAbout) {
  fleet_.on("GET agent/session", FleetReply{500, R"({"fleet_can_direct":false})", {}});
  start_joined();
  EXPECT_FALSE(said("coordinator"));
}

// 58
TEST_F(JoinTest, AJoinAfterALeaveIsAFreshSession) {
  start_joined();
  harness_->call("2", "leave");
  harness_->text_of("2");
  harness_->call("3", "join");
  EXPECT_EQ(harness_->text_of("3").find("Joined the fleet as session 42"), 0U);
  const std::vector<FleetRequest> all = fleet_.requests();
  std::vector<std::string> lifecycle;
  for (const FleetRequest& request : all) {
    if (request.path.rfind("sessions", 0) == 0) {
      lifecycle.push_back(request.key());
    }
  }
  EXPECT_EQ(lifecycle,
            (std::vector<std::string>{"POST sessions", "DELETE sessions/41", "POST sessions"}));
  finish();
  EXPECT_EQ(fleet_.count("DELETE sessions/41"), 1U);
  EXPECT_EQ(fleet_.count("DELETE sessions/42"), 1U);
}

// 59
TEST_F(JoinTest, ALeaveGivesCallsBeforeItAWhile) {
  options_.timings.leave_wait = base::Milliseconds(300);
  start_joined();
  fleet_.on("POST mcp", FleetReply{200, "", {}, false, true, false});
  harness_->call("2", "task_list");
  ASSERT_TRUE(fleet_.wait_for("POST mcp", 2));
  harness_->call("3", "leave");
  EXPECT_NE(harness_->answer("2").find("The session was left before the service answered."),
            std::string::npos);
  EXPECT_EQ(harness_->text_of("3").find("Left the fleet"), 0U);
}

// 60
TEST_F(JoinTest, ARoleRequestTellsWhatCameOfIt) {
  start_joined();
  harness_->call("2", "role_request", R"({"role":"coordinator"})");
  EXPECT_EQ(harness_->text_of("2"),
            "This session asked for the coordinator role; an administrator decides, and until then "
            "it holds build's abilities.");
  fleet_.on("POST agent/role",
            FleetReply{200, R"({"pending":false,"requested_role":null,"role":"ci"})", {}});
  harness_->call("3", "role_request", R"({"role":"ci"})");
  EXPECT_EQ(harness_->text_of("3"), "This session holds the ci role already.");
  harness_->call("4", "role_request", R"({"role":"coordinator"})");
  EXPECT_EQ(harness_->text_of("4"),
            "This session asked for the coordinator role, and the fleet recorded no request; it "
            "holds ci.");
  fleet_.on("POST agent/role", FleetReply{429, R"({"message":"Too many."})", {}});
  harness_->call("5", "role_request", R"({"role":"ci"})");
  EXPECT_EQ(harness_->text_of("5"), "The service refused the role request (HTTP 429). Too many.");
  EXPECT_NE(harness_->answer("5").find(R"("isError":true)"), std::string::npos);
  harness_->call("6", "role_request", R"({})");
  EXPECT_EQ(harness_->text_of("6"), "The role must be one of: build, ci, coordinator.");
}

std::string tool(const std::string& name) {
  return R"({"name":")" + name + R"(","inputSchema":{"type":"object"}})";
}

FleetReply page_reply(const FleetRequest& request, const std::string& tools,
                      const std::string& next) {
  return {200,
          R"({"jsonrpc":"2.0","id":)" + std::string(base::json_member(request.body, "id")) +
              R"(,"result":{"tools":[)" + tools + "]" +
              (next.empty() ? "" : R"(,"nextCursor":)" + next) + "}}",
          {}};
}

// 61, 64, 65, case M10
TEST_F(JoinTest, ThreePagesBecomeOneAnswer) {
  start_joined();
  const std::string odd = R"({"name":"c","x":1.0,"e":{},"s":"\/","inputSchema":{"type":"object"}})";
  fleet_.on("POST mcp", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    if (request.body.find("\"cursor\":\"p2\"") != std::string::npos) {
      return page_reply(request, tool("b") + R"(,{"name":"bad"})" + "," + tool("leave"),
                        R"("p\u0033")");
    }
    if (request.body.find(R"("cursor":"p\u0033")") != std::string::npos) {
      return page_reply(request, odd, "");
    }
    return page_reply(request, tool("a"), "\"p2\"");
  });
  const std::size_t before = fleet_.count("POST mcp");
  harness_->request("\"L\"", "tools/list", R"({"_meta":{"x":1}})");
  const std::string list = harness_->answer("\"L\"");
  EXPECT_EQ(list, R"({"jsonrpc":"2.0","id":"L","result":{"tools":[)" + bridge::leave_tool() + "," +
                      bridge::role_request_tool() + "," + tool("a") + "," + tool("b") + "," + odd +
                      "]}}");
  EXPECT_EQ(fleet_.count("POST mcp") - before, 3U);
  harness_->request("\"M\"", "tools/list");
  EXPECT_NE(harness_->answer("\"M\""), "");
  EXPECT_EQ(times_said("The fleet's tool bad has no usable schema and was left out of the list."),
            1U);
  // 62
  harness_->request("\"N\"", "tools/list", R"({"cursor":"p2"})");
  const std::string one = harness_->answer("\"N\"");
  EXPECT_NE(one.find(R"("nextCursor":"p\u0033")"), std::string::npos);
  EXPECT_EQ(one.find("role_request"), std::string::npos);
}

// 63
TEST_F(JoinTest, PagesThatDoNotEndGiveTheFirstPage) {
  start_joined();
  fleet_.on("POST mcp", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    return page_reply(request, tool("a"), "\"same\"");
  });
  harness_->request("2", "tools/list");
  EXPECT_NE(harness_->answer("2").find(tool("a") + R"(],"nextCursor":"same"}})"),
            std::string::npos);
  std::atomic<int> page{0};
  fleet_.on("POST mcp", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    const std::string number = std::to_string(page++);
    return page_reply(request, tool("t" + number), "\"c" + number + "\"");
  });
  harness_->request("3", "tools/list");
  EXPECT_NE(harness_->answer("3").find(tool("t0") + R"(],"nextCursor":"c0"}})"), std::string::npos);
  EXPECT_EQ(page, 10);
  fleet_.on("POST mcp", [&](const FleetRequest& request) -> std::optional<FleetReply> {
    if (request.body.find("cursor") != std::string::npos) {
      return FleetReply{200, "not json", {}};
    }
    return page_reply(request, tool("a"), "\"two\"");
  });
  harness_->request("4", "tools/list");
  EXPECT_NE(harness_->answer("4").find(tool("a") + R"(],"nextCursor":"two"}})"), std::string::npos);
}

// 56, 57, 99 in part
TEST_F(JoinTest, LeavingClearsWhatTheSessionLeftUnread) {
  start_joined();
  fleet_.directive();
  ASSERT_TRUE(wait_rows(1));
  harness_->call("2", "leave");
  harness_->text_of("2");
  EXPECT_TRUE(rows().empty());
}

}  // namespace
}  // namespace robot_council::test
