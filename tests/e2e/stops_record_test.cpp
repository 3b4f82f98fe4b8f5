// `stops record` as a client runs it: the hook, what it skips, where its policy comes from.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "tests/e2e/brake_world.hpp"
#include "tests/e2e/stops_world.hpp"

namespace robot_council {
namespace {

using test::payload_fixture;
using test::program;
using test::Ran;
using test::read_text;
using test::run;
using test::StopsWorld;
using test::told;
using test::Values;
using test::write_text;

class StopsRecord : public ::testing::Test {
 protected:
  // Whether the recorder leaves the home as it was.
  void expect_no_line(std::string_view payload, const Values& more = {}) {
    world_.record(payload, more);
    EXPECT_FALSE(base::exists(world_.home() + "/state")) << payload.substr(0, 200);
  }
  // A recorder whose standard streams are ours.
  base::Child start(const Values& more = {}, base::Stdio out = base::Stdio::pipe) {
    base::ChildOptions options;
    options.argv = {program("robot-council"), "stops", "record"};
    for (const auto& [name, value] : world_.environment(more)) {
      options.environment.push_back(name + "=" + value);
    }
    options.directory = world_.home();
    options.standard_in = base::Stdio::pipe;
    options.standard_out = out;
    options.standard_err = base::Stdio::pipe;
    base::Result<base::Child> child = base::Child::start(options);
    EXPECT_TRUE(child.ok());
    return *std::move(child);
  }

  StopsWorld world_;
};

TEST_F(StopsRecord, AJudgedLineIsWhole) {
  world_.repository_policy();
  const stops::LogLine line = world_.recorded(world_.stop("CI is green. Should I merge it?"));
  EXPECT_EQ(told(line), "judged");
  EXPECT_EQ(line.host, "claude");
  EXPECT_EQ(line.session_id, "s-1");
  EXPECT_EQ(line.prompt_id, "p-1");
  EXPECT_EQ(line.project, world_.repository());
  EXPECT_EQ(line.verdict, stops::Verdict::leave);
  EXPECT_EQ(line.reason->question, "hard_to_undo");
  EXPECT_EQ(line.state, R"({"closing_message":"CI is green. Should I merge it?","cut":false})");
  EXPECT_EQ(line.judge, "local");
  EXPECT_EQ(line.model, "phrases-1");
  EXPECT_EQ(line.policy->path, world_.repository() + "/.robot-council.stop.yaml");
  EXPECT_EQ(line.policy->rules->size(), 16U);
  EXPECT_FALSE(line.seat || line.waiting);
  EXPECT_EQ(world_.recorded(world_.stop("Tabs parse now. Shall I teach the printer too?")).verdict,
            stops::Verdict::carry_on);
}

// 1, 2
TEST_F(StopsRecord, WhatIsNoPayloadLeavesNoLine) {
  world_.user_policy();
  for (const char* payload : {"", "  \n", "x", "[1]", "7", "\"s\"", "{}", "{\"a\":", "null"}) {
    expect_no_line(payload);
  }
}

// 3
TEST_F(StopsRecord, WrongTypesSendNothingAndCrashNothing) {
  world_.user_policy();
  const Values wrong = {{"session_id", "7"}, {"hook_event_name", "{}"}};
  for (const auto& [name, value] : wrong) {
    expect_no_line(world_.stop("Shall I?", {{name, value}}));
  }
  EXPECT_EQ(told(world_.recorded(world_.stop("", {{"last_assistant_message", "[1]"},
                                                  {"permission_mode", "{}"},
                                                  {"cwd", "7"},
                                                  {"transcript_path", "[]"}}))),
            "skipped no_message");
}

// 4
TEST_F(StopsRecord, ALongMessageIsCut) {
  world_.user_policy();
  std::string text;
  while (text.size() < 400000) {
    text += "word ";
  }
  const stops::LogLine line = world_.recorded(world_.stop(text));
  EXPECT_EQ(told(line), "judged");
  EXPECT_EQ(line.message_chars, 400000);
  EXPECT_EQ(line.sent_chars, 6000);
  EXPECT_TRUE(line.truncated);
}

// What is kept of a message over 1 MiB may be short once it is redacted: its start is missing all
// the same.
TEST_F(StopsRecord, ACutMessageIsToldAsOneAlsoWhereLittleIsLeft) {
  world_.user_policy();
  std::string text = "words before\n";
  while (text.size() < std::size_t{1200} * 1024) {
    text += "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
  }
  text += "-----END PRIVATE KEY-----\nShall I go on?";
  const stops::LogLine line = world_.recorded(world_.stop(text));
  EXPECT_EQ(line.state,
            R"({"closing_message":"[REDACTED:private-key]\nShall I go on?","cut":true})");
  EXPECT_TRUE(line.truncated);
}

// 5
TEST_F(StopsRecord, HugeAndDeepPayloads) {
  world_.user_policy();
  expect_no_line(world_.stop(std::string(20U << 20U, 'a')));
  const std::string deep = std::string(10000, '[') + std::string(10000, ']');
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?", {{"extra", deep}}))), "judged");
}

// 6
TEST_F(StopsRecord, AnOpenStdinHoldsNothing) {
  world_.user_policy();
  base::Child open = start();
  ASSERT_TRUE(
      base::write_all(open.standard_in.get(), world_.stop("Shall I?"), test::in_time()).ok());
  const base::Result<base::ExitStatus> ended = open.wait(test::in_time());
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 0);
  EXPECT_EQ(told(world_.line()), "judged");
  const auto begin = std::chrono::steady_clock::now();
  base::Child silent = start();
  const base::Result<base::ExitStatus> late = silent.wait(test::in_time());
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(late->code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(5)));
}

