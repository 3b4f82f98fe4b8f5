#include "pending/transcript.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "pending/limits.hpp"
#include "pending/render.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::pending {
namespace {

std::string user_line(const std::string& text) {
  return R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":)" +
         base::quote_json(text) + "}]}}";
}

class Transcript : public ::testing::Test {
 protected:
  std::string json_ = test::event_json(7, "please rebase your branch & push <now>");
  std::string line_ = entry_line(json_);
  Evidence evidence_ = evidence_of(json_);
  bool shown(const std::string& line, Lines lines = Lines::user) {
    return line_shows(line, evidence_, lines);
  }
  test::TempDir dir_;
};

TEST_F(Transcript, WhatIsLookedFor) {
  EXPECT_EQ(evidence_.prefix, "[directive] please rebase your branch ");
  EXPECT_EQ(evidence_.time, std::string(" at ") + test::kTime);
  const Evidence longer = evidence_of(test::event_json(1, std::string(200, 'a')));
  EXPECT_EQ(longer.prefix.size(), 80U);
}

// 53
TEST_F(Transcript, S053UserLinesOfEachClientProve) {
  EXPECT_TRUE(shown(user_line("Robot Council has news:\n" + line_)));
  EXPECT_TRUE(
      shown(R"({"type":"user.message","data":{"content":)" + base::quote_json(line_) + "}}"));
  EXPECT_TRUE(shown(R"({"role":"user","content":)" + base::quote_json(line_) + "}"));
  EXPECT_TRUE(
      shown(R"({"type":"x","message":{"role":"user","content":)" + base::quote_json(line_) + "}}"));
  EXPECT_TRUE(shown(
      R"({"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":)" +
      base::quote_json(line_) + "}]}}"));
}

// 54
TEST_F(Transcript, S054OtherLinesProveNothing) {
  EXPECT_FALSE(shown(R"({"type":"attachment","attachment":{"type":"hook_success","content":)" +
                     base::quote_json(line_) + "}}"));
  EXPECT_FALSE(shown(R"({"type":"assistant","message":{"role":"assistant","content":)" +
                     base::quote_json(line_) + "}}"));
  EXPECT_FALSE(shown(R"({"type":"system","subtype":"stop_hook","content":)" +
                     base::quote_json(line_) + "}"));
  EXPECT_FALSE(shown(line_)) << "no JSON";
  const std::string queued =
      R"({"type":"attachment","attachment":{"type":"queued_command","prompt":)" +
      base::quote_json(line_) + "}}";
  EXPECT_FALSE(shown(queued));
  EXPECT_TRUE(shown(queued, Lines::user_and_queued)) << "rows of a wake";
  EXPECT_FALSE(shown(R"({"type":"attachment","attachment":{"type":"hook_success","content":)" +
                         base::quote_json(line_) + "}}",
                     Lines::user_and_queued));
  EXPECT_FALSE(shown(R"({"type":"x","attachment":{"type":"queued_command","prompt":)" +
                         base::quote_json(line_) + "}}",
                     Lines::user_and_queued));
}

// 55
TEST_F(Transcript, S055EscapedByTheClient) {
  EXPECT_TRUE(shown(
      user_line("[directive] please rebase your branch &amp; push &lt;now&gt; from otherdev at " +
                std::string(test::kTime))));
  const Evidence emoji = evidence_of(test::event_json(1, "ship it \xf0\x9f\x9a\x80 today"));
  EXPECT_EQ(emoji.prefix, "[directive] ship it ");
  EXPECT_TRUE(
      line_shows(R"({"type":"user","t":"[directive] ship it \ud83d\ude80 today from otherdev at )" +
                     std::string(test::kTime) + "\"}",
                 emoji, Lines::user));
}

// 57
TEST_F(Transcript, S057TheSameWordsAtAnotherTimeProveNothing) {
  EXPECT_FALSE(shown(user_line(entry_line(test::event_json(
      8, "please rebase your branch & push <now>", "directive", "2026-09-22T12:00:01+00:00")))));
  const Evidence timeless = evidence_of(R"({"type":"t","body":"words"})");
  EXPECT_FALSE(line_shows(user_line("[t] words from an unnamed session"), timeless, Lines::user));
}

