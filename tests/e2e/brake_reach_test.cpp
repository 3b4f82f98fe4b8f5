// What a stop does to the rest of the product, with the real service, bridge, hook and commands:
// events are kept, tool calls of the bridge refused, and after `resume` all goes on where it was.

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/e2e/brake_world.hpp"

namespace robot_council {
namespace {

using base::Milliseconds;
using test::brake_program;
using test::BrakeWorld;
using test::Pty;
using test::Ran;
using test::read_text;

class BrakeReach : public ::testing::Test {
 protected:
  void SetUp() override {
    serve_ = start(
        {brake_program(), "serve", "--listen", "127.0.0.1:0", "--data", data_, "--auto-approve"},
        base::Stdio::null);
    ASSERT_TRUE(test::wait_until([this] { return base::exists(data_ + "/service.url"); }));
    seat_["ROBOT_COUNCIL_SERVICE"] = base::trim(read_text(data_ + "/service.url"));
    seat_["ROBOT_COUNCIL_HARNESS"] = "claude";
    const Ran enrolled = world_.council(
        {"enroll", "--local", "--data", data_, "--harness=claude", "--credential-store=file"});
    ASSERT_EQ(enrolled.code, 0) << enrolled.err;
    bridge_ = start({brake_program(), "mcp"}, base::Stdio::pipe);
    ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}})",
        "\"id\":1,");
    say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    const std::string joined = call(2, "join");
    ASSERT_EQ(joined.find("\"isError\":true"), std::string::npos) << joined;
  }

  std::optional<base::Child> start(const std::vector<std::string>& argv, base::Stdio streams) {
    base::ChildOptions options;
    options.argv = world_.as_user(argv);
    for (const auto& [name, value] : world_.environment(seat_)) {
      options.environment.push_back(name + "=" + value);
    }
    options.directory = world_.repo;
    options.standard_in = streams;
    options.standard_out = streams;
    options.standard_err = base::Stdio::null;
    base::Result<base::Child> child = base::Child::start(options);
    EXPECT_TRUE(child.ok());
    return child.ok() ? std::optional<base::Child>(std::move(child).value()) : std::nullopt;
  }

  void say(const std::string& line) {
    EXPECT_TRUE(base::write_all(bridge_->standard_in.get(), line + "\n", test::in_time()).ok());
  }
  // Says a line, and waits for the answer with this text in it.
  std::string ask(const std::string& line, const std::string& with) {
    say(line);
    const base::SteadyTime deadline = test::in_time();
    while (true) {
      for (std::size_t end = heard_.find('\n'); end != std::string::npos; end = heard_.find('\n')) {
        const std::string one = heard_.substr(0, end);
        heard_.erase(0, end + 1);
        notices_ += one.find("claude/channel\"") != std::string::npos &&
                            one.find("\"method\"") != std::string::npos
                        ? 1
                        : 0;
        if (one.find(with) != std::string::npos) {
          return one;
        }
      }
      const base::Result<base::Ready> ready =
          base::wait_readable(bridge_->standard_out.get(), deadline);
      std::string block(65536, '\0');
      const base::Result<std::size_t> got =
          ready.ok() && ready.value() != base::Ready::timeout
              ? base::read_some(bridge_->standard_out.get(), block)
              : base::Result<std::size_t>(std::size_t{0});
      if (!got.ok() || got.value() == 0) {
        ADD_FAILURE() << "no answer with " << with;
        return {};
      }
      heard_.append(block, 0, got.value());
    }
  }
  std::string call(int id, const std::string& tool) {
    const std::string number = std::to_string(id);
    return ask(R"({"jsonrpc":"2.0","id":)" + number +
                   R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":{}}})",
               "\"id\":" + number);
  }
  void direct(const std::string& text) {
    const Ran ran = world_.council({"fleet", "direct", "--data", data_, text});
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_TRUE(test::wait_until([&] { return peek().find(text) != std::string::npos; }))
        << "not stored: " << text;
  }
  [[nodiscard]] std::string peek() const {
    return world_.council({"pending", "--peek"}, seat_).out;
  }
  [[nodiscard]] Ran turn_end() const {
    return world_.council(
        {"pending", "--hook"}, seat_,
        R"({"session_id":"s1","cwd":")" + world_.repo +
            R"(","prompt_id":"p1","hook_event_name":"Stop","stop_hook_active":false})");
  }

  BrakeWorld world_;
  std::string data_ = world_.folder / "fleet";
  BrakeWorld::Environment seat_;
  std::optional<base::Child> serve_;
  std::optional<base::Child> bridge_;
  std::string heard_;
  int notices_ = 0;
};

