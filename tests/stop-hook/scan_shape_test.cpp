#include <gtest/gtest.h>

#include "tests/stop-hook/scan_support.hpp"

// Faults of a file's form, one client after another (delivery contract 8.3; statements 143, 144,
// 147, 148).
namespace robot_council {
namespace {

using test::brief;
using test::Case;
using test::Machine;

constexpr const char* kEntry = R"({"type":"command","command":"@S@","timeout":20})";

void expect_cases(std::string_view harness, std::string_view file, const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Machine machine;
    machine.trust();
    const std::string content = base::replace_all(test::with_script(machine, one.content), "@E@",
                                                  test::with_script(machine, kEntry));
    const std::string path = machine.path(file);
    Machine::write(path, content);
    const auto result = machine.scan(harness);
    EXPECT_EQ(brief(result), one.brief);
    EXPECT_EQ(to_text(result.outcome), one.outcome);
    for (const auto& finding : result.findings) {
      EXPECT_EQ(finding.file, path);
      EXPECT_FALSE(finding.text.empty());
      EXPECT_EQ(finding.text.back(), '.');
      EXPECT_EQ(finding.remedy.back(), '.');
    }
    EXPECT_EQ(test::read_text(path), content) << "nothing is written";
  }
}

TEST(ScanShape, ClaudeFile143) {
  expect_cases(
      "claude", "home/.claude/settings.json",
      {{"well", R"({"hooks":{"Stop":[{"hooks":[@E@]}]}})", "", "runs"},
       {"unknown keys and $schema", R"({"$schema":"x","zzz":1,"hooks":{"Stop":[{"hooks":[@E@]}]}})",
        "", "runs"},
       {"S07 comment", "{\n  // ours\n  \"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}",
        "error syntax 2", "will not run"},
       {"block comment", "{/* */\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}", "error syntax 1",
        "will not run"},
       {"S08 trailing comma in the list", "{\"hooks\":{\"Stop\":[\n{\"hooks\":[@E@]},\n]}}",
        "error syntax 2", "will not run"},
       {"S08 trailing comma at the end", "{\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]},\n}",
        "error syntax 1", "will not run"},
       {"cut", "{\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}", "error syntax 1", "will not run"},
       {"S05 byte order mark", "\xEF\xBB\xBF{\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}",
        "warning encoding 1", "runs"},
       {"S13 null", "null", "error root 1", "none"},
       {"S13 list", "[]", "error root 1", "none"},
       {"S13 number", "42", "error root 1", "none"},
       {"S13 string", "\"\"", "error root 1", "none"},
       {"S13 zero bytes", "", "info encoding 1", "none"},
       {"blank", " \n", "info encoding 1", "none"},
       {"wrapper: events at the top", R"({"Stop":[{"hooks":[@E@]}]})", "error wrapper 1",
        "will not run"},
       {"S01 hooks a list", R"({"hooks":[{"event":"Stop","matcher":{},"command":"x"}]})",
        "error wrapper 1", "none"},
       {"hooks null", R"({"hooks":null})", "error wrapper 1", "none"},
       {"hooks a string", R"({"hooks":"x"})", "error wrapper 1", "none"},
       {"void: disableAllHooks a string",
        R"({"disableAllHooks":"true","hooks":{"Stop":[{"hooks":[@E@]}]}})", "error void 1",
        "will not run"},
       {"void: disableAllHooks a number",
        R"({"disableAllHooks":1,"hooks":{"Stop":[{"hooks":[@E@]}]}})", "error void 1",
        "will not run"},
       {"void: model", R"({"model":5,"hooks":{"Stop":[{"hooks":[@E@]}]}})", "error void 1",
        "will not run"},
       {"void: cleanupPeriodDays",
        R"({"cleanupPeriodDays":"x","hooks":{"Stop":[{"hooks":[@E@]}]}})", "error void 1",
        "will not run"},
       {"void: permissions.allow",
        "{\"permissions\":{\n\"allow\":\"Bash\"},\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}",
        "error void 2", "will not run"},
       {"void: statusLine", R"({"statusLine":"x","hooks":{"Stop":[{"hooks":[@E@]}]}})",
        "error void 1", "will not run"},
       {"144 PreToolUse without type",
        R"({"hooks":{"PreToolUse":[{"hooks":[{"command":"true"}]}],"Stop":[{"hooks":[@E@]}]}})",
        "error void 1", "will not run"},
       {"144 PermissionRequest no list",
        R"({"hooks":{"PermissionRequest":{},"Stop":[{"hooks":[@E@]}]}})", "error void 1",
        "will not run"},
       {"144 PostToolUse no list", R"({"hooks":{"PostToolUse":{},"Stop":[{"hooks":[@E@]}]}})", "",
        "runs"},
       {"144 PostToolUse without type",
        R"({"hooks":{"PostToolUse":[{"hooks":[{"command":"x"}]}],"Stop":[{"hooks":[@E@]}]}})", "",
        "runs"}});
}

TEST(ScanShape, ClaudeStopEvent143) {
  expect_cases(
      "claude", "home/.claude/settings.json",
      {{"Stop an object", R"({"hooks":{"Stop":{"hooks":[@E@]}}})", "error shape 1", "will not run"},
       {"Stop null", R"({"hooks":{"Stop":null}})", "error shape 1", "none"},
       {"S11 flat form", R"({"hooks":{"Stop":[@E@]}})", "error shape 1", "will not run"},
       {"list of strings", R"({"hooks":{"Stop":["@S@"]}})", "error shape 1", "will not run"},
       {"inner hooks no list", R"({"hooks":{"Stop":[{"hooks":{}}]}})", "error shape 1", "none"},
       {"S12 no type", "{\"hooks\":{\"Stop\":[{\"hooks\":[\n{\"command\":\"@S@\"}]}]}}",
        "error shape 2", "will not run"},
       {"unknown type", R"({"hooks":{"Stop":[{"hooks":[{"type":"shell","command":"@S@"}]}]}})",
        "error shape 1", "will not run"},
       {"type misspelled", R"({"hooks":{"Stop":[{"hooks":[{"type":"Command","command":"@S@"}]}]}})",
        "error shape 1", "will not run"},
       {"no command", R"({"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}})", "error shape 1",
        "none"},
       {"blank command", R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":""}]}]}})",
        "error shape 1", "none"},
       {"command a list",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":["@S@"]}]}]}})", "error shape 1",
        "will not run"},
       {"a bad entry beside a good one", R"({"hooks":{"Stop":[{"hooks":[{"command":"x"},@E@]}]}})",
        "error shape 1", "runs"},
       {"S09 matcher null", "{\"hooks\":{\"Stop\":[{\n\"matcher\":null,\"hooks\":[@E@]}]}}",
        "error shape 2", "will not run"},
       {"S09 another group is fine",
        R"({"hooks":{"Stop":[{"matcher":null,"hooks":[]},{"hooks":[@E@]}]}})", "error shape 1",
        "runs"},
       {"matcher an object", R"({"hooks":{"Stop":[{"matcher":{},"hooks":[@E@]}]}})",
        "error shape 1", "will not run"},
       {"matcher a string", R"({"hooks":{"Stop":[{"matcher":"*","hooks":[@E@]}]}})", "", "runs"},
       {"timeout 0",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","timeout":0}]}]}})",
        "error shape 1", "will not run"},
       {"timeout negative",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","timeout":-5}]}]}})",
        "error shape 1", "will not run"},
       {"timeout a string",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","timeout":"20"}]}]}})",
        "error shape 1", "will not run"},
       {"timeout 5 s",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","timeout":5}]}]}})",
        "warning timeout 1", "runs"},
       {"no timeout", R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@"}]}]}})", "",
        "runs"},
       {"if", R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","if":"Bash"}]}]}})",
        "error shape 1", "will not run"},
       {"async",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","async":true}]}]}})",
        "error shape 1", "will not run"},
       {"asyncRewake",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","asyncRewake":true}]}]}})",
        "error shape 1", "will not run"},
       {"event misspelled", R"({"hooks":{"stop":[{"hooks":[@E@]}]}})", "error shape 1",
        "will not run"},
       {"another client's event", R"({"hooks":{"AfterAgent":[{"hooks":[@E@]}]}})", "error shape 1",
        "will not run"},
       {"SubagentStop is another event", R"({"hooks":{"SubagentStop":[{"hooks":[@E@]}]}})", "",
        "will not run"},
       {"args: exec form",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","args":[]}]}]}})", "",
        "runs"}});
}

