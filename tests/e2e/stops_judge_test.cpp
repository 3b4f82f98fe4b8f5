// Judges and files of `stops record`, with the real programs.

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "tests/e2e/stops_world.hpp"

namespace robot_council {
namespace {

using test::program;
using test::Ran;
using test::read_text;
using test::StopsWorld;
using test::told;
using test::Values;
using test::write_text;

class StopsJudge : public ::testing::Test {
 protected:
  // A judge of the user's: a shell script in an argument vector.
  static Values command(const std::string& script) {
    return {
        {"ROBOT_COUNCIL_STOP_COMMAND", "[\"/bin/sh\",\"-c\"," + base::quote_json(script) + "]"}};
  }
  stops::LogLine asked(const Values& more = {}) {
    return world_.recorded(world_.stop("Shall I go on?"), more);
  }
  [[nodiscard]] std::string children_of(const std::string& mark) const {
    std::string found;
    for (const std::string& name : base::list_directory("/proc").value_or({})) {
      if (base::parse_digits(name) &&
          base::read_file("/proc/" + name + "/cmdline", 65536).value_or("").find(mark) !=
              std::string::npos) {
        found += name + " ";
      }
    }
    return found;
  }
  // Runs the recorder under strace; "" when that cannot be done here.
  std::string traced(const std::string& calls, const Values& more = {},
                     const std::string& payload = {}) {
    const std::string trace = world_.home() + "/trace";
    const Ran ran =
        test::run({"/usr/bin/strace", "-f", "-qq", "-o", trace, "-e", "trace=" + calls,
                   program("robot-council"), "stops", "record"},
                  world_.environment(more),
                  payload.empty() ? world_.stop("Shall I go on?") : payload, world_.home());
    return ran.code == 0 && base::exists(trace) ? read_text(trace) + "\n" : "";
  }

  StopsWorld world_;
};

constexpr const char* kGood =
    R"(cat >"$HOME/asked"; env >"$HOME/env"; echo '{"answers":{"asks_approval":0.9,"needs_input":0,"hard_to_undo":0.1}}')";

// 74 (command), 73
TEST_F(StopsJudge, CommandIsAskedWithTextAndQuestionsOnly) {
  world_.user_policy({{"judge", "command"}});
  Values more = command(kGood);
  more["ROBOT_COUNCIL_STOP_OPENAI_KEY"] = "planted-key";
  const stops::LogLine line = asked(more);
  EXPECT_EQ(told(line), "judged");
  EXPECT_EQ(line.verdict, stops::Verdict::carry_on);
  EXPECT_EQ(line.model, "sh");
  EXPECT_EQ(line.p_kind, stops::PKind::probability);
  const std::string request = read_text(world_.home() + "/asked");
  const base::Result<base::Json> json = base::parse_bounded(request, 1U << 20U);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(base::get_string(*json, "state"), line.state);
  EXPECT_NE(base::get_object(*json, "questions"), nullptr);
  EXPECT_EQ(request.find("s-1"), std::string::npos);
  EXPECT_EQ(request.find(world_.repository()), std::string::npos);
  const std::string environment = read_text(world_.home() + "/env");
  EXPECT_NE(environment.find("ROBOT_COUNCIL_IN_JUDGE=1"), std::string::npos);
  EXPECT_EQ(environment.find("planted-key"), std::string::npos);
}

// 73, 71, 72
TEST_F(StopsJudge, CommandFailures) {
  world_.user_policy({{"judge", "command"}});
  int session = 0;
  const auto tell = [&](const std::string& script) {
    return told(world_.recorded(
        world_.stop("Shall I?", {{"session_id", "\"c-" + std::to_string(++session) + "\""}}),
        command(script)));
  };
  EXPECT_EQ(tell("exit 1"), "error unavailable");
  EXPECT_EQ(tell("kill -9 $$"), "error unavailable");
  EXPECT_EQ(tell("echo '<html>'"), "error malformed_response");
  EXPECT_EQ(tell("echo '{\"answers\":{\"asks_approval\":1.1}}'"), "error malformed_response");
  EXPECT_EQ(tell("echo '{\"answers\":{\"asks_approval\":\"0.5\"}}'"), "error malformed_response");
  EXPECT_EQ(tell("echo '{\"answers\":{}}'"), "error malformed_response");
  EXPECT_EQ(tell("head -c 3000000 /dev/zero"), "error malformed_response");
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?", {{"session_id", "\"m\""}}),
                                 {{"ROBOT_COUNCIL_STOP_COMMAND", "[\"/nowhere/judge\"]"}})),
            "error unavailable");
  const stops::LogLine some =
      world_.recorded(world_.stop("Shall I?", {{"session_id", "\"n\""}}),
                      command("echo '{\"answers\":{\"asks_approval\":0.9,\"needs_input\":0}}'"));
  EXPECT_EQ(told(some), "judged");
  EXPECT_EQ(some.reason->kind, stops::Reason::Kind::unanswered);
}

