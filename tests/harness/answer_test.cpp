#include "harness/answer.hpp"

#include <gtest/gtest.h>

namespace robot_council::harness {
namespace {

TEST(Answer, KeysAndTheirOrderAreExact) {
  EXPECT_EQ(render_answer(AnswerShape::block, "a/b \"c\"\nü"),
            "{\"decision\":\"block\",\"reason\":\"a/b \\\"c\\\"\\nü\"}");
  EXPECT_EQ(render_answer(AnswerShape::cursor, "x"), R"({"followup_message":"x"})");
  EXPECT_EQ(render_answer(AnswerShape::deny, "x"), R"({"decision":"deny","reason":"x"})");
}

TEST(Answer, TextThatLooksLikeJsonStaysInsideTheObject) {  // O02
  EXPECT_EQ(render_answer(AnswerShape::block, "[1,2"), R"({"decision":"block","reason":"[1,2"})");
}

TEST(Answer, NeverTheShapeOfAToolHook) {  // O04, P18
  for (const AnswerShape shape : {AnswerShape::block, AnswerShape::cursor, AnswerShape::deny}) {
    const std::string answer = render_answer(shape, "x");
    EXPECT_EQ(answer.find("permissionDecision"), std::string::npos);
    EXPECT_EQ(answer.find("hookSpecificOutput"), std::string::npos);
  }
}

TEST(Answer, ThePayloadChoosesTheShape) {
  EXPECT_EQ(answer_shape(PayloadKind::claude), AnswerShape::block);
  EXPECT_EQ(answer_shape(PayloadKind::codex), AnswerShape::block);
  EXPECT_EQ(answer_shape(PayloadKind::copilot), AnswerShape::block);
  EXPECT_EQ(answer_shape(PayloadKind::goose), AnswerShape::block);
  EXPECT_EQ(answer_shape(PayloadKind::unknown), AnswerShape::block);
  EXPECT_EQ(answer_shape(PayloadKind::cursor), AnswerShape::cursor);
  EXPECT_EQ(answer_shape(PayloadKind::gemini), AnswerShape::deny);
}

TEST(Answer, ShapeWords) {
  EXPECT_EQ(parse_answer_shape("block"), AnswerShape::block);
  EXPECT_EQ(parse_answer_shape("cursor"), AnswerShape::cursor);
  EXPECT_EQ(parse_answer_shape("deny"), AnswerShape::deny);
  EXPECT_FALSE(parse_answer_shape("json").has_value());
  EXPECT_FALSE(parse_answer_shape("Block").has_value());
}

}  // namespace
}  // namespace robot_council::harness
