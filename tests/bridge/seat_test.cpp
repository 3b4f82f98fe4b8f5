// The seat, the bridge record, the Cursor join record.

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "bridge/join_record.hpp"
#include "bridge/texts.hpp"
#include "sink/recorded_key.hpp"
#include "tests/bridge/bridge_fixture.hpp"

namespace robot_council::test {
namespace {

namespace text = bridge::text;
using bridge::JoinRecord;
using bridge::RejoinChoice;
using bridge::SeatAtStart;
using SeatTest = BridgeTest;

base::FileLock held_by_another(const sink::SeatFiles& files) {
  EXPECT_TRUE(base::make_private_directory(files.folder).ok());
  base::Result<base::FileLock> lock = base::FileLock::try_acquire(files.seat());
  EXPECT_TRUE(lock.ok());
  EXPECT_TRUE(lock->write_owner().ok());
  return *std::move(lock);
}

// 130, 38
TEST_F(SeatTest, AHeldSeatIsToldEverywhere) {
  const base::FileLock lock = held_by_another(files());
  const std::string warning = text::seat_held(::getpid());
  start();
  harness_->request("1", "initialize");
  EXPECT_NE(harness_->answer("1").find("Tell your operator: " + warning), std::string::npos);
  EXPECT_TRUE(said(warning));
  EXPECT_NE(join().find("\n\nWarning: " + warning), std::string::npos);
  EXPECT_EQ(times_said(warning), 1U);
}
TEST_F(SeatTest, AFreeSeatIsNotTalkedAbout) {
  start();
  harness_->request("1", "initialize");
  const std::string answer = harness_->answer("1");
  EXPECT_EQ(answer.find("operator: "), std::string::npos);
  EXPECT_EQ(base::FileLock::owner(files().seat()), ::getpid());
  finish();
  EXPECT_FALSE(*base::FileLock::held(files().seat()));
}

// 149
TEST_F(SeatTest, AFreedSeatIsTaken) {
  options_.timings.seat_retry = base::Milliseconds(50);
  std::optional<base::FileLock> lock = held_by_another(files());
  start_joined();
  const std::string aside = files().bridge() + "-" + std::to_string(::getpid());
  EXPECT_TRUE(base::exists(aside));
  EXPECT_FALSE(base::exists(files().bridge()));
  lock.reset();
  EXPECT_TRUE(wait_said(std::string(text::kSeatObtained)));
  EXPECT_TRUE(wait_until([&] { return base::exists(files().bridge()) && !base::exists(aside); }));
  finish();
  EXPECT_TRUE(base::exists(files().bridge()));
}

// 150
TEST_F(SeatTest, ASessionLeftBehindIsEndedOnce) {
  start();
  finish();
  std::string record = read_text(files().bridge());
  const std::size_t at = record.find(R"("session":null)");
  ASSERT_NE(at, std::string::npos);
  record.replace(at, 14, R"("session":33)");
  write_text(files().bridge(), record);
  start_joined();
  EXPECT_EQ(fleet_.count("DELETE sessions/33"), 1U);
  const std::vector<FleetRequest> all = fleet_.requests();
  EXPECT_EQ(all.at(0).key(), "DELETE sessions/33");
  EXPECT_EQ(all.at(1).key(), "POST sessions");
  harness_->call("2", "leave");
  harness_->text_of("2");
  harness_->call("3", "join");
  harness_->text_of("3");
  finish();
  EXPECT_EQ(fleet_.count("DELETE sessions/33"), 1U);
}

// account contract 9: the record of a running bridge
TEST_F(SeatTest, TheRecordTellsWhatRuns) {
  start_joined();
  harness_->call("2", "task_list");
  harness_->text_of("2");
  const base::Json record = *base::parse_bounded(read_text(files().bridge()), 65536);
  EXPECT_EQ(base::get_integer(record, "pid"), ::getpid());
  EXPECT_EQ(base::get_string(record, "service"), fleet_.url());
  EXPECT_EQ(base::get_string(record, "harness"), "codex");
  EXPECT_EQ(base::get_integer(record, "session"), 41);
  EXPECT_EQ(base::get_string(record, "role"), "build");
  EXPECT_EQ(read_text(files().bridge()).find("secret"), std::string::npos);
  finish();
  EXPECT_NE(read_text(files().bridge()).find(R"("session":null)"), std::string::npos);
}

// 151
TEST_F(SeatTest, AProjectVariableThatDiffersIsSaid) {
  environment_.set("ROBOT_COUNCIL_PROJECT", "theirs");
  start();
  finish();
  EXPECT_TRUE(
      said("ROBOT_COUNCIL_PROJECT is `theirs`, but this bridge was started with no --project: a "
           "stop hook that sees the "
           "variable reads another sink."));
}
TEST_F(SeatTest, AnEqualProjectVariableIsNot) {
  environment_.set("ROBOT_COUNCIL_PROJECT", "mine");
  options_.project = "mine";
  start();
  finish();
  EXPECT_FALSE(said("ROBOT_COUNCIL_PROJECT"));
}

// 132
TEST_F(SeatTest, OneProjectIsOneSeatAndItsNameIsSent) {
  options_.project = "org/repo";
  start_joined();
  EXPECT_EQ(fleet_.requests("POST sessions").at(0).body.find(R"({"project_id":"org/repo",)"), 0U);
}

// 132: two checkouts, one project
TEST_F(SeatTest, TwoCheckoutsOfOneProjectShareASeat) {
  options_.project = "org/repo";
  const sink::SeatFiles here = files();
  const base::FileLock lock = held_by_another(here);
  const std::string other = dir_ / "other";
  ASSERT_EQ(::mkdir(other.c_str(), 0700), 0);
  ASSERT_EQ(::chdir(other.c_str()), 0);
  start();
  harness_->handshake();
  EXPECT_TRUE(said(text::seat_held(::getpid())));
  finish();
  options_.project.clear();
  start();
  harness_->handshake();
  EXPECT_EQ(times_said(text::seat_held(::getpid())), 1U);  // without it, a checkout is a seat
}

// 133: the checkout was changed under a bridge that runs: hooks find its key by the record, so the
// next bridge takes that key too
TEST_F(SeatTest, TheRecordedKeyOfARunningBridgeIsTaken) {
  const sink::SeatFiles before = files();
  const base::FileLock lock = held_by_another(before);
  write_text(sink::record_path(before.folder, {fleet_.url(), "codex", ""}, dir_ / "work"),
             before.key + "\n");
  write_text(dir_ / ".git/HEAD", "ref: refs/heads/main\n");  // now the parent is the checkout
  for (const char* part : {".git/objects", ".git/refs"}) {
    ASSERT_EQ(::mkdir((dir_ / part).c_str(), 0700), 0);
  }
  start_joined();
  EXPECT_TRUE(said(text::seat_held(::getpid())));
  EXPECT_EQ(files().key, before.key);
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
  EXPECT_TRUE(base::exists(before.database()));
}
TEST_F(SeatTest, ARecordedKeyWhoseSeatIsFreeIsLeft) {
  const sink::SeatFiles before = files();
  const std::string record =
      sink::record_path(before.folder, {fleet_.url(), "codex", ""}, dir_ / "work");
  ASSERT_TRUE(base::make_private_directory(before.folder).ok());
  write_text(record, std::string(32, 'a') + "\n");
  start();
  harness_->handshake();
  EXPECT_EQ(read_text(record), before.key);
  EXPECT_FALSE(said("another bridge"));
}

// 133: L2
TEST_F(SeatTest, AnUnreadableCheckoutIsSaidAndItsFolderIsTheSeat) {
  write_text(dir_ / "work/.git", "gitdir: /" + std::string(300, 'x') + "\n");  // ENAMETOOLONG
  start_joined();
  EXPECT_EQ(times_said("this checkout could not be read ("), 1U);
  EXPECT_TRUE(said("); this bridge uses the sink of the folder it was started in."));
  fleet_.directive();
  EXPECT_TRUE(wait_rows(1));
}

// 134
TEST_F(SeatTest, TheKeyRecordIsThereWhileTheBridgeRuns) {
  const std::string record =
      sink::record_path(files().folder, {fleet_.url(), "codex", ""}, dir_ / "work");
  start();
  harness_->handshake();
  EXPECT_EQ(read_text(record), files().key);
  finish();
  EXPECT_FALSE(base::exists(record));
}

// 38: without a cause there is no Cursor text
TEST_F(SeatTest, ANewCursorApplicationIsToldOfNoEarlierJoin) {
  options_.harness = "cursor";
  start();
  harness_->request("1", "initialize");
  const std::string answer = harness_->answer("1");
  EXPECT_EQ(answer.find("Cursor"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("operator: "), std::string::npos);
}

// 135
TEST_F(SeatTest, ACursorBridgeRejoinsAfterItsRestart) {
  options_.harness = "cursor";
  start_joined();
  finish();
  ASSERT_TRUE(base::exists(files().joined()));
  start();
  EXPECT_TRUE(wait_said("Joined the fleet as session 42"));
  EXPECT_TRUE(said(std::string(text::kRejoining)));
  EXPECT_TRUE(wait_said(std::string(text::kRejoined)));
  harness_->request("1", "initialize");
  EXPECT_NE(harness_->answer("1").find("has rejoined it as it was"), std::string::npos);
  // 57
  harness_->call("2", "leave");
  harness_->text_of("2");
  EXPECT_FALSE(base::exists(files().joined()));
}
TEST_F(SeatTest, ARejoinThatFailsIsToldAsNone) {
  options_.harness = "cursor";
  start_joined();
  finish();
  fleet_.on("POST sessions", FleetReply{500, "", {}});
  start();
  EXPECT_TRUE(wait_said("and this bridge has not rejoined"));
  EXPECT_FALSE(said(std::string(text::kRejoined)));
  harness_->request("1", "initialize");
  EXPECT_NE(harness_->answer("1").find(
                "joined the Robot Council fleet from this machine less than a minute ago"),
            std::string::npos);
}

// 136
TEST_F(SeatTest, AnotherApplicationsRecordIsOnlyToldOf) {
  options_.harness = "cursor";
  ASSERT_TRUE(base::make_private_directory(files().folder).ok());
  bridge::write_join_record(files().joined(), {}, {4'000'000, "123"}, clock_.wall_ms() - 125'000);
  start();
  harness_->handshake();
  EXPECT_TRUE(said("from this machine 2 minutes ago, and this bridge has not rejoined"));
  finish();
  EXPECT_TRUE(fleet_.requests().empty());
}

// 138
TEST_F(SeatTest, AJoinRecordOfADayIsDeletedInSilence) {
  options_.harness = "cursor";
  ASSERT_TRUE(base::make_private_directory(files().folder).ok());
  bridge::write_join_record(files().joined(), {}, {4'000'000, "123"},
                            clock_.wall_ms() - 86'401'000);
  start();
  harness_->request("1", "initialize");
  EXPECT_EQ(harness_->answer("1").find("Cursor"), std::string::npos);
  EXPECT_FALSE(base::exists(files().joined()));
  finish();
  EXPECT_FALSE(said("Cursor"));
  EXPECT_TRUE(fleet_.requests().empty());
}

// 137
TEST_F(SeatTest, OnlyANamedCursorKeepsARecord) {
  options_.harness = "claude";
  start_joined();
  finish();
  EXPECT_FALSE(base::exists(files().joined()));
}
TEST_F(SeatTest, ADetectedCursorKeepsNone) {
  options_.harness.clear();
  environment_.set("CURSOR_AGENT", "1");
  start_joined();
  finish();
  options_.harness = "cursor";
  EXPECT_FALSE(base::exists(files().joined()));
}

// 138
TEST(JoinRecordRule, FirstMatchDecides) {
  constexpr std::int64_t kNow = 1'800'000'000'000;
  const sink::ProcessName parent{50, "77"};
  JoinRecord record;
  record.parent = parent;
  record.joined_s = kNow / 1000 - 10;
  EXPECT_EQ(bridge::choose_rejoin(record, parent, SeatAtStart::obtained, kNow),
            RejoinChoice::rejoin);
  EXPECT_EQ(bridge::choose_rejoin(record, parent, SeatAtStart::held, kNow), RejoinChoice::tell);
  EXPECT_EQ(bridge::choose_rejoin(record, {51, "77"}, SeatAtStart::obtained, kNow),
            RejoinChoice::tell);
  EXPECT_EQ(bridge::choose_rejoin(record, {50, "78"}, SeatAtStart::obtained, kNow),
            RejoinChoice::tell);
  EXPECT_EQ(bridge::choose_rejoin(record, {50, ""}, SeatAtStart::obtained, kNow),
            RejoinChoice::tell);
  record.joined_s = kNow / 1000 - 86401;
  EXPECT_EQ(bridge::choose_rejoin(record, {51, "77"}, SeatAtStart::obtained, kNow),
            RejoinChoice::forget);
  record.joined_s = kNow / 1000 - 86400;
  EXPECT_EQ(bridge::choose_rejoin(record, {51, "77"}, SeatAtStart::obtained, kNow),
            RejoinChoice::tell);
}
TEST(JoinRecordRule, AgesAreExact) {
  const auto age = [](std::int64_t seconds) { return text::not_rejoined(seconds); };
  EXPECT_NE(age(59).find("machine less than a minute ago,"), std::string::npos);
  EXPECT_NE(age(60).find("machine 1 minute ago,"), std::string::npos);
  EXPECT_NE(age(119).find("machine 1 minute ago,"), std::string::npos);
  EXPECT_NE(age(120).find("machine 2 minutes ago,"), std::string::npos);
}
TEST(JoinRecordRule, IsWrittenAndReadBack) {
  const TempDir dir;
  bridge::JoinRequest request;
  request.role = "ci";
  request.capacity = 3;
  bridge::write_join_record(dir / "r", request, {50, "77"}, 1'800'000'000'000);
  EXPECT_EQ(base::file_info(dir / "r", base::Links::dont)->mode, 0600U);
  const std::optional<JoinRecord> record = bridge::read_join_record(dir / "r");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->arguments.role, "ci");
  EXPECT_EQ(record->arguments.capacity, 3);
  EXPECT_FALSE(record->arguments.repository);
  EXPECT_EQ(record->joined_s, 1'800'000'000);
  for (const char* bad : {"", "[]", "{}", "null", R"({"joined_at":5})"}) {
    write_text(dir / "r", bad);
    EXPECT_FALSE(bridge::read_join_record(dir / "r")) << bad;
  }
}

}  // namespace
}  // namespace robot_council::test