// 7
TEST_F(StopsRecord, AClosedOrFullStdoutChangesNothing) {
  world_.user_policy();
  for (const bool closed : {true, false}) {
    base::Child child = start();
    if (closed) {
      child.standard_out.reset();
      child.standard_err.reset();
    }
    ASSERT_TRUE(
        base::write_all(child.standard_in.get(), world_.stop("Shall I?"), test::in_time()).ok());
    const auto ended = child.wait(test::in_time());
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->code, 0);
  }
  EXPECT_EQ(world_.lines().size(), 2U);
}

// 8
TEST_F(StopsRecord, BadTextIsLoggedAsUtf8) {
  world_.user_policy();
  const std::string payload = base::replace_all(
      world_.stop("MARK"), "MARK", std::string("\xff\xfe \\ud800 \\u0000 \0 Shall I?", 27));
  EXPECT_EQ(told(world_.recorded(payload)), "judged");
  EXPECT_TRUE(base::is_utf8(world_.raw_lines().back()));
}

// 9, 15: whatever ends the process from outside, its status stays 0.
TEST_F(StopsRecord, ACrashIsQuiet) {
  world_.user_policy({{"judge", "mock"}, {"timeout_ms", "8000"}});
  for (const int number : {SIGSEGV, SIGABRT, SIGTERM}) {
    base::Child child = start({{"ROBOT_COUNCIL_STOP_MOCK_DELAY_MS", "8000"}});
    ASSERT_TRUE(
        base::write_all(child.standard_in.get(), world_.stop("Shall I?"), test::in_time()).ok());
    // It no longer holds our pipe when the handlers are there: its stdout is /dev/null. A checker
    // that is linked in catches crashes of its own, but no SIGTERM.
    ASSERT_TRUE(base::wait_readable(child.standard_out.get(), test::in_time()).ok());
    (void)base::wait_readable(child.standard_err.get(), test::in_time());
    ASSERT_TRUE(test::wait_until([&child] {
      const std::string status =
          base::read_file("/proc/" + std::to_string(child.pid()) + "/status", 65536).value_or("");
      const std::size_t at = status.find("SigCgt:");
      return at != std::string::npos &&
             (std::stoull(status.substr(at + 8, 16), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    }));
    child.send_signal(number);
    const auto ended = child.wait(base::deadline_in(base::Milliseconds(6000)));
    ASSERT_TRUE(ended.ok()) << number << " was not heard";
    EXPECT_EQ(ended->code, 0) << number;
  }
}

// 17, 20
TEST_F(StopsRecord, OnlyTheMainAgentOfARecordedClient) {
  world_.user_policy();
  expect_no_line(world_.stop("Shall I?", {{"agent_id", "\"a1\""}}));
  expect_no_line(world_.stop("Shall I?", {{"hook_event_name", "\"SubagentStop\""}}));
  expect_no_line(world_.stop("Shall I?", {{"hook_event_name", "\"UserPromptSubmit\""}}));
  for (const char* other : {"cursor-3.17-stop-loop1.json", "copilot-1.0.102-agent-stop.json",
                            "goose-1.54-stop.json", "claude-2.1.332-subagent-stop.json"}) {
    expect_no_line(payload_fixture(other));
  }
}

// 18
TEST_F(StopsRecord, Codex) {
  world_.user_policy();
  const stops::LogLine line = world_.recorded(payload_fixture("codex-0.171.0-stop.json"));
  EXPECT_EQ(line.host, "codex");
  EXPECT_EQ(line.turn_id, "01a2b3c4-0000-7000-8000-000000000002");
  EXPECT_EQ(told(line), "judged");
  EXPECT_EQ(told(world_.recorded(payload_fixture("codex-0.171.0-stop-nulls.json"))),
            "skipped no_message");
}

// 19
TEST_F(StopsRecord, Gemini) {
  world_.user_policy();
  const std::string payload =
      base::replace_all(base::replace_all(payload_fixture("gemini-0.61.0-after-agent.json"),
                                          "answer 1", "Shall I go on?"),
                        "\"go\"", "\"the typed prompt\"");
  const stops::LogLine line = world_.recorded(payload);
  EXPECT_EQ(line.host, "gemini");
  EXPECT_EQ(line.verdict, stops::Verdict::carry_on);
  EXPECT_EQ(world_.raw_lines().back().find("typed prompt"), std::string::npos);
}

// 22 .. 24
TEST_F(StopsRecord, SkipsByModeAndByWhoIsThere) {
  world_.user_policy();
  expect_no_line(world_.stop("Shall I?"), {{"ROBOT_COUNCIL_IN_JUDGE", "1"}});
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?", {{"permission_mode", "\"plan\""}}))),
            "skipped permission_mode");
  const Values unattended = {{"CLAUDE_CODE_SESSION_ATTENDED", "0"}};
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?"), unattended)), "skipped unattended");
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?"), {{"CLAUDE_CODE_SESSION_ATTENDED", "1"}})),
            "judged");
  world_.user_policy({{"unattended", "judge"}});
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?"), unattended)), "judged");
}