// 85, 86
TEST_F(BrakeReach, EventsAreKeptCallsRefusedAndAllGoesOnAfterResume) {
  EXPECT_EQ(call(3, "task_list").find("\"isError\":true"), std::string::npos);
  EXPECT_EQ(world_.council({"stop", "--reason", "wrong branch"}).code, 0);
  for (const char* tool : {"task_list", "leave", "join"}) {
    const std::string refused = call(10, tool);
    EXPECT_NE(refused.find(R"("code":-32000,"message":"stopped: wrong branch -- do not retry)"),
              std::string::npos)
        << tool << refused;
  }
  direct("first under the stop");
  direct("second under the stop");
  const Ran held = turn_end();
  EXPECT_EQ(held.code, 0);
  EXPECT_EQ(held.out, "");
  EXPECT_NE(held.err.find("stopped; 2 events kept"), std::string::npos) << held.err;
  EXPECT_EQ(notices_, 0) << "no notice under a stop";
  EXPECT_EQ(peek().find("stopped"), std::string::npos) << "no row is about a stop: " << peek();

  Pty terminal(world_.as_user({brake_program(), "resume"}), world_.environment(), world_.repo);
  ASSERT_TRUE(terminal.expect("to lift it")) << terminal.screen();
  terminal.type("shop\n");
  EXPECT_EQ(terminal.finish(), 0) << terminal.screen();

  EXPECT_EQ(call(20, "task_list").find("-32000"), std::string::npos);
  const Ran handed = turn_end();
  const std::size_t first = handed.out.find("first under the stop");
  const std::size_t second = handed.out.find("second under the stop");
  EXPECT_NE(first, std::string::npos) << handed.out << handed.err;
  EXPECT_NE(second, std::string::npos);
  EXPECT_LT(first, second) << "in order";
  EXPECT_EQ(handed.out.find("[repeat]"), std::string::npos) << "as new";
  EXPECT_NE(world_.log().find(R"("surface":"bridge")"), std::string::npos);
  EXPECT_NE(world_.log().find("mcp:join"), std::string::npos);
}

// A stop of one client holds the seat of that harness, and no other's.
TEST_F(BrakeReach, AStopOfOneClientHoldsItsSeatOnly) {
  EXPECT_EQ(world_.council({"stop", "--agent", "codex_cli"}).code, 0);
  EXPECT_EQ(call(3, "task_list").find("-32000"), std::string::npos);
  direct("for claude");
  EXPECT_NE(turn_end().out.find("for claude"), std::string::npos);
  EXPECT_EQ(world_.council({"stop", "--agent", "claude_code"}).code, 0);
  EXPECT_NE(call(4, "task_list").find("-32000"), std::string::npos);
}

// 87: the stop log goes on; none of its lines, and no row, is about a stop
TEST_F(BrakeReach, TurnEndsAreRecordedUnderAStop) {
  test::write_text(world_.home + "/.robot-council/stop.yaml",
                   read_text(test::source_file("resources/policy/stop.yaml")));
  world_.settle();
  EXPECT_EQ(world_.council({"stop", "--reason", "wrong branch"}).code, 0);
  BrakeWorld::Environment attended = seat_;
  attended["CLAUDE_CODE_SESSION_ATTENDED"] = "1";
  const Ran ran = world_.council(
      {"stops", "record"}, attended,
      R"({"session_id":"s1","transcript_path":"/t.jsonl","cwd":")" + world_.repo +
          R"(","prompt_id":"p1","permission_mode":"default","hook_event_name":"Stop",)"
          R"("stop_hook_active":false,"last_assistant_message":"Shall I go on?",)"
          R"("background_tasks":[],"session_crons":[]})");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  const std::string log = read_text(world_.home + "/.local/state/robot-council/stops/stops.jsonl");
  EXPECT_EQ(base::split(base::trim(log), '\n').size(), 1U) << log;
  EXPECT_NE(log.find("\"s1\""), std::string::npos) << log;
  EXPECT_EQ(log.find("stopped:"), std::string::npos) << log;
  EXPECT_EQ(log.find("wrong branch"), std::string::npos) << log;
  EXPECT_EQ(peek().find("stop"), std::string::npos) << peek();
}

