#include "stop-hook/hook_record.hpp"

#include <unistd.h>

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "stop-hook/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stop_hook {
namespace {

constexpr std::int64_t kNow = 1796018400000;  // 2026-11-30T06:00:00Z

HookRecord sample() {
  HookRecord record;
  record.at_ms = kNow;
  record.answer = HookAnswer::held_by_brake;
  record.printed = 0;
  record.told_ms = kNow - 1000;
  record.set_idle("s1", kNow - 5);
  return record;
}

TEST(HookRecord, TextIsTheContracts) {
  EXPECT_EQ(
      record_json(sample()),
      R"({"at":"2026-11-30T06:00:00Z","answer":"held by the brake","printed":0,"told":"2026-11-30T05:59:59Z",)"
      R"("idle":{"s1":1796018399995}})");
  EXPECT_EQ(record_json(HookRecord{}),
            R"({"at":"1970-01-01T00:00:00Z","answer":"nothing waiting","printed":0,"idle":{}})");
}

TEST(HookRecord, RoundTripThroughAFile) {
  const test::TempDir folder;
  const std::string path = folder / "k.hook";
  ASSERT_TRUE(write_record(path, sample()).ok());
  const base::Result<HookRecord> read = read_record(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(record_json(*read), record_json(sample()));
  EXPECT_EQ(base::file_info(path, base::Links::dont)->mode, 0600U);
}

TEST(HookRecord, NewestTwentySessionsAreKept) {
  HookRecord record;
  for (int i = 0; i < 25; ++i) {
    record.set_idle("s" + std::to_string(i), kNow + i);
  }
  record.set_idle("s6", kNow + 100);
  EXPECT_EQ(record.idle.size(), 20U);
  EXPECT_FALSE(record.idle_since("s4").has_value());
  EXPECT_EQ(record.idle_since("s6"), kNow + 100);
  record.set_idle("", kNow);
  EXPECT_EQ(record.idle.size(), 20U);
  EXPECT_FALSE(record.idle_since("").has_value()) << "no session is none";
  record.clear_idle("s6");
  EXPECT_FALSE(record.idle_since("s6").has_value());
}

TEST(HookRecord, OddFieldsHaveTheirDefaults) {
  const base::Result<HookRecord> read =
      parse_record(R"({"at":5,"answer":"x","printed":-3,"told":"y","idle":{"a":"b","c":7}})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->at_ms, 0);
  EXPECT_EQ(read->answer, HookAnswer::nothing_waiting);
  EXPECT_EQ(read->printed, 0U);
  EXPECT_FALSE(read->told_ms.has_value());
  EXPECT_EQ(read->idle.size(), 1U);
  EXPECT_FALSE(parse_record("[]").ok());
  EXPECT_FALSE(parse_record("").ok());
}

TEST(HookRecord, OrderByAgeSurvivesAReader) {
  const base::Result<HookRecord> read = parse_record(R"({"idle":{"a":30,"b":10,"c":20}})");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->idle.front().first, "b");
  EXPECT_EQ(read->idle.back().first, "a");
}

TEST(HookRecord, EachAnswerHasOneText) {
  for (const HookAnswer answer :
       {HookAnswer::printed, HookAnswer::nothing_waiting, HookAnswer::held_by_brake,
        HookAnswer::loop_guard, HookAnswer::sink_unreadable, HookAnswer::another_harness,
        HookAnswer::not_a_turn_end, HookAnswer::payload_unreadable}) {
    EXPECT_EQ(answer_from(answer_text(answer)), answer);
  }
  EXPECT_FALSE(answer_from("").has_value());
}

TEST(HookRecord, PlacesForTheToldMark) {
  using Values = std::map<std::string, std::string>;
  const base::MapEnvironment with(
      Values{{"XDG_STATE_HOME", "/s"}, {"XDG_RUNTIME_DIR", "/run/user/7"}});
  const std::vector<std::string> places = record_paths(with, "k.hook");
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0], "/s/robot-council/pending/k.hook");
  EXPECT_EQ(places[1], "/run/user/7/k.hook");
  const base::MapEnvironment without(Values{{"XDG_STATE_HOME", "/s"}, {"TMPDIR", "/t"}});
  EXPECT_EQ(record_paths(without, "k.hook")[1],
            "/t/robot-council-" + std::to_string(geteuid()) + "/k.hook");
  const base::MapEnvironment relative(
      Values{{"XDG_STATE_HOME", "/s"}, {"TMPDIR", "/t"}, {"XDG_RUNTIME_DIR", "run"}});
  EXPECT_EQ(record_paths(relative, "k.hook")[1],
            "/t/robot-council-" + std::to_string(geteuid()) + "/k.hook");
}

}  // namespace
}  // namespace robot_council::stop_hook
