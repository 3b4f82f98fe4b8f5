#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "tests/e2e/stops_world.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {
namespace {

// `robot-council stops` as a person runs it.
class StopsReport : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {program("robot-council"), "stops"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Ran stops(const std::vector<std::string>& more) {
    return run(words(more), {{"HOME", dir_.path()}});
  }
  // The real sessions of tests/fixtures/transcripts.
  [[nodiscard]] static std::vector<std::string> real_session(const std::string& name) {
    return {"--log", source_file("tests/fixtures/transcripts/" + name + ".stops.jsonl"),
            "--projects", source_file("tests/fixtures/transcripts")};
  }
  TempDir dir_;
};

TEST_F(StopsReport, UnknownOptionNamesAll) {
  const Ran ran = stops({"--csv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "robot-council: Unknown option \"--csv\" for \"stops\". It takes --json --html --since "
            "--until --session --log --projects --policy --list --by --max-gap --with-text "
            "--show-pattern.\n");
}

TEST_F(StopsReport, WithoutALogItSaysSo) {
  const Ran ran = stops({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out.rfind("No turn ends recorded: there is no stop log yet.", 0), 0U) << ran.out;
  EXPECT_EQ(base::list_directory(dir_.path()).value_or({"?"}), std::vector<std::string>());
}

TEST_F(StopsReport, LogThatCannotBeReadIsAnError) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {fifo, dir_.path(), dir_ / "none"}) {
    const Ran ran = stops({"--log", path});
    EXPECT_EQ(ran.code, 1) << path;
    EXPECT_EQ(ran.err.rfind("robot-council: cannot read the stop log", 0), 0U) << ran.err;
  }
}

TEST_F(StopsReport, RealSessionIsReported) {
  const Ran ran = stops(real_session("first"));
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("9 pairs: too few to read"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Left out 3: ended 2, overtaken 1."), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tag it"), std::string::npos) << "a prompt is shown without --with-text";
}

TEST_F(StopsReport, PatternIsShown) {
  EXPECT_NE(stops({"--show-pattern"}).out.find("Known errors"), std::string::npos);
}

// Statement 103: the verdicts of --policy are those that the recorder itself gives under that
// policy.
TEST(StopsRescore, PolicyEqualsAFreshRun) {
  const std::vector<std::string> messages = {"Tabs parse now. Shall I teach the printer too?",
                                             "CI is green. Should I merge it?",
                                             "Done: 212 tests pass.",
                                             "Which time zone should the report use?",
                                             "If you want, I can add a fuzz target.",
                                             "Say the word and I push the tag."};
  const StopsWorld world;
  const std::string other = base::replace_all(
      base::replace_all(StopsWorld::policy(), "{hard_to_undo: {p: \">=0.50\"}}, then: leave",
                        "{hard_to_undo: {p: \">=0.50\"}}, then: continue"),
      "{any: {p: \"0.40..0.60\"}}, then: leave", "{any: {p: \"0.40..0.60\"}}, then: continue");
  ASSERT_NE(other, StopsWorld::policy());
  write_text(world.home() + "/other.yaml", other);
  world.user_policy();
  const base::SystemClock clock;
  std::vector<std::string> fresh;
  std::size_t changed = 0;
  for (const std::string& message : messages) {
    const std::string id = "s-" + std::to_string(fresh.size());
    const std::string path = world.home() + "/.claude/projects/-w/" + id + ".jsonl";
    const auto prompt = [](std::int64_t at_ms) {
      return R"({"type":"user","message":{"role":"user","content":"go"},"timestamp":")" +
             base::iso_zulu_ms(at_ms) + "\"}\n";
    };
    write_text(path, prompt(clock.wall_ms() - 60000) + prompt(clock.wall_ms() + 60000));
    const std::string payload = world.stop(message, {{"session_id", base::quote_json(id)},
                                                     {"prompt_id", ""},
                                                     {"transcript_path", base::quote_json(path)}});
    const stops::LogLine first = world.recorded(payload);
    world.record(payload, {{"ROBOT_COUNCIL_STOP_POLICY", world.home() + "/other.yaml"},
                           {"XDG_STATE_HOME", world.home() + "/fresh"}});
    const std::string log = read_text(world.home() + "/fresh/robot-council/stops/stops.jsonl");
    const std::vector<std::string> lines = base::split(log, '\n');
    const stops::LogLine again =
        stops::from_json(lines[lines.size() - 2]).value_or(stops::LogLine());
    ASSERT_TRUE(first.verdict && again.verdict && again.reason);
    changed += first.verdict != again.verdict ? 1 : 0;
    fresh.push_back(std::string(stops::verdict_text(*again.verdict)) + " " +
                    std::to_string(again.reason->rule.value_or(0)));
  }
  EXPECT_GE(changed, 3U);
  const Ran ran =
      run({program("robot-council"), "stops", "--json", "--policy", world.home() + "/other.yaml"},
          world.environment());
  const base::Json json = base::parse_bounded(ran.out, 1U << 20U).value_or(base::Json());
  std::vector<std::string> rescored;
  for (const auto& pair : json["pairs"]) {
    rescored.push_back(pair["verdict"].get<std::string>() + " " +
                       std::to_string(pair["reason"].value("rule", 0)));
  }
  EXPECT_EQ(rescored, fresh) << ran.out << ran.err;
}

// Statement 104.
TEST_F(StopsReport, OpensNoSocketAndWritesNothing) {
  if (!base::exists("/usr/bin/strace")) {
    GTEST_SKIP() << "strace is not installed";
  }
  std::vector<std::string> traced = {
      "/usr/bin/strace",
      "-f",
      "-qq",
      "-e",
      "trace=socket,connect,openat,mkdir,rename,execve,fork,clone,vfork",
      "-o",
      dir_ / "trace"};
  for (const auto& word : words(real_session("second"))) {
    traced.push_back(word);
  }
  const Ran ran = run(traced, {{"HOME", dir_ / "home"}});
  if (ran.code != 0) {
    GTEST_SKIP() << "strace cannot trace here: " << ran.err;
  }
  EXPECT_NE(ran.out.find("sdk_session 1"), std::string::npos) << ran.out;
  const std::string trace = read_text(dir_ / "trace");
  EXPECT_NE(trace.find("second.stops.jsonl"), std::string::npos);
  for (const char* call : {"socket(", "connect(", "mkdir(", "rename(", "fork(", "clone(",
                           "O_WRONLY", "O_RDWR", "O_CREAT"}) {
    EXPECT_EQ(trace.find(call), std::string::npos) << call << "\n" << trace;
  }
}

}  // namespace
}  // namespace robot_council::test
