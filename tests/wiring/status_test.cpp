#include "wiring/status.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/time_text.hpp"
#include "brake/stop_file.hpp"
#include "sink/seat_lock.hpp"
#include "sink/store.hpp"
#include "stop-hook/hook_record.hpp"
#include "stop-hook/wait_record.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

namespace {

constexpr const char* kService = "https://fleet.example.test";

}  // namespace

// A folder outside git, with a seat of claude and one of codex in it.
class Status : public ::testing::Test {
 protected:
  Status() {
    environment_.set("HOME", home_.path());
    environment_.set("PATH", "/usr/bin:/bin");
    folder_ = *base::real_path(home_.path()) + "/work";
    write_text(folder_ + "/file", "x");
  }

  [[nodiscard]] sink::Seat seat(const std::string& harness) const {
    return *sink::resolve_seat({kService, harness, ""}, folder_, environment_);
  }

  // What a bridge writes at its join.
  void write_record(const sink::Seat& seat, const std::string& since = "2026-11-30T05:00:00Z",
                    const std::string& session = "41") {
    write_text(
        seat.files.bridge(),
        R"({"pid":4711,"version":"v1.2.3","since":")" + since + R"(","service":")" +
            seat.names.service + R"(","harness":")" + seat.names.harness +
            R"(","project":null,"project_env":null,"folder":")" + folder_ +
            R"(","path":"/usr/bin","state":null,"session":)" + session +
            R"(,"leftover":null,"role":"build","cursor":123,"read_at":"2026-11-30T05:59:48Z",)"
            R"("tool_at":null,"noticed_at":null,"channel":false})");
  }

  // A sink with these directives waiting; the store is closed again.
  void store_events(const sink::Seat& seat, int count) {
    sink::JoinInfo join;
    join.session = 41;
    join.bridge = sink::own_process();
    join.client = sink::parent_process();
    auto store = sink::BridgeStore::open(seat.files, join, context_);
    ASSERT_TRUE(store.ok()) << store.error().what;
    sink::Page page;
    for (int i = 1; i <= count; ++i) {
      page.events.push_back(sink::FeedEvent::from_json(R"({"id":)" + std::to_string(i) +
                                                       R"(,"type":"directive","body":"go"})"));
    }
    page.cursor = count;
    ASSERT_TRUE(store->append(page).ok());
  }

  int run(wiring::Shape shape, const std::string& harness = "", const std::string& service = "") {
    wiring::SeatQuery query;
    query.harness = harness;
    query.service = service;
    query.folder = folder_;
    out_.clear();
    return wiring::status(context_, query, shape, [this](std::string_view text) -> base::Status {
      out_ += text;
      return {};
    });
  }

  base::Json json(const std::string& harness = "", const std::string& service = "", int code = 0) {
    EXPECT_EQ(run(wiring::Shape::json, harness, service), code);
    auto parsed = base::parse_bounded(out_, 1 << 20);
    EXPECT_TRUE(parsed.ok()) << out_;
    return parsed.ok() ? *parsed : base::Json();
  }

  TempDir home_;
  std::string folder_;
  FakeClock clock_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  base::Context context_{clock_, environment_, log_};
  std::string out_;
};

TEST_F(Status, NoSeatIsNoError) {
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_EQ(out_, "No seat is known for this checkout.\n");
  EXPECT_EQ(base::dump_safe(json()), R"({"brake":null,"seats":[],"version":1})");
  EXPECT_FALSE(base::exists(home_ / ".local"));
}

// Account contract, 104.
TEST_F(Status, BridgeUpDownAndKilledAreToldApart) {
  const auto seat = this->seat("claude");
  write_record(seat);
  auto object = json();
  ASSERT_EQ(object["seats"].size(), 1U);
  EXPECT_EQ(object["seats"][0]["bridge"]["running"], false);
  EXPECT_EQ(object["seats"][0]["bridge"]["pid"], nullptr);
  EXPECT_EQ(object["seats"][0]["bridge"]["version"], "v1.2.3");
  EXPECT_EQ(object["seats"][0]["session"]["id"], 41);
  EXPECT_EQ(object["seats"][0]["feed"]["cursor"], 123);
  EXPECT_EQ(object["seats"][0]["channel"]["declared"], false);
  EXPECT_EQ(object["seats"][0]["channel"]["confirmed"], nullptr);
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_NE(out_.find("  bridge: not running; the last one began 1 h ago\n"), std::string::npos)
      << out_;
  EXPECT_NE(out_.find("  session: 41, build (its end was not answered)\n"), std::string::npos)
      << out_;
  {
    const auto claim = sink::claim_seat(seat.files);
    ASSERT_TRUE(claim.obtained);
    object = json();
    EXPECT_EQ(object["seats"][0]["bridge"]["running"], true);
    EXPECT_EQ(object["seats"][0]["bridge"]["pid"], static_cast<std::int64_t>(::getpid()));
    EXPECT_EQ(run(wiring::Shape::text), 0);
    EXPECT_NE(
        out_.find("  bridge: running, pid " + std::to_string(::getpid()) + ", v1.2.3, since 1 h\n"),
        std::string::npos);
    EXPECT_NE(out_.find("  feed: at event 123, read 12 s ago\n"), std::string::npos);
  }
  EXPECT_EQ(json()["seats"][0]["bridge"]["running"], false);
  write_record(seat, "2026-11-30T05:00:00Z", "null");
  object = json();
  EXPECT_EQ(object["seats"][0]["session"]["id"], nullptr);
  EXPECT_EQ(object["seats"][0]["session"]["role"], nullptr);
}

