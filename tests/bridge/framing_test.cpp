#include "bridge/framing.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bridge/limits.hpp"
#include "bridge/message.hpp"

namespace robot_council::bridge {
namespace {

std::vector<std::string> frames_of(const std::vector<std::string>& pieces) {
  LineFramer framer;
  std::vector<std::string> out;
  for (const std::string& piece : pieces) {
    framer.feed(piece);
    while (auto frame = framer.next()) {
      out.push_back(frame->kind == FrameKind::line       ? frame->text
                    : frame->kind == FrameKind::too_long ? "<long>"
                                                         : "<length>");
    }
  }
  return out;
}

// Statement 14.
TEST(Framing, ALongLineInPiecesComesOutOnceAndWhole) {
  const std::string line = "\"" + std::string(200000, 'x') + "\"";
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < line.size(); i += 7919) {
    pieces.push_back(line.substr(i, 7919));
  }
  pieces.emplace_back("\n");
  EXPECT_EQ(frames_of(pieces), std::vector<std::string>{line});
}

// Statement 15, case M01.
TEST(Framing, TwoMessagesInOneWriteAndASplitInsideACharacter) {
  EXPECT_EQ(frames_of({"{\"a\":1}\n{\"b\":\"\xC3", "\xA4\"}\n"}),
            (std::vector<std::string>{"{\"a\":1}", "{\"b\":\"\xC3\xA4\"}"}));
}

// Statement 16, case M04.
TEST(Framing, CarriageReturnsBlankLinesAndAByteOrderMarkAreNoError) {
  EXPECT_EQ(frames_of({"\xEF\xBB\xBF{}\r\n\r\n  \n\t{} \n"}),
            (std::vector<std::string>{"{}", "{}"}));
}

// Statement 17.
TEST(Framing, AnUnterminatedLastLineIsNotGivenOut) {
  EXPECT_EQ(frames_of({"{}\n{\"x\""}), std::vector<std::string>{"{}"});
}

// Statement 18.
TEST(Framing, EightMebibytesPassAndOneByteMoreDoesNot) {
  const std::string whole(kMaxLineBytes, 'a');
  EXPECT_EQ(frames_of({whole + "\n"}).at(0).size(), kMaxLineBytes);
  EXPECT_EQ(frames_of({whole + "a\n", "{}\n"}), (std::vector<std::string>{"<long>", "{}"}));
  EXPECT_EQ(frames_of({whole, "aa", "a", "\n{}\n"}), (std::vector<std::string>{"<long>", "{}"}));
}

// Statement 19.
TEST(Framing, AGibibyteWithoutANewlineIsNotKept) {
  LineFramer framer;
  const std::string piece(kReadBytes, 'x');
  for (int i = 0; i < 16384; ++i) {
    framer.feed(piece);
    ASSERT_FALSE(framer.next());
    ASSERT_LE(framer.held(), kMaxLineBytes + kReadBytes);
  }
}

// Statement 12, case M03.
TEST(Framing, AContentLengthHeaderIsSeenOnlyAtTheStart) {
  EXPECT_EQ(frames_of({"\r\ncontent-LENGTH: 5\r\n\r\n{}\n"}),
            (std::vector<std::string>{"<length>", "{}"}));
  EXPECT_EQ(frames_of({"{}\nContent-Length: 5\n"}),
            (std::vector<std::string>{"{}", "Content-Length: 5"}));
}

struct Kind {
  const char* line;
  MessageKind kind;
  const char* id;
};

// Statements 21 to 27.
TEST(Message, EachKindIsTold) {
  for (const Kind& expected : std::vector<Kind>{
           {"x", MessageKind::not_json, "null"},
           {"\"\xC3\"", MessageKind::not_json, "null"},
           {"5", MessageKind::not_json, "null"},
           {"null", MessageKind::not_json, "null"},
           {"{}", MessageKind::invalid_request, "null"},
           {R"({"id":true,"method":"x"})", MessageKind::invalid_request, "null"},
           {R"({"id":[1],"method":"x"})", MessageKind::invalid_request, "null"},
           {R"({"id":{},"method":"x"})", MessageKind::invalid_request, "null"},
           {R"({"id":1,"method":5})", MessageKind::invalid_request, "1"},
           {"[]", MessageKind::batch, "null"},
           {R"({"id":1,"result":{}})", MessageKind::response, "1"},
           {R"({"method":"x"})", MessageKind::notification, "null"},
           {R"({"id":null,"method":"x"})", MessageKind::notification, "null"},
           {R"({"id":1e999,"method":"x"})", MessageKind::request, "1e999"},
           {R"({"id":1234567890123456789012345678901234567890,"method":"x"})", MessageKind::request,
            "1234567890123456789012345678901234567890"},
           {R"({"id":1.0,"method":"x"})", MessageKind::request, "1.0"},
           {R"({"id":"\u0061","method":"\u0078"})", MessageKind::request, R"("\u0061")"},
       }) {
    const Message message = classify(expected.line);
    EXPECT_EQ(message.kind, expected.kind) << expected.line;
    EXPECT_EQ(message.id, expected.id) << expected.line;
  }
  EXPECT_EQ(classify(R"({"id":1,"method":"\u0078"})").method, "x");
}

TEST(Message, NestingOf128PassesAnd129DoesNot) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(classify(nested(128)).kind, MessageKind::batch);
  EXPECT_EQ(classify(nested(129)).kind, MessageKind::too_deep);
}

TEST(Message, IdsCompareByTypeAndValue) {
  EXPECT_TRUE(same_id("1", "1.0"));
  EXPECT_TRUE(same_id(R"("a")", R"("\u0061")"));
  EXPECT_TRUE(same_id("1e999", "1e999"));
  EXPECT_FALSE(same_id("1", R"("1")"));
  EXPECT_FALSE(same_id("null", "1"));
  EXPECT_FALSE(same_id("1", "2"));
}

}  // namespace
}  // namespace robot_council::bridge