TEST_F(Transcript, BothPartsInOneStringOnly) {
  EXPECT_FALSE(shown(
      R"({"type":"user","a":"[directive] please rebase your branch ","b":" at 2026-09-22T12:00:00+00:00"})"));
}

TEST_F(Transcript, ACutRowIsKnownByItsMark) {
  const std::string json = test::event_json(9, std::string(20000, 'c'));
  const Evidence evidence = evidence_of(json);
  EXPECT_TRUE(evidence.may_be_cut);
  EXPECT_TRUE(line_shows(
      user_line(entry_line(json).substr(0, 9000) + "... (cut, 11000 characters; read ..."),
      evidence, Lines::user));
  EXPECT_FALSE(shown(user_line("[directive] please rebase your branch ... (cut, 3 characters)")))
      << "too short to be cut";
}

// The shortest line that a budget cuts is one that may be cut.
TEST_F(Transcript, EachLineThatWasCutIsKnownAsOneThatMayBe) {
  for (const auto& [budget, limit] : {std::pair(Budget::codex_bytes, std::size_t{8000}),
                                      std::pair(Budget::characters, std::size_t{9500})}) {
    sink::Entry row;
    row.event_id = 9;
    row.json = test::event_json(9, "");
    const std::size_t around =
        std::string("Robot Council has news:\n").size() + row_line(row).size();
    row.json = test::event_json(9, std::string(limit - around + 1, 'c'));
    const Answer answer = build_answer({row}, Shape::text, budget);
    ASSERT_NE(answer.bytes.find("... (cut, "), std::string::npos);
    EXPECT_TRUE(shows(answer.bytes, evidence_of(row.json)));
  }
}

// 56
TEST_F(Transcript, S056OddFilesNeitherHangNorProve) {
  const auto proves = [&](const std::string& path,
                          std::optional<std::int64_t> from = std::nullopt) {
    return transcript_shows(read_transcript(path, from), evidence_, Lines::user);
  };
  EXPECT_FALSE(proves(dir_ / "missing"));
  EXPECT_FALSE(proves(dir_.path()));
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(proves(dir_ / "fifo"));
  EXPECT_FALSE(proves("/dev/zero"));
  test::write_text(dir_ / "whole", user_line(line_));
  EXPECT_TRUE(proves(dir_ / "whole"));
  EXPECT_FALSE(proves(std::filesystem::relative(dir_ / "whole").string()))
      << "the client's working directory is not ours";
  EXPECT_FALSE(proves(""));
  const std::string good = user_line(line_);
  test::write_text(dir_ / "cut", good.substr(0, good.size() - 3));
  EXPECT_FALSE(proves(dir_ / "cut"));
  // 1 GB with the line in the middle: only the ends are read.
  const std::string huge = dir_ / "huge";
  {
    std::ofstream file(huge);
    file.seekp(500'000'000);
    file << "\n" << good << "\n";
  }
  ASSERT_EQ(::truncate(huge.c_str(), 1'000'000'000), 0);
  EXPECT_FALSE(proves(huge));
  EXPECT_TRUE(proves(huge, 499'999'000));
  EXPECT_EQ(read_transcript(huge, 0).after.size(), std::size_t{256} * 1024);
  EXPECT_EQ(read_transcript(huge, std::nullopt).tail.size(), std::size_t{256} * 1024);
  EXPECT_FALSE(proves(huge, 2'000'000'000)) << "the file was replaced by a shorter one";
}

TEST_F(Transcript, TheLastLineWithoutALineEndCounts) {
  test::write_text(dir_ / "t", "{\"type\":\"x\"}\n" + user_line(line_));
  EXPECT_TRUE(transcript_shows(read_transcript(dir_ / "t", std::nullopt), evidence_, Lines::user));
  EXPECT_EQ(transcript_size(dir_ / "t"),
            static_cast<std::int64_t>(std::filesystem::file_size(dir_ / "t")));
  EXPECT_FALSE(transcript_size(dir_ / "missing").has_value());
  EXPECT_FALSE(transcript_size(dir_.path()).has_value()) << "a folder";
}

}  // namespace
}  // namespace robot_council::pending