TEST(ScanShape, ClaudeUtf16) {
  const Machine machine;
  machine.trust();
  std::string wide;
  for (const char c : machine.ours()) {
    wide += c;
    wide += '\0';
  }
  const std::string file = machine.home + "/.claude/settings.json";
  Machine::write(file, "\xFF\xFE" + wide);
  EXPECT_EQ(brief(machine.scan("claude")), "warning encoding 1");
  EXPECT_EQ(machine.scan("claude").outcome, stop_hook::ScanOutcome::runs);
  Machine::write(file, wide);
  EXPECT_EQ(brief(machine.scan("claude")), "error encoding 1");
  EXPECT_NE(machine.scan("claude").outcome, stop_hook::ScanOutcome::runs);
}

TEST(ScanShape, LineAndColumnAreNamedS08) {
  const Machine machine;
  Machine::write(machine.home + "/.claude/settings.json", "{\n  \"x\": \"Bü\" ,\n}");
  const auto found = test::of_rule(machine.scan("claude"), "syntax");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text,
            "line 2, column 13: a comma before the closing bracket is no JSON; Claude Code reads "
            "nothing of this file.");
  EXPECT_EQ(found[0].line, 2U);
}

TEST(ScanShape, Codex143) {
  // The hash is unknown here, so that a good entry needs review and a warning `trust` stands beside
  // every other finding.
  expect_cases(
      "codex", "home/.codex/hooks.json",
      {{"well", R"({"description":"x","hooks":{"Stop":[{"hooks":[@E@]}]}})", "warning trust 1",
        "needs review"},
       {"byte order mark", "\xEF\xBB\xBF{\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}",
        "error syntax 1", "will not run"},
       {"comment", "{// x\n\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}", "error syntax 1",
        "will not run"},
       {"trailing comma", "{\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]},}", "error syntax 1",
        "will not run"},
       {"empty", "", "error syntax 1", "none"},
       {"null", "null", "error root 1", "none"},
       {"another root key", "{\n\"$schema\":\"x\",\"hooks\":{\"Stop\":[{\"hooks\":[@E@]}]}}",
        "error root 2", "will not run"},
       {"entry without type", R"({"hooks":{"Stop":[{"hooks":[{"command":"@S@"}]}]}})",
        "error void 1", "will not run"},
       {"entry without type at another event",
        R"({"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]}],"Stop":[{"hooks":[@E@]}]}})",
        "error void 1", "will not run"},
       {"timeout no number",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","timeout":"20"}]}]}})",
        "error void 1", "will not run"},
       {"flat form", R"({"hooks":{"Stop":[@E@]}})", "error shape 1", "will not run"},
       {"async",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@","async":true}]}]}})",
        "error shape 1", "will not run"},
       {"event misspelled", R"({"hooks":{"stop":[{"hooks":[@E@]}]}})", "error shape 1",
        "will not run"}});
}