// 25, 26, 27
TEST_F(StopsRecord, BackgroundWorkIsNoStop) {
  world_.user_policy();
  for (const std::string key : {"background_tasks", "session_crons"}) {
    for (const char* value : {"[{}]", "{}", "\"x\"", "1", "true"}) {
      const stops::LogLine line = world_.recorded(world_.stop("Shall I?", {{key, value}}));
      EXPECT_EQ(told(line), "skipped " + key) << value;
    }
    for (const char* value : {"[]", "null", "", "[ ]"}) {
      EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?", {{key, value}}))), "judged") << value;
    }
  }
  const stops::LogLine line = world_.recorded(world_.stop(
      "Shall I?",
      {{"background_tasks",
        R"([{"id":"1","type":"shell","command":"secret thing"},{"type":"shell"},{"type":"x y"}])"},
       {"session_crons", R"([{"id":"c","prompt":"do the secret"}])"}}));
  EXPECT_EQ(line.background.tasks, 3);
  EXPECT_EQ(line.background.crons, 1);
  EXPECT_EQ(line.background.types, (std::vector<std::string>{"shell", "other"}));
  EXPECT_EQ(world_.raw_lines().back().find("secret"), std::string::npos);
}

// 28, 29
TEST_F(StopsRecord, IgnoredBackgroundPasses) {
  world_.user_policy({{"ignore_background", "[shell, cron]"}});
  const auto tasks = [this](const char* list) {
    return told(world_.recorded(world_.stop("Shall I?", {{"background_tasks", list}})));
  };
  EXPECT_EQ(tasks(R"([{"type":"shell"},{"type":"shell"}])"), "judged");
  EXPECT_EQ(tasks(R"([{"type":"shell"},{"type":"subagent"}])"), "skipped background_tasks");
  EXPECT_EQ(tasks(R"([{"kind":"shell"}])"), "skipped background_tasks");
  EXPECT_EQ(told(world_.recorded(world_.stop("Shall I?", {{"session_crons", R"([{"id":"1"}])"}}))),
            "judged");
}

// 30, 31, 33
TEST_F(StopsRecord, NoTextAndContinuations) {
  world_.user_policy();
  for (const char* message : {"\"\"", "\" \\n\\t\"", "null", "7", ""}) {
    const stops::LogLine line =
        world_.recorded(world_.stop("", {{"last_assistant_message", message}}));
    EXPECT_EQ(told(line), "skipped no_message");
    EXPECT_FALSE(line.state || line.verdict || line.reason);
  }
  const stops::LogLine line =
      world_.recorded(world_.stop("Shall I?", {{"stop_hook_active", "true"}}));
  EXPECT_EQ(told(line), "judged");
  EXPECT_TRUE(line.stop_hook_active);
  const stops::LogLine skipped =
      world_.recorded(world_.stop("my words", {{"permission_mode", "\"plan\""}}));
  EXPECT_EQ(world_.raw_lines().back().find("my words"), std::string::npos);
  EXPECT_FALSE(skipped.state);
}