class BrakeSaid : public ::testing::Test {
 protected:
  [[nodiscard]] std::string last_line() const {
    const std::vector<std::string> lines = base::split(base::trim(world_.log()), '\n');
    return lines.empty() ? std::string() : lines.back();
  }
  BrakeWorld world_;
};

// 82
TEST_F(BrakeSaid, TheMachinesStopNamesARepositoryOnlyFromWithinOne) {
  EXPECT_EQ(world_.council({"stop", "--everywhere"}, {}, "", world_.home).code, 0);
  EXPECT_NE(last_line().find(R"("event":"repo_stop")"), std::string::npos) << last_line();
  EXPECT_NE(last_line().find(R"("everywhere":true)"), std::string::npos) << last_line();
  EXPECT_EQ(last_line().find(R"("repo":"/)"), std::string::npos) << last_line();
  EXPECT_EQ(world_.council({"stop", "--everywhere"}).code, 0);
  EXPECT_NE(last_line().find(R"("everywhere":true)"), std::string::npos);
  EXPECT_NE(last_line().find("\"repo\":\"" + world_.repo + "\""), std::string::npos) << last_line();
  EXPECT_EQ(world_.council({"stop"}).code, 0);
  EXPECT_EQ(last_line().find("everywhere"), std::string::npos) << last_line();
}

// 82: a log that cannot be written changes no verdict, nor is it waited for
TEST_F(BrakeSaid, ALogThatCannotBeWrittenChangesNoVerdict) {
  const std::string folder = world_.home + "/.local/state/robot-council";
  for (const char* obstacle : {"mkdir -p \"$0/decisions.jsonl\"", "mkfifo \"$0/decisions.jsonl\"",
                               "ln -s /nowhere/x \"$0/decisions.jsonl\"", "chmod 000 \"$0\""}) {
    const Ran made = world_.command(
        {"/bin/sh", "-c",
         std::string("chmod 700 \"$0\" 2>/dev/null; rm -rf \"$0\"; mkdir -p \"$0\" && ") + obstacle,
         folder});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(world_.check().code, 0) << obstacle;
    EXPECT_EQ(world_.council({"stop", "--reason", "r"}).code, 0) << obstacle;
    const Ran refused = world_.check();
    EXPECT_EQ(refused.code, 2) << obstacle;
    EXPECT_EQ(refused.err.rfind("stopped: r -- ", 0), 0U) << obstacle << refused.err;
    std::filesystem::remove_all(world_.stops());
    std::filesystem::remove(world_.checkout_copy());
  }
}

// 83: whatever else is broken, the stop is the first thing that is said
TEST_F(BrakeSaid, StatusAndDoctorLeadWithTheStopWhenNothingElseLoads) {
  EXPECT_EQ(world_.council({"stop", "--agent", "cursor", "--reason", "wrong branch"}).code, 0);
  const std::string state = world_.home + "/.local/state/robot-council/pending";
  test::write_text(state, "no folder");
  test::write_text(world_.home + "/.claude/settings.json", "{ broken");
  test::write_text(world_.home + "/.config/robot-council/credentials.json", "{ broken");
  world_.settle();
  const BrakeWorld::Environment bad = {{"ROBOT_COUNCIL_SERVICE", "not a service"},
                                       {"ROBOT_COUNCIL_HARNESS", "claude"},
                                       {"XDG_DATA_HOME", "relative"}};
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"status"}, {"doctor"}, {"doctor", "--harness=claude"}}) {
    const Ran ran = world_.council(words, bad);
    EXPECT_EQ(ran.out.rfind("STOPPED shop: cursor\n", 0), 0U) << words.back() << ran.out << ran.err;
    EXPECT_NE(ran.out.find("reason: wrong branch"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("lift: "), std::string::npos) << ran.out;
  }
  EXPECT_EQ(world_.council({"stop", "--everywhere"}).code, 0);
  EXPECT_EQ(world_.council({"status"}, bad).out.rfind("STOPPED EVERYWHERE\n", 0), 0U);
}

}  // namespace
}  // namespace robot_council
