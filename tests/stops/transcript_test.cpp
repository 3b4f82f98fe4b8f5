#include "stops/transcript.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "stops/limits.hpp"
#include "stops/transcript_line.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

LineClass class_of(const std::string& line) {
  auto read = classify_line(line);
  EXPECT_TRUE(read.ok()) << line << "\n" << (read.ok() ? "" : read.error().what);
  return read ? read->kind : LineClass::other;
}

std::string user(const std::string& text, const std::string& more) {
  return R"({"type":"user","message":{"role":"user","content":)" + base::quote_json(text) +
         R"(},"timestamp":"2026-11-30T05:35:39.230Z")" + (more.empty() ? "" : "," + more) + "}";
}

constexpr const char* kTyped =
    R"("promptId":"41ed","origin":{"kind":"human"},"promptSource":"typed","turnOrigin":"human")";

// Statement 81: each row of the table in wiki/Stops-report.md.
TEST(TranscriptLine, EachShapeHasItsClass) {
  const std::string typed(kTyped);
  const std::vector<std::pair<std::string, LineClass>> rows = {
      {user("merge it", typed), LineClass::person},
      {user("proceed",
            R"("origin":{"kind":"human"},"promptSource":"queued","sentAtMs":1796016957893)"),
       LineClass::person},
      {R"({"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-30T05:35:39.230Z","content":"proceed"})",
       LineClass::enqueue},
      {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"mind","commandMode":"prompt","origin":{"kind":"human"}}})",
       LineClass::absorbed},
      {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"mind"}})",
       LineClass::absorbed},
      {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"x","commandMode":"task-notification"}})",
       LineClass::other},
      {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"x","origin":{"kind":"peer"}}})",
       LineClass::other},
      {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"x","isMeta":true}})",
       LineClass::other},
      {R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x"}]}})",
       LineClass::other},
      {user("answer", R"("toolUseResult":"Error: no")"), LineClass::other},
      {user("Stop hook feedback:\nrun the tests", R"("isMeta":true,"hookText":"run the tests")"),
       LineClass::other},
      {user("Stop hook feedback: x", ""), LineClass::other},
      {user("<command-message>x</command-message>\n<command-name>/x</command-name>",
            R"("origin":{"kind":"human"},"turnOrigin":"human")"),
       LineClass::command},
      {user("Say hello", R"("isMeta":true,"turnCompanion":true)"), LineClass::other},
      {user("<local-command-caveat>c</local-command-caveat>", R"("isMeta":true)"),
       LineClass::other},
      {user("<command-name>/clear</command-name>\n<command-message>clear</command-message>",
            R"("rowSource":"local")"),
       LineClass::local_command},
      {user("<local-command-stdout></local-command-stdout>", R"("rowSource":"local")"),
       LineClass::other},
      {user("<bash-input>ls</bash-input>", R"("rowSource":"local")"), LineClass::shell},
      {user("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", R"("turnOrigin":"human")"),
       LineClass::other},
      {user("This session is being continued from a previous conversation that",
            R"("isCompactSummary":true)"),
       LineClass::other},
      {user("This session is being continued from a previous conversation that", ""),
       LineClass::other},
      {R"({"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}})",
       LineClass::other},
      {user("<task-notification>\n<status>completed</status></task-notification>",
            R"("origin":{"kind":"task-notification"},"promptSource":"system")"),
       LineClass::machine},
      {user("<pasted_content id=\"6888\">\na\n</pasted_content id=\"6888\">", typed),
       LineClass::person},
      {user("do", R"("promptSource":"sdk","turnOrigin":"sdk")"), LineClass::sdk},
      {user("do", R"("promptSource":"sdk","turnOrigin":"sdk","origin":{"kind":"human"})"),
       LineClass::person},
      {user("do", R"("isSidechain":true,"agentId":"a1")"), LineClass::other},
      {user("do", R"("promptSource":"unknown")"), LineClass::other},
      {user("do", R"("promptSource":"suggestion_accepted")"), LineClass::person},
      {user("do", R"("origin":{"kind":"coordinator"},"promptSource":"typed")"), LineClass::machine},
      {user("do", R"("turnOrigin":"wakeup")"), LineClass::machine},
      {user("do", R"("scheduledTaskId":"t")"), LineClass::other},
      {user("<teammate-message id=\"1\">hi</teammate-message>", ""), LineClass::other},
      {user("<anything>hi</anything>", ""), LineClass::other},
      {R"({"type":"user","message":{"role":"user","content":[{"type":"image","source":{}}]}})",
       LineClass::person},
      {R"({"type":"user","message":{"role":"user","content":[]}})", LineClass::other},
      {R"({"type":"assistant","message":{"role":"assistant","content":"hi"}})", LineClass::other},
      {R"({"type":"user","message":{"role":"assistant","content":"hi"}})", LineClass::other},
      {R"({"type":"summary","summary":"x"})", LineClass::other},
      {"{}", LineClass::other},
      {R"({"type":7,"message":3,"origin":"human"})", LineClass::other},
  };
  for (const auto& [line, wanted] : rows) {
    EXPECT_EQ(static_cast<int>(class_of(line)), static_cast<int>(wanted)) << line;
  }
}