TEST(ScanShape, Cursor143And147) {
  expect_cases(
      "cursor", "home/.cursor/hooks.json",
      {{"well",
        R"({"version":1,"hooks":{"stop":[{"command":"@S@","timeout":20,"loop_limit":10}]}})", "",
        "runs"},
       {"S21 a private key",
        "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"@S@\",\n\"_installed_by\":\"x\"}]}}",
        "warning unknown-key 2", "runs"},
       {"S20 147 unknown event",
        "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"@S@\"}],\n\"notification\":[]}}",
        "error void 2", "will not run"},
       {"Stop", R"({"version":1,"hooks":{"Stop":[{"command":"@S@"}]}})", "error void 1",
        "will not run"},
       {"version 2", R"({"version":2,"hooks":{"stop":[{"command":"@S@"}]}})", "error void 1",
        "will not run"},
       {"no version", R"({"hooks":{"stop":[{"command":"@S@"}]}})", "error void 1", "will not run"},
       {"comment", "{\"version\":1,// x\n\"hooks\":{\"stop\":[{\"command\":\"@S@\"}]}}",
        "error syntax 1", "will not run"},
       {"byte order mark",
        "\xEF\xBB\xBF{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"@S@\"}]}}",
        "error syntax 1", "will not run"},
       {"no command", R"({"version":1,"hooks":{"stop":[{"timeout":20}]}})", "error shape 1",
        "none"},
       {"command a list", R"({"version":1,"hooks":{"stop":[{"command":["@S@"]}]}})",
        "error shape 1", "will not run"},
       {"no list", R"({"version":1,"hooks":{"stop":{"command":"@S@"}}})", "error shape 1",
        "will not run"},
       {"no wrapper", R"({"version":1,"stop":[{"command":"@S@"}]})", "error wrapper 1",
        "will not run"}});
}

