#include "brake/payload.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/fd.hpp"
#include "base/signals.hpp"
#include "brake/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::brake {
namespace {

HookPayload read(std::string_view text, std::size_t piece = 0) {
  PayloadReader reader;
  if (piece == 0) {
    reader.feed(text);
  } else {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      reader.feed(text.substr(at, piece));
    }
  }
  return reader.finish();
}

constexpr std::string_view kFull =
    R"({"session_id":"abc","cwd":"/src/a","workspace_roots":["/src/b","/src/c\u00e9"],"workspacePaths":[],)"
    R"("tool_input":{"cwd":"/not/this","name":["x",{"y":"}"}]},"hook_event_name":"PreToolUse",)"
    R"("toolCall":{"name":"run","args":{"name":"no"}},"turn_id":7,"model":null,"tool_name":"Bash","n":-1.5e+10})";

TEST(Payload, KeepsTheFieldsOfTheClientsWhateverThePieces) {
  for (const std::size_t piece : {0U, 1U, 2U, 7U}) {
    const HookPayload payload = read(kFull, piece);
    ASSERT_TRUE(payload.readable);
    EXPECT_EQ(payload.roots, (std::vector<std::string>{"/src/a", "/src/b", "/src/c\xC3\xA9"}));
    EXPECT_EQ(payload.session(), "abc");
    EXPECT_EQ(payload.tool(), "Bash");
    EXPECT_EQ(payload.text(Field::tool_call_name), "run");
    EXPECT_TRUE(payload.has(Field::tool_call));
    EXPECT_TRUE(payload.has(Field::turn_id));
    EXPECT_FALSE(payload.has(Field::model)) << "null is not there";
    EXPECT_FALSE(payload.has(Field::tool_args));
  }
}

TEST(Payload, EveryRepeatedRootCounts) {
  EXPECT_EQ(read(R"({"cwd":"/a","cwd":"/b","working_dir":"/c","workspaceRoot":"/d"})").roots,
            (std::vector<std::string>{"/a", "/b", "/c", "/d"}));
}

TEST(Payload, ByteOrderMarkAndRawControlBytesAreRead) {
  EXPECT_TRUE(read("\xEF\xBB\xBF{\"cwd\":\"/a\"}").readable);
  const HookPayload payload = read("{\"x\":\"line\nbreak\ttab\",\"cwd\":\"/a\"}");
  EXPECT_TRUE(payload.readable);
  EXPECT_EQ(payload.roots.size(), 1U);
}

// 44
TEST(Payload, WhatIsNoWholeObjectIsUnreadableAndKeepsWhatCameBefore) {
  for (const std::string_view text : {"",
                                      " \n",
                                      "[]",
                                      "7",
                                      "\"x\"",
                                      "null",
                                      "plain text",
                                      "{not-json",
                                      "{\"a\":1",
                                      "{\"a\":1}}",
                                      "{\"a\":1} {",
                                      "{\"a\"}",
                                      "{\"a\":1,}",
                                      "{,}",
                                      "{\"a\":[1,]}",
                                      "{\"a\":tru}",
                                      "{\"a\":\"\\x\"}",
                                      "{\"a\":\"\\u12g4\"}",
                                      "{\"a\":1]",
                                      "{\"a\" 1}",
                                      "{\"a\"::1}",
                                      "{1:2}",
                                      "}",
                                      "{\"a\":\"cut"}) {
    EXPECT_FALSE(read(text).readable) << text;
  }
  EXPECT_EQ(read(R"({"cwd":"/a","tool_input":{"command":"ec)").roots,
            (std::vector<std::string>{"/a"}));
}

// 45
TEST(Payload, TwentyMegabytesOfToolInputAreSkipped) {
  std::string text = R"({"tool_input":{"content":")";
  text.append(20U * 1024U * 1024U, 'x');
  text += R"("},"cwd":"/src/a"})";
  const HookPayload payload = read(text, 65536);
  EXPECT_TRUE(payload.readable);
  EXPECT_EQ(payload.roots, (std::vector<std::string>{"/src/a"}));
}

TEST(Payload, AFieldLargerThanWhatIsKeptIsUnreadable) {
  EXPECT_FALSE(read(R"({"cwd":")" + std::string(kMaxPayloadKept + 2, 'x') + "\"}").readable);
}

TEST(Payload, DeepNestingIsNoError) {
  const std::string deep(200000, '[');
  EXPECT_TRUE(read("{\"x\":" + deep + std::string(200000, ']') + ",\"cwd\":\"/a\"}").readable);
}

// 44
TEST(Payload, ClosedDescriptorAndSilentPipeAreUnreadableInTime) {
  EXPECT_FALSE(read_hook_payload(-1).readable);
  base::Result<base::Pipe> pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  ASSERT_TRUE(base::write_all(pipe.value().write_end.get(), "{\"cwd\":\"/a\"}",
                              base::deadline_in(kPayloadWait))
                  .ok());
  const base::SteadyTime before = base::deadline_in(base::Milliseconds(0));
  const HookPayload silent = read_hook_payload(pipe.value().read_end.get());
  EXPECT_FALSE(silent.readable) << "the end never came";
  EXPECT_EQ(silent.roots.size(), 1U);
  EXPECT_LT(base::deadline_in(base::Milliseconds(0)) - before,
            kPayloadWait + base::Milliseconds(1500));
}

// 44
TEST(Payload, EndlessInputEndsAtItsLimit) {
  base::ignore_sigpipe();
  base::Result<base::Pipe> pipe = base::Pipe::open();
  ASSERT_TRUE(pipe.ok());
  std::thread writer([fd = std::move(pipe.value().write_end)] {
    const std::string block(65536, ' ');
    while (base::write_all(fd.get(), block, robot_council::test::in_time()).ok()) {
    }
  });
  EXPECT_FALSE(read_hook_payload(pipe.value().read_end.get()).readable);
  pipe.value().read_end.reset();
  writer.join();
}

}  // namespace
}  // namespace robot_council::brake