// Statement 82.
TEST(TranscriptLine, OldFilesHaveFewerFields) {
  EXPECT_EQ(
      class_of(R"({"parentUuid":null,"isSidechain":false,"userType":"external","type":"user",)"
               R"("message":{"role":"user","content":[{"type":"text","text":"fix it"}]},)"
               R"("timestamp":"2025-06-01T10:00:00.000Z"})"),
      LineClass::person);
}

// Statement 83.
TEST(TranscriptLine, TypedMarkupIsAPersons) {
  EXPECT_EQ(class_of(user("<div>", kTyped)), LineClass::person);
  EXPECT_EQ(class_of(user("what does \"Stop hook feedback: x\" mean", kTyped)), LineClass::person);
  EXPECT_EQ(class_of(user("<3 thanks", "")), LineClass::person);
}

TEST(TranscriptLine, WordsAreUnwrapped) {
  auto pasted = classify_line(
      user("\n\n<pasted_content id=\"48d9\">\nline\n</pasted_content id=\"48d9\"> my log", kTyped));
  ASSERT_TRUE(pasted.ok());
  EXPECT_TRUE(pasted->attachment);
  EXPECT_EQ(pasted->text, "line\n my log");
  auto reminded = classify_line(
      user("<system-reminder>\nx\n</system-reminder>\n<ide_selection>y</ide_selection>\ngo ahead",
           kTyped));
  ASSERT_TRUE(reminded.ok());
  EXPECT_EQ(reminded->text, "go ahead");
  EXPECT_FALSE(reminded->attachment);
}

class TranscriptFile : public ::testing::Test {
 protected:
  std::string write(const std::string& bytes) {
    test::write_text(dir_ / "s.jsonl", bytes);
    return dir_ / "s.jsonl";
  }
  Transcript read(const std::string& bytes, const std::string& session = "s") {
    auto transcript = read_transcript(write(bytes), session, KeepText::yes);
    EXPECT_TRUE(transcript.ok());
    return transcript ? std::move(*transcript) : Transcript();
  }
  test::TempDir dir_{test::TempDir::Place::memory};
};

// Statement 84.
TEST_F(TranscriptFile, DamagedAndLargeLinesDoNotStopIt) {
  const std::string image(std::size_t{5} << 20U, 'A');
  const std::string with_image =
      R"({"type":"user","timestamp":"2026-11-30T05:00:02Z","message":{"role":"user","content":[{"type":"image","source":{"data":")" +
      image + R"("}},{"type":"text","text":"see"}]}})";
  const Transcript found = read(
      std::string(4096, '\0') + user("one", kTyped) + "\r\n" + "{broken \"user\"\n" + with_image +
      "\n" + user("bad \xff byte", kTyped) + "\n\n" + user("torn", kTyped).substr(0, 60));
  ASSERT_EQ(found.prompts.size(), 3U);
  EXPECT_EQ(found.unreadable, 2U);  // the broken and the torn one
  std::vector<std::string> texts;
  for (const auto& prompt : found.prompts) {
    texts.push_back(prompt.text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"see", "one", "bad \xEF\xBF\xBD byte"}));
}

TEST_F(TranscriptFile, LinesOver64MiBAreSkippedAndCounted) {
  std::string bytes = user("one", kTyped) + "\n";
  bytes += R"({"type":"user","message":{"content":")";
  bytes.append(kMaxTranscriptLine + 1, 'x');
  bytes += "\"}}\n" + user("two", kTyped) + "\n";
  const Transcript found = read(bytes);
  EXPECT_EQ(found.prompts.size(), 2U);
  EXPECT_EQ(found.too_long, 1U);
}

TEST_F(TranscriptFile, QueuedPromptsAreDatedByTheirEnqueue) {
  const auto queue = [](const std::string& operation, const std::string& text,
                        const std::string& time) {
    return R"({"type":"queue-operation","operation":")" + operation +
           R"(","timestamp":"2026-11-30T05:00:)" + time + R"(Z","content":")" + text + "\"}\n";
  };
  const std::string queued = R"("promptSource":"queued","origin":{"kind":"human"})";
  const Transcript found =
      read(queue("enqueue", "go", "01.000") + queue("enqueue", "go", "02.000") +
           queue("enqueue", "gone", "03.000") + queue("remove", "gone", "04.000") +
           user("go", queued) + "\n" + user("go", queued) + "\n" + user("gone", queued) + "\n" +
           user("sent", queued + R"(,"sentAtMs":1796016957893)") + "\n");
  ASSERT_EQ(found.prompts.size(), 4U);
  EXPECT_EQ(found.prompts[0].submit_ms, 1796014801000);  // each enqueue is used once
  EXPECT_EQ(found.prompts[1].submit_ms, 1796014802000);
  EXPECT_EQ(found.prompts[2].submit_ms, found.prompts[2].taken_ms);
  EXPECT_EQ(found.prompts[3].submit_ms, 1796016957893);
}