TEST(ScanShape, Gemini143And147) {
  expect_cases(
      "gemini", "home/.gemini/settings.json",
      {{"well",
        R"({"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"test ! -x @S@ || @S@","timeout":20000}]}]}})",
        "", "runs"},
       {"comment is fine",
        "{// "
        "x\n\"hooks\":{\"AfterAgent\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"@S@\"}]}]}}",
        "", "runs"},
       {"byte order mark",
        "\xEF\xBB\xBF{\"hooks\":{\"AfterAgent\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"@"
        "S@\"}]}]}}",
        "error syntax 1", "will not run"},
       {"trailing comma",
        R"({"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@"}]}]},})",
        "error syntax 1", "will not run"},
       {"timeout 20",
        R"({"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@","timeout":20}]}]}})",
        "error timeout 1", "will not run"},
       {"timeout a string",
        R"({"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@","timeout":"20000"}]}]}})",
        "", "runs"},
       {"timeout 5000",
        R"({"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@","timeout":5000}]}]}})",
        "warning timeout 1", "runs"},
       {"event Stop", R"({"hooks":{"Stop":[{"hooks":[@E@]}]}})", "error shape 1", "will not run"},
       {"no type", R"({"hooks":{"AfterAgent":[{"hooks":[{"command":"@S@"}]}]}})", "error shape 1",
        "will not run"},
       {"flat form", R"({"hooks":{"AfterAgent":[{"type":"command","command":"@S@"}]}})",
        "error shape 1", "will not run"},
       {"hooks a list", R"({"hooks":[]})", "error wrapper 1", "none"},
       {"disableAllHooks does nothing",
        R"({"disableAllHooks":true,"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@"}]}]}})",
        "", "runs"},
       {"enabled false",
        R"({"hooksConfig":{"enabled":false},"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@"}]}]}})",
        "error off 1", "will not run"},
       {"disabled by name",
        R"({"hooksConfig":{"disabled":["rc"]},"hooks":{"AfterAgent":[{"hooks":[{"name":"rc","type":"command","command":"@S@"}]}]}})",
        "error off 1", "will not run"},
       {"disabled by command",
        R"({"hooksConfig":{"disabled":["@S@"]},"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"@S@"}]}]}})",
        "error off 1", "will not run"}});
}

TEST(ScanShape, Copilot143And148) {
  expect_cases(
      "copilot", "home/.copilot/hooks/robot-council.json",
      {{"well",
        R"({"version":1,"hooks":{"agentStop":[{"type":"command","bash":"@S@","timeoutSec":20}]}})",
        "", "runs"},
       {"no version, no type", R"({"hooks":{"agentStop":[{"bash":"@S@"}]}})", "", "runs"},
       {"Stop, nested", R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"@S@"}]}]}})",
        "", "runs"},
       {"Stop, flat", R"({"hooks":{"Stop":[{"type":"command","command":"@S@"}]}})", "", "runs"},
       {"comment", "{// x\n\"hooks\":{\"agentStop\":[{\"bash\":\"@S@\"}]}}", "error syntax 1",
        "will not run"},
       {"event no list", R"({"hooks":{"agentStop":{"bash":"@S@"}}})", "error void 1",
        "will not run"},
       {"bad item beside a good one",
        R"({"hooks":{"agentStop":[{"type":"command"},{"bash":"@S@"}]}})", "error shape 1", "runs"},
       {"148 disableAllHooks",
        "{\n\"disableAllHooks\":true,\"hooks\":{\"agentStop\":[{\"bash\":\"@S@\"}]}}",
        "error off 2", "will not run"},
       {"timeoutSec 5", R"({"hooks":{"agentStop":[{"bash":"@S@","timeoutSec":5}]}})",
        "warning timeout 1", "runs"}});
  expect_cases(
      "copilot", "home/.copilot/settings.json",
      {{"well", R"({"hooks":{"agentStop":[{"type":"command","bash":"@S@"}]}})", "", "runs"},
       {"any bad item voids", R"({"hooks":{"agentStop":[{"type":"command"},{"bash":"@S@"}]}})",
        "error shape 1; error void 1", "will not run"}});
  expect_cases("copilot", "home/.copilot/config.json",
               {{"place", R"({"hooks":{"agentStop":[{"type":"command","bash":"@S@"}]}})",
                 "error place 1", "will not run"}});
}

TEST(ScanShape, Goose143And148) {
  expect_cases(
      "goose", "home/.agents/plugins/robot-council/hooks/hooks.json",
      {{"well", R"({"hooks":{"Stop":[{"hooks":[@E@]}]}})", "", "runs"},
       {"no type", R"({"hooks":{"Stop":[{"hooks":[{"command":"@S@"}]}]}})", "", "runs"},
       {"148 matcher *", R"({"hooks":{"Stop":[{"matcher":"*","hooks":[@E@]}]}})", "error shape 1",
        "will not run"},
       {"148 on_failure",
        R"({"hooks":{"Stop":[{"hooks":[{"command":"@S@","on_failure":"ignore"}]}]}})",
        "error void 1", "will not run"},
       {"on_failure allow",
        R"({"hooks":{"Stop":[{"hooks":[{"command":"@S@","on_failure":"allow"}]}]}})", "", "runs"},
       {"trailing comma", R"({"hooks":{"Stop":[{"hooks":[@E@]}]},})", "error syntax 1",
        "will not run"},
       {"flat form", R"({"hooks":{"Stop":[@E@]}})", "error shape 1", "will not run"}});
}

}  // namespace
}  // namespace robot_council