// 15, 70 (command), 73: no child is left, a stopped one neither.
TEST_F(StopsJudge, AHangingOrStoppedChildIsKilledAtItsDeadline) {
  world_.user_policy({{"judge", "command"}, {"timeout_ms", "300"}});
  const std::string mark = "4711." + std::to_string(::getpid());  // nobody else's sleep
  const std::string nap = "sleep " + mark;
  for (const std::string& script :
       {nap, std::string("kill -STOP $$"), "trap '' TERM; " + nap + "; " + nap,
        nap + " & exec " + nap, "(" + nap + " &) ; exec cat >/dev/null; " + nap}) {
    const auto begin = std::chrono::steady_clock::now();
    const stops::LogLine line = world_.recorded(
        world_.stop("Shall I?", {{"session_id", base::quote_json("h" + script.substr(0, 20))}}),
        command(script));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(4)))
        << script;
    EXPECT_TRUE(told(line) == "error timeout" || told(line) == "error malformed_response")
        << script << ": " << told(line);
    EXPECT_TRUE(test::wait_until([this, &mark] { return children_of(mark).empty(); })) << script;
  }
}

// A client that ends its hook leaves no judge behind.
TEST_F(StopsJudge, ATerminatedRecorderTakesItsChildAlong) {
  const std::string mark = "4712." + std::to_string(::getpid());  // nobody else's sleep
  world_.user_policy({{"judge", "command"}, {"timeout_ms", "20000"}});
  base::ChildOptions options;
  options.argv = {program("robot-council"), "stops", "record"};
  for (const auto& [name, value] : world_.environment(command("exec sleep " + mark))) {
    options.environment.push_back(name + "=" + value);
  }
  options.standard_in = base::Stdio::pipe;
  base::Result<base::Child> child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(
      base::write_all(child->standard_in.get(), world_.stop("Shall I?"), test::in_time()).ok());
  ASSERT_TRUE(test::wait_until([&] { return !children_of(mark).empty(); }));
  child->send_signal(SIGTERM);
  const auto ended = child->wait(base::deadline_in(base::Milliseconds(15000)));
  ASSERT_TRUE(ended.ok()) << "it waited for the judge's time to be over";
  EXPECT_EQ(ended->code, 0);
  EXPECT_TRUE(test::wait_until([&] { return children_of(mark).empty(); }));
}

TEST_F(StopsJudge, TheHardDeadlineEndsEverythingQuietly) {
  world_.user_policy({{"judge", "mock"}, {"timeout_ms", "30000"}});
  const auto begin = std::chrono::steady_clock::now();
  world_.record(world_.stop("Shall I?"), {{"ROBOT_COUNCIL_STOP_MOCK_DELAY_MS", "30000"}},
                {"--deadline", "1200"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(5)));
  EXPECT_EQ(told(world_.line()), "error timeout");
}

TEST_F(StopsJudge, MockAnswersErrsAndIsLate) {
  world_.user_policy({{"judge", "mock"}, {"timeout_ms", "100"}});
  const stops::LogLine line =
      asked({{"ROBOT_COUNCIL_STOP_MOCK_ANSWERS",
              R"({"asks_approval":0.8,"needs_input":0,"hard_to_undo":0})"}});
  EXPECT_EQ(line.verdict, stops::Verdict::carry_on);
  EXPECT_EQ(told(asked({{"ROBOT_COUNCIL_STOP_MOCK_ERROR", "rate_limited"}})), "error rate_limited");
  EXPECT_EQ(told(asked({{"ROBOT_COUNCIL_STOP_MOCK_DELAY_MS", "5000"}})), "error timeout");
  EXPECT_EQ(told(asked({{"ROBOT_COUNCIL_STOP_MOCK_ANSWERS", R"({"asks_approval":-0.1})"}})),
            "error malformed_response");
}

// 32
TEST_F(StopsJudge, FiveFailuresOpenTheBreakerOfThatSession) {
  world_.user_policy({{"judge", "command"}});
  const Values failing = command("echo x >>\"$HOME/calls\"; exit 1");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(told(asked(failing)), "error unavailable");
  }
  EXPECT_EQ(told(asked(failing)), "skipped breaker_open");
  EXPECT_EQ(read_text(world_.home() + "/calls"), "x\nx\nx\nx\nx\n");
  EXPECT_EQ(
      told(world_.recorded(world_.stop("Shall I?", {{"session_id", "\"s-2\""}}), command(kGood))),
      "judged");
  EXPECT_EQ(told(asked({{"ROBOT_COUNCIL_STOP_JUDGE", "local"}})), "judged");
}