// 11, 44
TEST_F(StopsRecord, WithoutAPolicyNothingIsWritten) {
  expect_no_line(world_.stop("Shall I?"));
  write_text(world_.home() + "/share/robot-council/policy/stop.yaml", StopsWorld::policy());
  expect_no_line(world_.stop("Shall I?"), {{"XDG_DATA_HOME", world_.home() + "/share"}});
}

// 34, 35, 36
TEST_F(StopsRecord, WhichPolicyWins) {
  world_.user_policy();
  world_.repository_policy();
  write_text(world_.home() + "/named.yaml", StopsWorld::policy());
  const auto path = [this](const Values& more) {
    return world_.recorded(world_.stop("Shall I?"), more).policy->path;
  };
  const std::string in_repository = world_.repository() + "/.robot-council.stop.yaml";
  EXPECT_EQ(path({{"ROBOT_COUNCIL_STOP_POLICY", world_.home() + "/named.yaml"}}),
            world_.home() + "/named.yaml");
  EXPECT_EQ(path({}), in_repository);
  EXPECT_EQ(path({{"ROBOT_COUNCIL_STOP_POLICY", " "}}), in_repository);
  std::filesystem::rename(in_repository, world_.repository() + "/.robot-council.stop.yml");
  EXPECT_EQ(path({}), world_.repository() + "/.robot-council.stop.yml");
  const std::size_t before = world_.lines().size();
  world_.record(world_.stop("Shall I?"), {{"ROBOT_COUNCIL_STOP_POLICY", "/nowhere/x.yaml"}});
  write_text(in_repository, "version: 1\nenabled: false\n");
  world_.record(world_.stop("Shall I?"));
  EXPECT_EQ(world_.lines().size(), before);
  std::filesystem::remove(in_repository);
  std::filesystem::remove(world_.repository() + "/.robot-council.stop.yml");
  EXPECT_EQ(path({}), world_.home() + "/.robot-council/stop.yaml");
}

// 37, 38
TEST_F(StopsRecord, ABrokenPolicyIsSaidOnceASession) {
  world_.user_policy();
  const std::string path = world_.repository() + "/.robot-council.stop.yaml";
  int session = 0;
  for (const std::string& text : {std::string(), std::string("rules: ["), std::string("\0\1", 2),
                                  std::string(10U << 20U, 'x'), std::string("/")}) {
    std::filesystem::remove_all(path);
    if (text == "/") {
      std::filesystem::create_directory(path);
    } else {
      write_text(path, text);
    }
    const Values id = {{"session_id", "\"s-" + std::to_string(++session) + "\""}};
    const stops::LogLine line = world_.recorded(world_.stop("Shall I?", id));
    EXPECT_EQ(told(line), "policy_error policy");
    EXPECT_EQ(line.policy->path, path);
    EXPECT_FALSE(line.judge);
    const std::size_t before = world_.lines().size();
    world_.record(world_.stop("Shall I?", id));
    EXPECT_EQ(world_.lines().size(), before);
  }
}

// 38
TEST_F(StopsRecord, APolicyThatMayNotBeReadIsABrokenOne) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user";
  }
  world_.user_policy();
  const std::string path = world_.repository() + "/.robot-council.stop.yaml";
  write_text(path, StopsWorld::policy());
  ASSERT_EQ(run({"/bin/chown", "-R", "65534:65534", world_.home()}, {}).code, 0);
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const Ran ran = run({"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                       program("robot-council"), "stops", "record"},
                      world_.environment(), world_.stop("Shall I?"), "/");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(told(world_.line()), "policy_error policy");
  EXPECT_EQ(world_.line().policy->path, path);
}

// 40, 41
TEST_F(StopsRecord, RootsOfWorktreesSubmodulesAndLinks) {
  world_.user_policy();
  const std::string worktree = world_.repository() + "/inner";
  write_text(worktree + "/.git", "gitdir: /x\n");
  write_text(worktree + "/deep/x", "");
  write_text(worktree + "/.robot-council.stop.yaml", StopsWorld::policy());
  world_.repository_policy();
  std::filesystem::create_directory_symlink(worktree + "/deep", world_.home() + "/link");
  const auto at = [this](const std::string& folder) {
    return world_.recorded(world_.stop("Shall I?", {{"cwd", base::quote_json(folder)}}));
  };
  EXPECT_EQ(at(worktree + "/deep").policy->path, worktree + "/.robot-council.stop.yaml");
  EXPECT_EQ(at(world_.home() + "/link").project, worktree);
  EXPECT_EQ(at(world_.repository()).project, world_.repository());
  EXPECT_EQ(at(world_.home() + "/gone").policy->path, world_.home() + "/.robot-council/stop.yaml");
  const stops::LogLine outside = at(world_.home());
  EXPECT_EQ(outside.policy->path, world_.home() + "/.robot-council/stop.yaml");
  EXPECT_EQ(outside.project, world_.home());
}

