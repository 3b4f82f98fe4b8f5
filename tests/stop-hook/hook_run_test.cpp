// `pending --hook` within this process: decisions that need a certain time, seat or sink. With the
// real program: tests/e2e/hook_decision_test.cpp.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_scan.hpp"
#include "base/signals.hpp"
#include "base/time_text.hpp"
#include "sink/seat.hpp"
#include "stop-hook/hook.hpp"
#include "stop-hook/hook_record.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::stop_hook {
namespace {

using test::event;
using test::events;
using test::line_of_event;

class HookRuns : public ::testing::Test {
 protected:
  HookRuns() {
    base::ignore_sigpipe();
    home_.environment.set("ROBOT_COUNCIL_SERVICE", test::kService);
    home_.environment.set("XDG_RUNTIME_DIR", home_.dir / "run");
    options_.names.project = "org/repo";
    options_.braked = [this](std::string_view /*harness*/,
                             const std::vector<std::string>& folders) {
      folders_ = folders;
      return false;
    };
    seat_of("claude");
  }
  // A seat of this harness, with a live bridge.
  void seat_of(const std::string& harness) {
    store_.reset();
    home_.environment.set("ROBOT_COUNCIL_HARNESS", harness);
    files_ = sink::resolve_seat({test::kService, harness, "org/repo"}, home_.dir.path(),
                                home_.environment)
                 ->files;
    auto store = sink::BridgeStore::open(files_, home_.join(), home_.context());
    ASSERT_TRUE(store.ok());
    store_.emplace(std::move(*store));
  }
  void add(const std::vector<sink::FeedEvent>& list) {
    test::must_append(*store_, {list, std::nullopt, {}, sink::Renumber::no});
  }
  // The answer; what is said goes to the log.
  std::string hook(const std::string& payload) {
    const std::string path = home_.dir / "stdout";
    const int out = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    hook_into(payload, out);
    ::close(out);
    return test::read_text(path);
  }
  void hook_into(const std::string& payload, int out) {
    auto in = base::Pipe::open();
    ASSERT_TRUE(in.ok());
    ASSERT_TRUE(base::write_all(in->write_end.get(), payload, test::in_time()).ok());
    in->write_end.reset();
    EXPECT_EQ(run_hook(options_, home_.context(), in->read_end.get(), out), 0);
  }
  static std::string stop(const std::string& session, const std::string& turn,
                          const std::string& more = {}) {
    return R"({"session_id":")" + session + R"(","hook_event_name":"Stop","prompt_id":")" + turn +
           R"(","stop_hook_active":false)" + more + "}";
  }
  [[nodiscard]] HookRecord record() const {
    return read_record(files_.hook()).value_or(HookRecord{});
  }
  [[nodiscard]] std::vector<sink::HistoryRow> history() const {
    auto store = sink::DeliveryStore::open(files_, sink::Access::read_only, sink::WaitBudget());
    return (*store)->history(100).value_or({});
  }
  static std::string block(const std::string& lines) {
    return R"({"decision":"block","reason":"Robot Council has news:)" + lines + "\"}";
  }
  static std::size_t size_of_reason(const std::string& answer) {
    return base::json_unescape(base::json_member(answer, "reason")).size();
  }
  void damage() const { test::write_text(files_.database(), std::string(9000, 'z')); }
  static bool is_told(const std::string& answer) {
    return answer.find("Robot Council could not read") != std::string::npos;
  }

  test::SinkHome home_;
  HookOptions options_;
  sink::SeatFiles files_;
  std::optional<sink::BridgeStore> store_;
  std::vector<std::string> folders_;  // of which the brake was asked
};

// 5.1, 5.2: row 4 is for kinds that are told apart.
TEST_F(HookRuns, APayloadOfNoKnownKindIsAnswered) {
  add(events(1, 1));
  EXPECT_EQ(hook(R"({"session_id":"s","stop_hook_active":false})"),
            block("\\n" + line_of_event(1)));
}

// 5.2, row 5: `status` means something in Cursor's payload only.
TEST_F(HookRuns, AStatusOfAnotherHarnessBreaksNothingOff) {
  add(events(1, 1));
  EXPECT_EQ(hook(stop("s", "p1", R"(,"status":"error")")), block("\\n" + line_of_event(1)));
}

TEST_F(HookRuns, ATurnOfCursorThatWasBrokenOffIsNotedAsNoTurnEnd) {
  seat_of("cursor");
  add(events(1, 1));
  const std::string head = R"({"conversation_id":"c","generation_id":"g","loop_count":0,"status":)";
  EXPECT_NE(hook(head + R"("completed"})"), "");
  EXPECT_EQ(record().printed, 1U);
  EXPECT_EQ(hook(head + R"("aborted"})"), "{}");
  EXPECT_EQ(record().answer, HookAnswer::not_a_turn_end);
  EXPECT_EQ(record().printed, 0U);
}

// Section 3, P3 and P1: what a payload can say decides what proves its answer.
TEST_F(HookRuns, APayloadThatSaysNothingIsConfirmedByTheNext) {
  seat_of("goose");
  add(events(1, 1));
  EXPECT_NE(hook(R"({"event":"Stop","session_id":"s","n":1})"), "");
  EXPECT_EQ(hook(R"({"event":"Stop","session_id":"s","n":2})"), "");
  ASSERT_EQ(history().size(), 1U);
  EXPECT_EQ(history()[0].why, "confirmed");
}

TEST_F(HookRuns, APayloadWithTheFlagAloneCanProve) {
  add(events(1, 1));
  const auto payload = [](const char* more) {
    return R"({"session_id":"s","hook_event_name":"Stop","stop_hook_active":)" + std::string(more) +
           "}";
  };
  EXPECT_NE(hook(payload("false,\"n\":1")), "");
  EXPECT_EQ(hook(payload("false,\"n\":2")), block("\\n[repeat] " + line_of_event(1)));
  EXPECT_EQ(hook(payload("true")), "");
  ASSERT_EQ(history().size(), 1U);
  EXPECT_EQ(history()[0].why, "confirmed");
}