TEST_F(StopsJudge, ASuccessStartsTheCountAnew) {
  world_.user_policy({{"judge", "command"}});
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(told(asked(command("exit 1"))), "error unavailable");
    EXPECT_EQ(told(asked(command(kGood))), "judged");
  }
}

// 43 and the rule that a cloned repository never decides that text leaves
TEST_F(StopsJudge, ARepositoryDoesNotDecideThatTextLeaves) {
  world_.repository_policy({{"judge", "command"}});
  EXPECT_EQ(asked(command(kGood)).judge, "local");
  EXPECT_FALSE(base::exists(world_.home() + "/asked"));
  EXPECT_EQ(asked({{"ROBOT_COUNCIL_STOP_JUDGE", "mock"}}).judge, "mock");
  Values named = command(kGood);
  named["ROBOT_COUNCIL_STOP_POLICY"] = ".robot-council.stop.yaml";
  EXPECT_EQ(asked(named).judge, "local");
  named["ROBOT_COUNCIL_STOP_POLICY"] = world_.repository() + "/.robot-council.stop.yaml";
  EXPECT_EQ(asked(named).judge, "command");
  world_.user_policy({{"judge", "command"}});
  EXPECT_EQ(asked(command(kGood)).judge, "command");
  world_.repository_policy({{"judge", "openai"}});
  EXPECT_EQ(asked({{"ROBOT_COUNCIL_STOP_JUDGE", "local"}}).judge, "local");
  EXPECT_EQ(told(asked({{"ROBOT_COUNCIL_STOP_JUDGE", "gpt"}})), "error invalid_request");
}

// 64, 65, 66
TEST_F(StopsJudge, SettingsThatCannotWorkAreSaidBeforeAnyConnection) {
  world_.user_policy({{"judge", "openai"}});
  int session = 0;
  const auto tell = [&](const Values& more) {
    return told(world_.recorded(
        world_.stop("Shall I?", {{"session_id", "\"k-" + std::to_string(++session) + "\""}}),
        more));
  };
  const Values remote = {{"ROBOT_COUNCIL_STOP_OPENAI_URL", "https://192.0.2.1"},
                         {"ROBOT_COUNCIL_STOP_OPENAI_MODEL", "m"}};
  EXPECT_EQ(tell(remote), "error auth");
  EXPECT_EQ(tell({{"OPENAI_API_KEY", "x"}}), "error auth");
  EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_JUDGE", "anthropic"}, {"ANTHROPIC_API_KEY", "x"}}),
            "error auth");
  for (const char* url : {"http://192.0.2.1", "http://127.0.0.1.example.org", "ftp://x",
                          "https://u:p@h", "https://h/?q", "http://0.0.0.0:1"}) {
    EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_OPENAI_URL", url},
                    {"ROBOT_COUNCIL_STOP_OPENAI_KEY", "k"},
                    {"ROBOT_COUNCIL_STOP_OPENAI_MODEL", "m"}}),
              "error invalid_request")
        << url;
  }
  for (const char* url : {"https://localhost:11434", "http://192.0.2.1:11434"}) {
    EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_JUDGE", "ollama"},
                    {"ROBOT_COUNCIL_STOP_OLLAMA_URL", url},
                    {"ROBOT_COUNCIL_STOP_OLLAMA_MODEL", "m"}}),
              "error invalid_request")
        << url;
  }
  EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_JUDGE", "ollama"}}), "error invalid_request");
  const std::string file = world_.home() + "/config/robot-council/judges.yaml";
  write_text(file, "openai:\n  key: k\n  model: m\n  url: https://192.0.2.1\n");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_EQ(tell({}), "error invalid_request");
  write_text(file,
             R"(command:
  command: [/bin/echo, '{"answers":{"asks_approval":0}}']
)");
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_JUDGE", "command"}}), "judged");
  EXPECT_EQ(tell({{"ROBOT_COUNCIL_STOP_JUDGE", "openai"}}), "error auth");
}