// Statement 95.
TEST_F(TranscriptFile, GoAheadWithAnImageOrPastedTextIsNone) {
  const std::string image =
      R"({"type":"user","timestamp":"2026-11-30T05:00:02Z","message":{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"go"}]}})";
  const Transcript found =
      read(user("go", kTyped) + "\n" + image + "\n" +
           user("<pasted_content id=\"1\">go</pasted_content id=\"1\">", kTyped) + "\n" +
           user("<bash-input>go</bash-input>", kTyped) + "\n");
  std::vector<std::string> labels;
  for (const auto& prompt : found.prompts) {
    labels.push_back(prompt.text + (prompt.goahead ? ": go-ahead" : ": other"));
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"go: other", "go: go-ahead", "go: other",
                                              "<bash-input>go</bash-input>: other"}));
}

// Statement 105: without --with-text the words are not even held.
TEST_F(TranscriptFile, TextIsKeptOnlyWhenAskedFor) {
  auto found = read_transcript(write(user("zebra", kTyped) + "\n"), "s", KeepText::no);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->prompts.size(), 1U);
  EXPECT_EQ(found->prompts[0].text, "");
  EXPECT_EQ(found->prompts[0].chars, 5U);
}

TEST_F(TranscriptFile, LinesOfAnotherSessionArePassedOver) {
  const Transcript found =
      read(user("copied", R"("sessionId":"other","promptId":"p")") + "\n" +
           user("own", R"("sessionId":"s")") + "\n" + user("unnamed", "") + "\n");
  EXPECT_EQ(found.prompts.size(), 2U);
  EXPECT_TRUE(found.prompt_ids.empty());
}

// Statement 85.
TEST_F(TranscriptFile, OnlyFilesUnderTheRootsAreOpened) {
  const TranscriptRoots roots{dir_ / "home/projects", dir_ / "named"};
  test::write_text(dir_ / "home/projects/k/a.jsonl", "");
  test::write_text(dir_ / "outside/b.jsonl", "");
  test::write_text(dir_ / "named/sub/c.jsonl", "");
  test::write_text(dir_ / "named/d.jsonl", "");
  ::symlink((dir_ / "outside/b.jsonl").c_str(), (dir_ / "home/projects/k/link.jsonl").c_str());
  ::mkfifo((dir_ / "home/projects/k/fifo.jsonl").c_str(), 0600);
  EXPECT_TRUE(find_transcript(roots, dir_ / "home/projects/k/a.jsonl", "a"));
  EXPECT_FALSE(find_transcript(roots, dir_ / "outside/b.jsonl", "b"));
  EXPECT_FALSE(find_transcript(roots, dir_ / "home/projects/k/../../../outside/b.jsonl", "b"));
  EXPECT_FALSE(find_transcript(roots, dir_ / "home/projects/k/link.jsonl", "b"));
  EXPECT_FALSE(find_transcript(roots, dir_ / "home/projects/k/fifo.jsonl", "f"));
  EXPECT_TRUE(find_transcript(roots, dir_ / "gone.jsonl", "c"));
  EXPECT_TRUE(find_transcript(roots, std::nullopt, "d"));
  EXPECT_FALSE(find_transcript(roots, std::nullopt, "../outside/b"));
  EXPECT_FALSE(find_transcript({dir_ / "home/projects", std::nullopt}, std::nullopt, "d"));
}

// What the real client wrote (tests/fixtures/transcripts).
TEST(RealTranscripts, PromptsOfAPersonAreFound) {
  const std::string id = "5e55c0de-0000-4000-8000-000000000001";
  auto found = read_transcript(test::source_file("tests/fixtures/transcripts/" + id + ".jsonl"), id,
                               KeepText::yes);
  ASSERT_TRUE(found.ok());
  std::vector<std::string> texts;
  for (const auto& prompt : found->prompts) {
    texts.push_back(std::string(prompt_kind_name(prompt.kind)) + ": " +
                    prompt.text.substr(0, prompt.text.find('\n')));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "prompt: parse tabs", "prompt: yes please", "prompt: merge it",
                       "prompt: tag it", "prompt: go ahed", "prompt: go ahad",
                       "command: <command-message>greet</command-message>",
                       "shell: <bash-input>ls</bash-input>", "prompt: begin", "prompt: carry on",
                       "prompt: next step", "prompt: proceed"}));
  EXPECT_EQ(found->unreadable, 0U);
  const Prompt& queued = found->prompts[2];
  EXPECT_EQ(queued.taken_ms - queued.submit_ms, 2740);
}

TEST(RealTranscripts, ProgramsPromptsAreNoPersons) {
  const std::string id = "5e55c0de-0000-4000-8000-000000000140";
  auto found = read_transcript(test::source_file("tests/fixtures/transcripts/" + id + ".jsonl"), id,
                               KeepText::no);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->prompts.empty());
  EXPECT_TRUE(found->sdk);
}

}  // namespace
}  // namespace robot_council::stops
