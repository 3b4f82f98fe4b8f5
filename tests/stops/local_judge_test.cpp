#include "stops/local_judge.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "stops/policy.hpp"
#include "stops/tail.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

Policy example() {
  const base::Result<Policy> policy =
      read_policy_file(test::source_file("resources/policy/stop.yaml"));
  EXPECT_TRUE(policy.ok()) << policy.error().what;
  return policy.value_or(Policy{});
}

Reply asked(const std::string& message, bool cut = false) {
  const JudgeResult result =
      ask_local({example().questions, state_json({message, message.size(), cut})});
  return std::holds_alternative<Reply>(result) ? std::get<Reply>(result) : Reply{};
}

char shown(double p) {
  return p == 0.5 ? 'u' : static_cast<char>('0' + static_cast<int>(p));
}

std::string code(const std::string& message, bool cut = false) {
  const Reply reply = asked(message, cut);
  return {shown(reply.answers.at("asks_approval")), shown(reply.answers.at("needs_input")),
          shown(reply.answers.at("hard_to_undo"))};
}

// 52
TEST(LocalJudge, TheLabelledMessages) {
  const Policy policy = example();
  std::size_t count = 0;
  for (const std::string& line :
       base::split(test::read_text(test::source_file("tests/fixtures/stops/messages.txt")), '\n')) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    ++count;
    const std::string message = base::replace_all(line.substr(4), "\\n", "\n");
    EXPECT_EQ(code(message), line.substr(0, 3)) << line;
    const Decision decision = rescore(asked(message).answers, policy);
    EXPECT_EQ(decision.verdict == Verdict::carry_on, line.substr(0, 3) == "100") << line;
  }
  EXPECT_EQ(count, 40U);
}

// 53
TEST(LocalJudge, UnknownQuestionIsUnsure) {
  const JudgeResult result =
      ask_local({{{"is_rude", "x", {}}}, state_json({"Shall I?", 8, false})});
  ASSERT_TRUE(std::holds_alternative<Reply>(result));
  EXPECT_EQ(std::get<Reply>(result).answers.at("is_rude"), 0.5);
  EXPECT_EQ(std::get<Reply>(result).model, "phrases-1");
  EXPECT_EQ(std::get<Reply>(result).p_kind, PKind::phrase);
}

TEST(LocalJudge, WordsAreWholeAndMarkdownDoesNotCount) {
  EXPECT_EQ(code("The remerge tool is done. Shall I start it?"), "100");
  EXPECT_EQ(code("Shall I try merging it?"), "101");
  EXPECT_EQ(code("Shall I start shipping?"), "101");
  EXPECT_EQ(code("- [x] done\n- **Should I merge it?**"), "101");
  EXPECT_EQ(code("# Shall I?\n"), "100");
  EXPECT_EQ(code("Shall I run `make v1.2? no`"), "000");  // its ? is in a code span
  EXPECT_EQ(code("~~~\nShall I?\n~~~"), "000");
  EXPECT_EQ(code("There is no need to say the word."), "000");
  EXPECT_EQ(code("Ok?"), "100");
  EXPECT_EQ(code("If you’d like, I can add one."), "u00");
}

// A cut text may begin inside a fenced block: its end fence then opens nothing.
TEST(LocalJudge, CutInsideAFenceStillSeesTheQuestion) {
  EXPECT_EQ(code("int x;\n```\nShall I go on?", true), "100");
  EXPECT_EQ(code("int x;\n```\nShall I go on?", false), "000");
}

// 54; the release bound is measured by tests/bench, here only that the time grows with the length.
TEST(LocalJudge, LongTextsAreLinear) {
  for (const char* part :
       {"`", "a", "? ", "Shall I? ", "\"", "```\n", "or not ", "` `` ", "\n> x"}) {
    const auto time_of = [part](std::size_t size) {
      std::string text;
      while (text.size() < size) {
        text += part;
      }
      return test::processor_time([&text] { (void)asked(text); });
    };
    // Eight times the length takes about eight times as long; a square would be 64 times.
    EXPECT_LT(time_of(64000), 24 * (time_of(8000) + std::chrono::milliseconds(1))) << part;
  }
}

}  // namespace
}  // namespace robot_council::stops
