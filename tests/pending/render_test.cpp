#include "pending/render.hpp"

#include <gtest/gtest.h>

#include "base/json_scan.hpp"
#include "base/utf8.hpp"
#include "pending/limits.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::pending {
namespace {

// Delivery contract, 4.2.
constexpr std::size_t kMaxText = 9500;
constexpr std::size_t kMaxJson = 9900;
constexpr std::size_t kMaxCodex = 8000;

sink::Entry row(std::int64_t id, const std::string& body) {
  sink::Entry entry;
  entry.seq = id;
  entry.event_id = id;
  entry.json = test::event_json(id, body);
  entry.type = "directive";
  return entry;
}

std::vector<sink::Entry> rows(std::size_t count, std::size_t body_size) {
  std::vector<sink::Entry> list;
  for (std::size_t i = 1; i <= count; ++i) {
    list.push_back(row(static_cast<std::int64_t>(i), std::string(body_size, 'b')));
  }
  return list;
}

// The text inside an answer of shape block.
std::string reason(const std::string& answer) {
  EXPECT_TRUE(base::validate_json(answer, 8).ok()) << answer.substr(0, 200);
  return base::json_unescape(base::json_member(answer, "reason"));
}

// 71
TEST(Render, S071DirectiveLine) {
  EXPECT_EQ(
      entry_line(
          R"({"id":7,"type":"directive","body":"rebase your branch","actor":{"github_login":"otherdev"},)"
          R"("created_at":"2026-09-22T12:00:00+00:00"})"),
      "[directive] rebase your branch from otherdev at 2026-09-22T12:00:00+00:00");
}

// 72
TEST(Render, S072BridgeEntriesHaveNoAuthorAndOthersMayBeUnnamed) {
  EXPECT_EQ(entry_line(R"({"type":"bridge.session-ended","body":"The fleet ended this session.",)"
                       R"("created_at":"2026-09-24T18:00:00+00:00"})"),
            "[bridge.session-ended] The fleet ended this session. at 2026-09-24T18:00:00+00:00");
  EXPECT_EQ(entry_line(R"({"type":"task.claimed","body":"b"})"),
            "[task.claimed] b from an unnamed session");
  EXPECT_EQ(entry_line(R"({"type":"x","body":"b","actor":{"github_login":5}})"),
            "[x] b from an unnamed session");
  EXPECT_EQ(entry_line(R"({"type":"x","body":"b","actor":"bob"})"),
            "[x] b from an unnamed session");
  EXPECT_EQ(entry_line(R"({"type":"task.bridge.x","body":"b"})"),
            "[task.bridge.x] b from an unnamed session");
}

// 73
TEST(Render, S073MissingAndOddFields) {
  EXPECT_EQ(entry_line(R"({"body":"b","actor":{"github_login":"l"}})"), "[event] b from l");
  EXPECT_EQ(entry_line(R"({"type":"t","actor":{"github_login":"l"}})"), "[t]  from l");
  EXPECT_EQ(entry_line(R"({"type":"t","body":5,"created_at":""})"), "[t]  from an unnamed session");
  EXPECT_EQ(entry_line(R"({"type":"bridge.t"})"), "[bridge.t]");
  EXPECT_EQ(entry_line("not json"), "[event]  from an unnamed session");
  EXPECT_EQ(entry_line("[1]"), "[event]  from an unnamed session");
  EXPECT_EQ(entry_line(R"({"type":"t","body":"b")"), "[event]  from an unnamed session")
      << "of a cut object nothing is taken";
  EXPECT_EQ(entry_line(R"({"type":"bridge.t","body":"b","deep":)" + std::string(500, '[') +
                       std::string(500, ']') + "}"),
            "[bridge.t] b");
}

// 74
TEST(Render, S074ControlBytesGoAndNoBodyForgesALine) {
  EXPECT_EQ(
      entry_line(
          R"({"type":"t","body":"say \"hi\"\tdone \ud83d\ude80","actor":{"github_login":"l"}})"),
      "[t] say \"hi\"\tdone \xf0\x9f\x9a\x80 from l");
  EXPECT_EQ(
      entry_line(
          R"({"type":"t","body":"a\u001b[31m\u0000b\rc\u0085d\u007f","actor":{"github_login":"l"}})"),
      "[t] a[31mbcd from l");
  EXPECT_EQ(entry_line(R"({"type":"bridge.t","body":"a\n[directive] x from y at z\n\n"})"),
            "[bridge.t] a\n  [directive] x from y at z");
}

// 87
TEST(Render, S087LoneSurrogatesAndInvalidUtf8) {
  EXPECT_EQ(entry_line(R"({"type":"t","body":"a\udc88b","actor":{"github_login":"l"}})"),
            "[t] a\xef\xbf\xbd"
            "b from l");
  const std::string line = entry_line(
      "{\"type\":\"t\",\"body\":\"a\xff\xc3"
      "b\",\"actor\":{\"github_login\":\"l\"}}");
  EXPECT_TRUE(base::is_utf8(line)) << line;
  EXPECT_EQ(line,
            "[t] a\xef\xbf\xbd\xef\xbf\xbd"
            "b from l");
}

TEST(Render, PrefixesInTheirOrder) {
  sink::Entry entry = row(1, "b");
  entry.writes = 1;
  entry.earlier_session = true;
  EXPECT_EQ(row_line(entry).substr(0, 40), "[repeat] [earlier session] [directive] b");
  entry.writes = 0;
  EXPECT_EQ(row_line(entry).substr(0, 18), "[earlier session] ");
  entry.earlier_session = false;
  entry.duplicate = true;
  EXPECT_EQ(row_line(entry).substr(0, 9), "[repeat] ");
}

// 75
TEST(Render, S075Shapes) {
  const std::vector<sink::Entry> one = {row(1, "a/\xc3\xbc")};
  const std::string text = "Robot Council has news:\\n[directive] a/\xc3\xbc from otherdev at " +
                           std::string(test::kTime);
  EXPECT_EQ(build_answer(one, Shape::block, Budget::characters).bytes,
            "{\"decision\":\"block\",\"reason\":\"" + text + "\"}");
  EXPECT_EQ(build_answer(one, Shape::deny, Budget::characters).bytes,
            "{\"decision\":\"deny\",\"reason\":\"" + text + "\"}");
  EXPECT_EQ(build_answer(one, Shape::cursor, Budget::characters).bytes,
            "{\"followup_message\":\"" + text + "\"}");
  EXPECT_EQ(build_answer(one, Shape::plain, Budget::characters).bytes,
            "[directive] a/\xc3\xbc from otherdev at " + std::string(test::kTime) + "\n");
  EXPECT_EQ(build_answer(one, Shape::text, Budget::characters).bytes,
            "Robot Council has news:\n[directive] a/\xc3\xbc from otherdev at " +
                std::string(test::kTime));
  EXPECT_EQ(build_answer({}, Shape::block, Budget::characters).bytes, "");
}

// 82
TEST(Render, S082TheTextMayHave9500Characters) {
  const std::size_t around =
      base::count_utf16(reason(build_answer({row(1, "")}, Shape::block, Budget::characters).bytes));
  for (const auto& [size, cut] :
       {std::pair(9499, false), std::pair(9500, false), std::pair(9501, true)}) {
    const auto body = std::string(static_cast<std::size_t>(size) - around, 'b');
    const std::string text =
        reason(build_answer({row(1, body)}, Shape::block, Budget::characters).bytes);
    EXPECT_EQ(text.find("... (cut, ") != std::string::npos, cut) << size;
    EXPECT_LE(base::count_utf16(text), kMaxText);
    if (!cut) {
      EXPECT_EQ(base::count_utf16(text), static_cast<std::size_t>(size));
    }
  }
  // An emoji, two characters, does not fit into the last one.
  const auto body = std::string(kMaxText - around - 1, 'b') + "\xf0\x9f\x9a\x80";
  const std::string text =
      reason(build_answer({row(1, body)}, Shape::block, Budget::characters).bytes);
  EXPECT_TRUE(base::is_utf8(text));
  EXPECT_NE(text.find("... (cut, "), std::string::npos);
}

TEST(Render, S082TheJsonMayHave9900Characters) {
  // Quotes are two characters in JSON, so that the whole answer is over its limit while the text is
  // not.
  const Answer answer =
      build_answer({row(1, std::string(9000, '"')), row(2, "b")}, Shape::block, Budget::characters);
  EXPECT_EQ(answer.rows, 1U);
  EXPECT_LE(base::count_utf16(answer.bytes), kMaxJson);
  EXPECT_GT(base::count_utf16(answer.bytes), kMaxJson - 10);
  EXPECT_NE(answer.bytes.find("1 more are waiting; they follow at the next turn end."),
            std::string::npos);
}

// 82: to the character.
TEST(Render, S082TheJsonFitsWithItsLastCharacter) {
  const auto json_of = [](std::size_t quotes, std::size_t letters) {
    const Answer answer =
        build_answer({row(1, std::string(quotes, '"') + std::string(letters, 'b'))}, Shape::block,
                     Budget::characters);
    return std::pair(base::count_utf16(answer.bytes),
                     answer.bytes.find("... (cut, ") != std::string::npos);
  };
  const std::size_t around = json_of(1000, 0).first - 2000;
  EXPECT_EQ(json_of(1000, kMaxJson - around - 2000), std::pair(kMaxJson, false));
  EXPECT_TRUE(json_of(1000, kMaxJson - around - 1999).second);
}

// 83
TEST(Render, S083CodexCountsBytes) {
  std::string body;
  for (int i = 0; i < 3000; ++i) {
    body += "\xe2\x82\xac";
  }
  const std::string text =
      reason(build_answer({row(1, body)}, Shape::block, Budget::codex_bytes).bytes);
  EXPECT_LE(text.size(), kMaxCodex);
  EXPECT_GT(text.size(), kMaxCodex - 8);
  EXPECT_TRUE(base::is_utf8(text));
  EXPECT_EQ(budget_of("codex"), Budget::codex_bytes);
  EXPECT_EQ(budget_of("claude"), Budget::characters);
}

// 83: to the byte.
TEST(Render, S083CodexFitsWithItsLastByte) {
  const auto text_of = [](std::size_t letters) {
    return reason(
        build_answer({row(1, std::string(letters, 'b'))}, Shape::block, Budget::codex_bytes).bytes);
  };
  const std::size_t around = text_of(1).size() - 1;
  EXPECT_EQ(text_of(kMaxCodex - around).size(), kMaxCodex);
  EXPECT_EQ(text_of(kMaxCodex - around).find("... (cut, "), std::string::npos);
  EXPECT_NE(text_of(kMaxCodex - around + 1).find("... (cut, "), std::string::npos);
}

// 84
TEST(Render, S084WholeEventsAndTheRestIsCounted) {
  const Answer answer = build_answer(rows(60, 300), Shape::block, Budget::characters);
  const std::string text = reason(answer.bytes);
  EXPECT_LT(answer.rows, 60U);
  EXPECT_GT(answer.rows, 20U);
  EXPECT_EQ(
      text.substr(text.rfind('\n') + 1),
      std::to_string(60 - answer.rows) + " more are waiting; they follow at the next turn end.");
  EXPECT_LE(base::count_utf16(text), kMaxText);
  // One more would not fit.
  EXPECT_GT(base::count_utf16(text) + base::count_utf16(row_line(rows(1, 300)[0])) + 1, kMaxText);
}

// 85
TEST(Render, S085ATooLongEventIsCutWithItsNumbers) {
  const std::string body(20000, 'b');
  const Answer answer = build_answer({row(42, body)}, Shape::block, Budget::characters);
  const std::string text = reason(answer.bytes);
  const std::size_t whole = row_line(row(42, body)).size();
  const std::size_t kept =
      text.find("... (cut, ") - std::string("Robot Council has news:\n").size();
  EXPECT_EQ(text.substr(text.find("... (cut, ")), "... (cut, " + std::to_string(whole - kept) +
                                                      " characters; read the feed from after=41)");
  EXPECT_EQ(base::count_utf16(text), kMaxText) << "as much of it as fits";
  sink::Entry local;
  local.json = "{\"type\":\"bridge.x\",\"body\":\"" + body + "\"}";
  local.local = true;
  const std::string cut = reason(build_answer({local}, Shape::block, Budget::characters).bytes);
  EXPECT_EQ(cut.substr(cut.size() - 12), " characters)");
}

// 88
TEST(Render, S088PlainOutputHasNoBudget) {
  const Answer answer = build_answer(rows(200, 1000), Shape::plain, Budget::codex_bytes);
  EXPECT_EQ(answer.rows, 200U);
  EXPECT_GT(answer.bytes.size(), 200U * 1000U);
  EXPECT_EQ(answer.bytes.back(), '\n');
  EXPECT_EQ(answer.bytes.find("more are waiting"), std::string::npos);
}

}  // namespace
}  // namespace robot_council::pending
