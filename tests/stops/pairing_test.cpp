#include "stops/pairing.hpp"

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stops/deliveries.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

// A session of which each test tells the turn ends and the prompts, times in seconds.
class Pairing : public ::testing::Test {
 protected:
  Stop& stop(std::int64_t at, const std::string& prompt_id = "",
             Outcome outcome = Outcome::judged) {
    Stop stop;
    stop.ts_ms = at * 1000;
    stop.outcome = outcome;
    stop.host = &claude_;
    stop.session_id = &session_;
    stop.prompt_id = prompt_id;
    stops_.push_back(stop);
    return stops_.back();
  }
  Prompt& prompt(std::int64_t submit, const std::string& id = "", const std::string& parent = "") {
    Prompt prompt;
    prompt.submit_ms = submit * 1000;
    prompt.taken_ms = submit * 1000;
    prompt.prompt_id = id;
    prompt.parent_uuid = parent;
    transcript_.prompts.push_back(prompt);
    if (!id.empty()) {
      transcript_.prompt_ids.insert(id);
    }
    return transcript_.prompts.back();
  }
  // "5" = paired with the prompt of that second, else the reason.
  std::vector<std::string> outcome(
      std::optional<std::chrono::milliseconds> max_gap = std::nullopt) {
    std::vector<const Stop*> stops;
    for (const Stop& stop : stops_) {
      stops.push_back(&stop);
    }
    std::vector<std::string> found;
    for (const auto& match :
         pair_session(stops, has_transcript_ ? &transcript_ : nullptr, max_gap)) {
      found.push_back(match.next ? std::to_string(match.next->submit_ms / 1000)
                                 : std::string(match.left_out));
      anchor_ = match.anchor;
    }
    return found;
  }
  using Found = std::vector<std::string>;

  void SetUp() override { transcript_.first_ms = 0; }

  const std::string claude_ = "claude";
  const std::string codex_ = "codex";
  const std::string gemini_ = "gemini";
  const std::string session_ = "s";
  const std::string skip_ = "background_tasks";
  std::deque<Stop> stops_;
  Transcript transcript_;
  bool has_transcript_ = true;
  Match::Anchor anchor_ = Match::Anchor::none;
};

TEST_F(Pairing, NextPromptIsTheAnswer) {  // 86
  prompt(1, "a");
  stop(3, "a");
  prompt(5, "b");
  stop(7, "b");
  prompt(9, "c");
  EXPECT_EQ(outcome(), (Found{"5", "9"}));
  EXPECT_EQ(anchor_, Match::Anchor::prompt_id);
}

// A prompt of the turn that ended is no answer to its end, whatever its time says.
TEST_F(Pairing, PromptOfTheSameTurnIsLookedPast) {
  prompt(1, "a");
  stop(5, "a");
  prompt(6, "a");
  EXPECT_EQ(outcome(), Found{"ended"});
  prompt(8, "b");
  EXPECT_EQ(outcome(), Found{"8"});
}

TEST_F(Pairing, PromptQueuedBeforeTheStopOvertakesIt) {  // 87
  prompt(1, "a");
  stop(5, "a");
  prompt(3, "b").taken_ms = 6000;
  EXPECT_EQ(outcome(), Found{"overtaken"});
  stop(8, "b");
  prompt(10, "c");
  EXPECT_EQ(outcome(), (Found{"overtaken", "10"}));
}

// The prompt that is taken in next decides, also where another turn ends first and a later prompt
// was sent in between.
TEST_F(Pairing, PromptTakenNextOvertakesAlsoBehindAnotherStop) {  // 87
  prompt(1, "x");
  stop(5, "x");
  prompt(3, "a").taken_ms = 9000;
  prompt(6, "b").taken_ms = 10000;
  stop(8, "x");
  EXPECT_EQ(outcome(), (Found{"overtaken", "overtaken"}));
}

TEST_F(Pairing, PromptQueuedWhileTheHookRanAnswers) {  // 88
  prompt(1, "a");
  stop(5, "a");
  Prompt& queued = prompt(5, "b");
  queued.submit_ms += 400;
  queued.taken_ms = 6000;
  EXPECT_EQ(outcome(), Found{"5"});
}

TEST_F(Pairing, EscAndResendCountsOnce) {  // 90
  prompt(1, "a");
  stop(2, "a");
  prompt(4, "b", "parent");
  prompt(6, "c", "parent");
  EXPECT_EQ(outcome(), Found{"6"});
  prompt(8, "d", "parent");
  EXPECT_EQ(outcome(), Found{"8"});
}