// 11, 12, 16
TEST_F(StopsJudge, LocalMakesNoSocketNoChildAndOpensNoTranscript) {
  if (!base::exists("/usr/bin/strace")) {
    GTEST_SKIP() << "strace is not installed";
  }
  const std::string quiet = traced("socket,connect,execve,mkdir,openat,fork,vfork,write");
  if (quiet.empty()) {
    GTEST_SKIP() << "strace cannot trace here";
  }
  for (const char* call : {"socket(", "mkdir(", "O_CREAT", "write("}) {
    EXPECT_EQ(quiet.find(call), std::string::npos) << call << "\n" << quiet;
  }
  world_.user_policy();
  write_text(world_.home() + "/t.jsonl", "{}\n");
  const std::string judged = traced("socket,connect,execve,openat,fork,vfork");
  EXPECT_EQ(judged.find("socket("), std::string::npos);
  EXPECT_EQ(judged.find("t.jsonl"), std::string::npos);
  EXPECT_EQ(judged.find("execve("), judged.rfind("execve("));
  EXPECT_NE(judged.find("stops.jsonl"), std::string::npos);
}

// 14
TEST_F(StopsJudge, AMissingNetworkProgramIsUnavailable) {
  world_.user_policy({{"judge", "openai"}});
  const std::string alone = world_.home() + "/bin/robot-council";
  std::filesystem::create_directory(world_.home() + "/bin");
  std::filesystem::copy_file(program("robot-council"), alone);
  const Ran ran =
      test::run({alone, "stops", "record"},
                world_.environment({{"ROBOT_COUNCIL_STOP_OPENAI_URL", "http://127.0.0.1:9"},
                                    {"ROBOT_COUNCIL_STOP_OPENAI_MODEL", "m"}}),
                world_.stop("Shall I go on?"), world_.home());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_EQ(told(world_.line()), "error unavailable");
  EXPECT_EQ(world_.line().endpoint, "127.0.0.1");
}

// 54, 61: the release program, so the bound is for all of a record; whole records of short texts
// take 3 ms.
TEST_F(StopsJudge, AMegabyteIsReadRedactedAndJudgedAtOnce) {
  if (std::getenv("RC_PROGRAMS") == nullptr) {
    GTEST_SKIP() << "the bound is for the programs of a release build (RC_PROGRAMS)";
  }
  world_.user_policy();
  for (const std::string part : {"a", "=", "eyJ.", "-----BEGIN ", "plain words of a report. "}) {
    std::string text;
    while (text.size() < 1000000) {
      text += part;
    }
    std::int64_t best = 1000000;
    for (int i = 0; i < 5; ++i) {
      best = std::min(best, world_.recorded(world_.stop(text)).latency_total_ms);
    }
    EXPECT_LT(best, test::allowed(base::Milliseconds(60)).count()) << part;
  }
}

// 11
TEST_F(StopsJudge, WithoutAPolicyItCostsNearlyNothing) {
  std::vector<std::chrono::microseconds> times;
  for (int i = 0; i < 15; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    world_.record(world_.stop("Shall I go on?"));
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin));
  }
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[2], test::allowed(base::Milliseconds(5)));  // of the whole process
}

// 32 rows of the sink: what waited for this session, and whose seat it is.
TEST(StopsSeat, WaitingRowsAreCountedAndTheSinkIsNotTouched) {
  test::HookSeat seat;
  write_text(seat.home() + "/.robot-council/stop.yaml", StopsWorld::policy());
  const auto record = [&seat](const Values& more) {
    const Ran ran =
        test::run({program("robot-council"), "stops", "record"}, seat.environment(more),
                  test::claude_stop({{"last_assistant_message", "\"Shall I?\""}}), seat.folder());
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out + ran.err, "");
    const std::vector<std::string> lines =
        base::split(read_text(seat.home() + "/state/robot-council/stops/stops.jsonl"), '\n');
    return stops::from_json(lines[lines.size() - 2]).value_or(stops::LogLine{});
  };
  stops::LogLine line = record({});
  EXPECT_EQ(line.seat, seat.files().key);
  EXPECT_FALSE(line.waiting);  // no sink yet
  EXPECT_FALSE(base::exists(seat.files().database()));
  (void)seat.store_directive();
  (void)seat.store_directive("two");
  const base::Result<base::FileInfo> before =
      base::file_info(seat.files().database(), base::Links::dont);
  line = record({});
  EXPECT_EQ(line.waiting, 2);
  EXPECT_EQ(base::file_info(seat.files().database(), base::Links::dont)->modified_ms,
            before->modified_ms);
  EXPECT_EQ(seat.waiting(), 2U);
  // 109: what pending hands over at this very turn end still counts.
  EXPECT_NE(seat.hook(test::claude_stop()).out, "");
  EXPECT_EQ(seat.waiting(), 0U);
  EXPECT_EQ(record({}).waiting, 2);
  EXPECT_FALSE(record({{"ROBOT_COUNCIL_SERVICE", ""}}).seat);
}

}  // namespace
}  // namespace robot_council