// 105.
TEST_F(Status, CountsAndAgesAreThoseOfTheSink) {
  const auto seat = this->seat("claude");
  write_record(seat);
  store_events(seat, 3);
  clock_.advance(base::Milliseconds(5 * 60 * 1000));
  auto object = json();
  EXPECT_EQ(object["seats"][0]["events"]["waiting"], 3);
  EXPECT_EQ(object["seats"][0]["events"]["written"], 0);
  EXPECT_EQ(object["seats"][0]["events"]["undelivered"], 0);
  EXPECT_EQ(object["seats"][0]["events"]["oldest_at"], "2026-11-30T06:00:00Z");
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_NE(out_.find("  events: 3 waiting (oldest 5 min), 0 written, 0 undelivered\n"),
            std::string::npos)
      << out_;
  // Two are printed and marked, one of them proven.
  auto store = sink::DeliveryStore::open(seat.files, sink::Access::read_write, sink::WaitBudget());
  ASSERT_TRUE(store.ok() && store->has_value());
  const auto look = (*store)->look(std::nullopt);
  ASSERT_TRUE(look.ok());
  const std::vector<sink::Entry> two(look->rows.begin(), look->rows.begin() + 2);
  const std::int64_t now = clock_.wall_ms();
  ASSERT_TRUE((*store)
                  ->write(sink::WaitBudget(),
                          [&](sink::DeliveryStore::Transaction& transaction) -> base::Status {
                            sink::OfferTerms terms;
                            terms.id = "offer";
                            transaction.offer(two, sink::Call{}, terms, now);
                            transaction.mark_written("offer", now);
                            return {};
                          })
                  .ok());
  const auto printed = (*store)->look(std::nullopt);
  ASSERT_TRUE((*store)
                  ->write(sink::WaitBudget(),
                          [&](sink::DeliveryStore::Transaction& transaction) -> base::Status {
                            const auto rows = transaction.look(std::nullopt);
                            transaction.settle(rows.rows.at(0), sink::Settlement::confirmed, now);
                            return {};
                          })
                  .ok());
  object = json();
  EXPECT_EQ(object["seats"][0]["events"]["waiting"], 1);
  EXPECT_EQ(object["seats"][0]["events"]["written"], 1);
  EXPECT_EQ(object["seats"][0]["confirmed_at"], "2026-11-30T06:05:00Z");
}