// 21, 74
TEST_F(StopsRecord, NothingOfTheEnvironmentIsWritten) {
  world_.user_policy();
  world_.record(world_.stop("Shall I?"),
                {{"SECRET_THING", "planted-value-1"}, {"ANTHROPIC_API_KEY", "planted-value-2"}});
  EXPECT_EQ(read_text(world_.log()).find("planted"), std::string::npos);
}

TEST_F(StopsRecord, NoPlantedSecretIsEverWritten) {
  world_.user_policy();
  const std::string token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  const std::string key = "-----BEGIN PRIVATE KEY-----\nMIIEvQ" + std::string(40, 'x') + "Zq9\n";
  const std::string password = "planted-pass-9";
  const stops::LogLine line =
      world_.recorded(world_.stop("Use " + token + " and postgres://u:" + password +
                                      "@h/d, DB_PASS=" + password + ". Shall I go on?\n" + key,
                                  {{"cwd", base::quote_json(world_.repository() + "/" + token)},
                                   {"transcript_path", base::quote_json("/t/" + token)},
                                   {"permission_mode", base::quote_json(token)}}));
  EXPECT_EQ(line.redacted_kinds,
            (std::vector<std::string>{"github", "auth", "assigned", "private-key"}));
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(world_.home() + "/state")) {
    if (entry.is_regular_file()) {
      const std::string text = read_text(entry.path());
      for (const std::string& secret :
           {token.substr(4, 20), password, std::string("MIIEvQ"), std::string("Zq9")}) {
        EXPECT_EQ(text.find(secret), std::string::npos) << entry.path();
      }
    }
  }
}

TEST_F(StopsRecord, UnknownArgumentsAreIgnored) {
  world_.user_policy();
  world_.record(world_.stop("Shall I?"), {}, {"--what", "--deadline", "31000", "x", "--y=1"});
  world_.record(world_.stop("Shall I?"), {}, {"--deadline"});
  EXPECT_EQ(world_.lines().size(), 2U);
}

TEST_F(StopsRecord, NoHomeAndAFullOrForbiddenDiskAreSilent) {
  world_.user_policy();
  write_text(world_.home() + "/file", "x");
  world_.record(world_.stop("Shall I?"), {{"XDG_STATE_HOME", world_.home() + "/file"}});
  world_.record(world_.stop("Shall I?"), {{"XDG_STATE_HOME", "/proc"}});
  const test::Ran ran = test::run(
      {"/usr/bin/env", "-u", "HOME", program("robot-council"), "stops", "record"},
      {{"XDG_STATE_HOME", world_.home() + "/state2"}}, world_.stop("Shall I?"), world_.home());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(StopsRecord, DebugSaysOnStderrWhatWasDone) {
  world_.user_policy();
  const test::Ran ran = test::run({program("robot-council"), "stops", "record"},
                                  world_.environment({{"ROBOT_COUNCIL_STOPS_DEBUG", "1"}}),
                                  world_.stop("Shall I?"), world_.home());
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "robot-council: stop logged: judged\n");
}

// In a world of its own: a stop goes to every home of the user who gives it.
TEST(StopsBrake, TheRecordGoesOnWhileAStopIsOn) {
  const test::BrakeWorld world;
  EXPECT_EQ(world.council({"stop"}).code, 0);
  write_text(world.home + "/.robot-council/stop.yaml", StopsWorld::policy());
  world.settle();
  EXPECT_NE(world.check().out + world.check().err, "");
  const test::Ran ran =
      world.command({program("robot-council"), "stops", "record"}, {},
                    test::claude_stop({{"cwd", base::quote_json(world.repo)},
                                       {"last_assistant_message", "\"Shall I go on?\""}}));
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
  EXPECT_NE(read_text(world.home + "/.local/state/robot-council/stops/stops.jsonl")
                .find("\"outcome\":\"judged\""),
            std::string::npos);
}

}  // namespace
}  // namespace robot_council