// 83
TEST_F(HookRuns, S083TheBudgetOfCodexIsForItsSeatAndItsPayload) {
  seat_of("codex");
  add({event(1, std::string(9000, 'b'))});
  EXPECT_EQ(size_of_reason(hook(stop("s", "p1"))), 8000U) << "105: without a turn id";
  seat_of("of-my-own");
  add({event(1, std::string(9000, 'b'))});
  EXPECT_EQ(
      size_of_reason(hook(
          R"({"session_id":"s","turn_id":"t","hook_event_name":"Stop","stop_hook_active":false})")),
      8000U);
  seat_of("claude");
  add({event(1, std::string(9000, 'b'))});
  EXPECT_GT(size_of_reason(hook(stop("s", "p1"))), 9000U);
}

TEST_F(HookRuns, TheBrakeIsAskedForEveryFolderOfTheSeat) {
  home_.environment.set("CLAUDE_PROJECT_DIR", "/project");
  seat_of("cursor");
  (void)hook(
      R"({"conversation_id":"c","status":"completed","loop_count":0,"workspace_roots":["/one","/two"]})");
  EXPECT_EQ(folders_,
            (std::vector<std::string>{"/project", *base::working_directory(), "/one", "/two"}));
}

TEST_F(HookRuns, ARightNumberOfRoundsIsNoReasonForALine) {
  home_.environment.set("ROBOT_COUNCIL_ROUNDS", "2");
  EXPECT_EQ(hook(stop("s", "p1")), "");
  EXPECT_EQ(home_.log.lines(), std::vector<std::string>{});
}

TEST_F(HookRuns, AReaderThatIsGoneIsNotedAsAnAnswerOfNothing) {
  add(events(1, 1));
  auto out = base::Pipe::open();
  ASSERT_TRUE(out.ok());
  out->read_end.reset();
  hook_into(stop("s", "p1"), out->write_end.get());
  EXPECT_EQ(record().answer, HookAnswer::printed);
  EXPECT_EQ(record().printed, 0U);
}

// 107
TEST_F(HookRuns, S107TheQuietObjectOfASecondHookAndOfABrokenSink) {
  home_.environment.set("ROBOT_COUNCIL_QUIET", "object");
  add(events(1, 1));
  EXPECT_EQ(hook(stop("s", "p1")), block("\\n" + line_of_event(1)));
  EXPECT_EQ(hook(stop("s", "p1")), "{}") << "65: wired twice";
  damage();
  EXPECT_TRUE(is_told(hook(stop("s", "p2"))));
  EXPECT_EQ(hook(stop("s", "p3")), "{}");
}

// 109: to the second.
TEST_F(HookRuns, S109AnUnreadableSinkIsToldAgainAfterTenMinutes) {
  damage();
  EXPECT_TRUE(is_told(hook(stop("s", "p1"))));
  EXPECT_EQ(record().told_ms, home_.clock.wall_ms());
  home_.clock.advance(base::Milliseconds(599'000));
  EXPECT_EQ(hook(stop("s", "p2")), "");
  home_.clock.advance(base::Milliseconds(1'000));
  EXPECT_TRUE(is_told(hook(stop("s", "p3"))));
}

// 5.4: the newest of the places counts.
TEST_F(HookRuns, ToldInOnePlaceIsTold) {
  damage();
  HookRecord told;
  told.told_ms = home_.clock.wall_ms() - 60'000;
  std::filesystem::create_directories(home_.dir / "run");
  ASSERT_TRUE(write_record(files_.hook(), told).ok());
  told.told_ms = home_.clock.wall_ms() - 3'600'000;
  const std::string fallback = home_.dir / "run/" + files_.key + ".hook";
  ASSERT_TRUE(write_record(fallback, told).ok());
  EXPECT_EQ(hook(stop("s", "p1")), "");
}

// 5.4: a folder whose mode is too wide is the sink's all the same.
TEST_F(HookRuns, ToldIsKeptInTheFolderOfTheSink) {
  // A link is not opened, so that the folder keeps its mode.
  std::filesystem::rename(files_.database(), home_.dir / "elsewhere");
  std::filesystem::create_symlink(home_.dir / "elsewhere", files_.database());
  ASSERT_EQ(::chmod(files_.folder.c_str(), 0755), 0);
  std::filesystem::create_directories(home_.dir / "run");
  ASSERT_EQ(::chmod((home_.dir / "run").c_str(), 0700), 0);
  EXPECT_TRUE(is_told(hook(stop("s", "p1"))));
  EXPECT_TRUE(record().told_ms.has_value());
  EXPECT_FALSE(base::exists(home_.dir / "run/" + files_.key + ".hook"));
}

// 2.1: a session that was told goes on with its turn; the others are as idle as before.
TEST_F(HookRuns, WhoIsIdleIsKnownWhenTheSinkCannotBeRead) {
  EXPECT_EQ(hook(stop("A", "p1")), "");
  EXPECT_EQ(hook(stop("B", "p1")), "");
  const std::int64_t since = home_.clock.wall_ms();
  EXPECT_EQ(record().idle_since("B"), since);
  damage();
  home_.clock.advance(base::Milliseconds(1'000));
  EXPECT_TRUE(is_told(hook(stop("B", "p2"))));
  EXPECT_EQ(record().idle_since("A"), since);
  EXPECT_FALSE(record().idle_since("B").has_value());
}

}  // namespace
}  // namespace robot_council::stop_hook