TEST_F(Pairing, RewindAfterAFinishedTurnCountsTwice) {  // 90
  prompt(1, "a");
  stop(2, "a");
  prompt(4, "b", "parent");
  stop(5, "b");
  prompt(7, "c", "parent");
  EXPECT_EQ(outcome(), (Found{"4", "7"}));
}

TEST_F(Pairing, SecondStopOfATurnSupersedesTheFirst) {  // 91
  prompt(1, "a");
  stop(2, "a");
  stop(3, "a");
  EXPECT_EQ(outcome(), (Found{"superseded", "ended"}));
  prompt(5, "b");
  EXPECT_EQ(outcome(), (Found{"superseded", "5"}));
}

// Clients before prompt ids.
TEST_F(Pairing, WithoutIdsTheTimeDecides) {  // 94
  prompt(1);
  stop(2);
  prompt(5);
  EXPECT_EQ(outcome(), Found{"5"});
  EXPECT_EQ(anchor_, Match::Anchor::time);
}

TEST_F(Pairing, AnyStopBetweenSupersedes) {  // 92
  prompt(1, "a");
  stop(2, "a");
  stop(3, "task", Outcome::skipped).skip = &skip_;
  prompt(5, "b");
  EXPECT_EQ(outcome(), (Found{"superseded", "background_tasks"}));
}

TEST_F(Pairing, NothingMoreIsEnded) {  // 93; a built-in command is no prompt (transcript_test)
  prompt(1, "a");
  stop(2, "a");
  EXPECT_EQ(outcome(), Found{"ended"});
}

TEST_F(Pairing, ResumedNextDayIsAPair) {  // 94
  prompt(1, "a");
  stop(2);
  prompt(86402, "b");
  EXPECT_EQ(outcome(), Found{"86402"});
  EXPECT_EQ(anchor_, Match::Anchor::time);
  EXPECT_EQ(outcome(std::chrono::hours(12)), Found{"too_late"});
}

TEST_F(Pairing, DeliveredStaysDelivered) {  // 96
  prompt(1, "a");
  stop(2, "a").delivered = true;
  prompt(5, "b");
  EXPECT_EQ(outcome(), Found{"delivered"});
}

TEST_F(Pairing, OtherHostsHaveNoReader) {  // 97
  stop(2).host = &codex_;
  stop(3).host = &gemini_;
  prompt(5, "b");
  EXPECT_EQ(outcome(), (Found{"no_transcript_reader", "no_transcript_reader"}));
  has_transcript_ = false;
  EXPECT_EQ(outcome(), (Found{"no_transcript_reader", "no_transcript_reader"}));
}

TEST_F(Pairing, ProgramsHaveNoPerson) {  // 97
  transcript_.sdk = true;
  stop(2);
  EXPECT_EQ(outcome(), Found{"sdk_session"});
}

TEST_F(Pairing, FirstReasonCounts) {
  stop(2, "", Outcome::policy_error).host = &codex_;
  stop(3, "", Outcome::error).delivered = true;
  stop(4);
  has_transcript_ = false;
  EXPECT_EQ(outcome(), (Found{"policy_error", "error", "no_transcript"}));
}

TEST_F(Pairing, NeitherIdNorTimeIsUnmatched) {
  transcript_.first_ms = 9000;
  stop(2, "x");
  prompt(9, "b");
  EXPECT_EQ(outcome(), Found{"unmatched"});
}

TEST(Deliveries, PrintBelongsToTheNearestStop) {
  using Bits = std::vector<bool>;
  EXPECT_EQ(stops_with_prints({10000, 20000}, {9000}), (Bits{true, false}));  // up to 2 s before
  EXPECT_EQ(stops_with_prints({10000, 20000}, {7999}), (Bits{false, false}));
  EXPECT_EQ(stops_with_prints({10000, 60000}, {30000}), (Bits{true, false}));  // to 20 s after
  EXPECT_EQ(stops_with_prints({10000, 60000}, {30001}), (Bits{false, false}));
  EXPECT_EQ(stops_with_prints({10000, 12000}, {11000}), (Bits{true, false}));  // tie: the earlier
  EXPECT_EQ(stops_with_prints({10000, 12000}, {11001}), (Bits{false, true}));
  EXPECT_EQ(stops_with_prints({}, {1}), Bits{});
}

}  // namespace
}  // namespace robot_council::stops