TEST_F(Status, TheHookAndTheWaiterAreShown) {
  const auto seat = this->seat("claude");
  write_record(seat);
  stop_hook::HookRecord hook;
  hook.at_ms = clock_.wall_ms() - 12000;
  hook.answer = stop_hook::HookAnswer::printed;
  hook.printed = 2;
  ASSERT_TRUE(stop_hook::write_record(seat.files.hook(), hook).ok());
  stop_hook::WaitClient waiter;
  waiter.client = sink::parent_process();
  waiter.waiter = sink::own_process();
  waiter.session = "s";
  waiter.since_ms = clock_.wall_ms();
  ASSERT_TRUE(stop_hook::take_over(seat.files, waiter).ok());
  const auto object = json();
  EXPECT_EQ(object["seats"][0]["hook"]["answer"], "printed");
  EXPECT_EQ(object["seats"][0]["hook"]["printed"], 2);
  EXPECT_EQ(object["seats"][0]["hook"]["at"], "2026-11-30T05:59:48Z");
  EXPECT_EQ(object["seats"][0]["wake"]["path"], "background hook");
  EXPECT_EQ(object["seats"][0]["wake"]["pid"], static_cast<std::int64_t>(::getpid()));
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_NE(out_.find("  hook: printed 2, 12 s ago\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("  wake: background hook, waiting since 06:00 (pid " +
                      std::to_string(::getpid()) + ")\n"),
            std::string::npos)
      << out_;
  EXPECT_NE(out_.find("  channel: not declared\n"), std::string::npos);
}

TEST_F(Status, AHarnessWithoutAWakePathSaysSo) {
  write_record(seat("codex"));
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_NE(out_.find("  wake: none for codex; events are handed over at the next turn end\n"),
            std::string::npos)
      << out_;
  EXPECT_EQ(out_.find("channel:"), std::string::npos);
}

// 106.
TEST_F(Status, ABrokenSinkIsExit3AndTheOthersAreShown) {
  const auto claude = seat("claude");
  const auto codex = seat("codex");
  write_record(claude);
  write_record(codex);
  store_events(codex, 1);
  write_text(claude.files.database(),
             "this is no database, but long enough to look like a file of one");
  const auto object = json("", "", 3);
  ASSERT_EQ(object["seats"].size(), 2U);
  EXPECT_EQ(object["seats"][0]["harness"], "claude");
  EXPECT_NE(object["seats"][0]["error"].get<std::string>().find("does not parse"),
            std::string::npos);
  EXPECT_EQ(object["seats"][0]["events"]["waiting"], nullptr);
  EXPECT_EQ(object["seats"][1]["events"]["waiting"], 1);
  EXPECT_FALSE(object["seats"][1].contains("error"));
}

// 107, in part: nothing is made or changed.
TEST_F(Status, WritesNothing) {
  const auto seat = this->seat("claude");
  write_record(seat);
  store_events(seat, 1);
  const auto names = base::list_directory(seat.files.folder);
  const std::string bytes = read_text(seat.files.database());
  ASSERT_TRUE(base::set_mode(seat.files.folder, 0500).ok());
  EXPECT_EQ(json()["seats"][0]["events"]["waiting"], 1);
  ASSERT_TRUE(base::set_mode(seat.files.folder, 0700).ok());
  EXPECT_EQ(base::list_directory(seat.files.folder).value_or({}), names.value_or({}));
  EXPECT_EQ(read_text(seat.files.database()), bytes);
}

TEST_F(Status, SeatsOfOtherCheckoutsAreLeftOut) {
  write_record(seat("claude"));
  const std::string other = *base::real_path(home_.path()) + "/other";
  write_text(other + "/file", "x");
  folder_ = other;
  EXPECT_TRUE(json()["seats"].empty());
}

TEST_F(Status, OptionsNameASeatThatIsNotKnownYet) {
  const auto object = json("goose", kService);
  ASSERT_EQ(object["seats"].size(), 1U);
  EXPECT_EQ(object["seats"][0]["key"], seat("goose").files.key);
  write_record(seat("claude"));
  EXPECT_EQ(json("claude").at("seats").size(), 1U);
  EXPECT_EQ(json("codex").at("seats").size(), 0U);
}

TEST_F(Status, TheBrakeLeads) {
  brake::Stop stop;
  stop.reason = "wrong branch";
  stop.who = "ana@example.org";
  stop.when = "2026-11-30T05:40:12Z";
  stop.repo = folder_;
  write_text(folder_ + "/.robot-council/stop.json", brake::write_stop(stop));
  write_record(seat("claude"));
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_EQ(out_.find("STOPPED work: every agent\n"), 0U) << out_;
  EXPECT_NE(out_.find("wrong branch"), std::string::npos);
  const auto object = json();
  EXPECT_EQ(object["brake"]["reason"], "wrong branch");
  EXPECT_EQ(object["seats"].size(), 1U);
}

TEST_F(Status, ForeignTextInARecordReachesNoTerminalRaw) {
  const auto seat = this->seat("claude");
  write_record(seat);
  std::string text = read_text(seat.files.bridge());
  text.replace(text.find("v1.2.3"), 6, "v\\u001b[2J");
  write_text(seat.files.bridge(), text);
  const auto claim = sink::claim_seat(seat.files);
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
}

TEST_F(Status, AnOlderProgramsFileIsMentioned) {
  const auto seat = this->seat("claude");
  write_record(seat);
  write_text(seat.files.path(".json"), "[]");
  EXPECT_EQ(run(wiring::Shape::text), 0);
  EXPECT_TRUE(log_.contains("an older program left 2 bytes in " + seat.files.path(".json") +
                            "; nothing reads it."));
}

TEST_F(Status, AClosedStdoutIsExit1) {
  wiring::SeatQuery query;
  query.folder = folder_;
  EXPECT_EQ(wiring::status(context_, query, wiring::Shape::text,
                           [](std::string_view) -> base::Status {
                             return base::Error{base::Errc::io, "Broken pipe"};
                           }),
            1);
}

}  // namespace robot_council::test
