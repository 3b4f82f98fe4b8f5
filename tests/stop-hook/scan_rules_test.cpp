#include <gtest/gtest.h>

#include "base/json_value.hpp"
#include "harness/settings_command.hpp"
#include "stop-hook/scan_report.hpp"
#include "stop-hook/script.hpp"
#include "tests/stop-hook/scan_support.hpp"

// What an entry runs, whether that works, and what is printed (delivery contract 8.3, 8.4; wake
// contract 3).
namespace robot_council {
namespace {

using harness::CommandForm;
using harness::read_command;
using stop_hook::ScanOutcome;
using test::brief;
using test::Machine;
using test::of_rule;

class ScanRules : public ::testing::Test {
 protected:
  ScanRules() { machine.trust(); }
  // The user's settings with one Stop entry that runs this command.
  stop_hook::ScanResult with(const std::string& command,
                             const std::string& more = ",\"timeout\":20") {
    Machine::write(settings,
                   Machine::nested("Stop", base::replace_all(command, "\"", "\\\""), more));
    return machine.scan("claude");
  }
  void script(const stop_hook::ScriptValues& values) {
    const std::string source =
        test::read_text(test::source_file("resources/stop-hook/robot-council-stop-hook"));
    const auto filled = stop_hook::fill_script(source, values);
    ASSERT_TRUE(filled.ok()) << filled.error().what;
    Machine::write(machine.script(), *filled);
    Machine::executable(machine.script());
  }
  void server(const std::string& arguments, const std::string& variables) {
    Machine::write(
        machine.home + "/.claude.json",
        R"({"projects":{")" + machine.project +
            R"(":{"hasTrustDialogAccepted":true}},"mcpServers":{"robot-council":{"command":"/x/robot-council","args":["mcp")" +
            arguments + R"(],"env":{)" + variables + "}}}}");
  }
  Machine machine;
  std::string settings = machine.home + "/.claude/settings.json";
};

TEST(ScanCommand, OursIsTheFirstWordOrTheOneAfterTheBars149) {
  EXPECT_EQ(read_command("robot-council-stop-hook").form, CommandForm::script);
  EXPECT_EQ(read_command("/a/b/robot-council-stop-hook").form, CommandForm::script);
  EXPECT_EQ(read_command("'/a b/robot-council-stop-hook'").form, CommandForm::script);
  EXPECT_EQ(read_command("\"/a b/robot-council-stop-hook\"").form, CommandForm::script);
  EXPECT_EQ(read_command("/a\\ b/robot-council-stop-hook").program, "/a b/robot-council-stop-hook");
  EXPECT_EQ(read_command(R"(C:\Users\x\robot-council-stop-hook)").form, CommandForm::script);
  EXPECT_EQ(read_command("A=1 B='x y' /a/robot-council-stop-hook").form, CommandForm::script);
  EXPECT_EQ(read_command("test ! -x /a/robot-council-stop-hook || /a/robot-council-stop-hook").form,
            CommandForm::script);
  EXPECT_EQ(read_command("test ! -x s||'/a/robot-council-stop-hook'").program,
            "/a/robot-council-stop-hook");
  EXPECT_EQ(read_command("/a/robot-council pending --hook").form, CommandForm::pending);
  EXPECT_EQ(read_command("/a/robot-council-stop-hook --wait").form, CommandForm::wait);
  EXPECT_EQ(read_command("robot-council wait --hook").form, CommandForm::wait);
  EXPECT_EQ(read_command("/abs/robot-council stops record").form, CommandForm::record);
  EXPECT_EQ(read_command("robot-council stops record --deadline 31000 || exit 0").form,
            CommandForm::record);
  EXPECT_EQ(read_command("robot-council brake-check --client claude").form, CommandForm::brake);
  for (const char* other : {"echo /a/robot-council-stop-hook", "bash /a/robot-council-stop-hook",
                            "robot-council status", "test -x /a/robot-council-stop-hook",
                            "/a/robot-council-stop-hook-old", "x && robot-council-stop-hook", "",
                            "   ", "||", "'", "\\", "A=1"}) {
    EXPECT_EQ(read_command(other).form, CommandForm::other) << other;
  }
  EXPECT_EQ(read_command("/opt/robot-council", {"pending", "--hook"}).form, CommandForm::pending);
  EXPECT_EQ(read_command("bash", {"/a/robot-council-stop-hook"}).form, CommandForm::other);
}

TEST_F(ScanRules, OurPathAsAnArgumentIsNotOurs149) {
  const auto result = with("cat " + machine.script());
  EXPECT_EQ(result.outcome, ScanOutcome::unknown);
  ASSERT_EQ(result.entries.size(), 1U);
  EXPECT_EQ(result.entries[0].kind, stop_hook::ScanEntryKind::foreign);
  EXPECT_EQ(with("test ! -x " + machine.script() + " || " + machine.script()).outcome,
            ScanOutcome::runs);
}

TEST_F(ScanRules, BarePendingIsAnErrorFormatAWarning150) {
  const std::string program = machine.home + "/bin/robot-council";
  auto result = with(program + " pending");
  EXPECT_EQ(brief(result), "error old-form 1");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  result = with(program + " pending --format=block");
  EXPECT_EQ(brief(result), "warning old-form 1");
  EXPECT_EQ(result.outcome, ScanOutcome::runs);
  result = with(program + " pending --hook --service=https://a.example --harness=claude");
  EXPECT_EQ(brief(result), "");
}

TEST_F(ScanRules, EarlierScriptPhpAndVersionFolderAreOldS25) {
  Machine::write(machine.script(),
                 "#!/usr/bin/env bash\nout=$(robot-council pending --format=block)\n");
  EXPECT_EQ(brief(with(machine.script())), "warning old-form 1");
  const std::string versions = machine.home + "/versions/1.2.3/robot-council-stop-hook";
  Machine::write(versions, "#!/bin/sh\n");
  Machine::executable(versions);
  EXPECT_EQ(brief(with(versions)), "warning old-form 1");
  const std::string php = machine.home + "/bin/robot-council.php";
  Machine::write(php, "#!/usr/bin/env php\n");
  Machine::executable(php);
  EXPECT_EQ(brief(with(php + " pending --hook")), "warning old-form 1");
}

TEST_F(ScanRules, MissingScriptOrProgramIsAnError) {
  ASSERT_TRUE(base::set_mode(machine.script(), 0644).ok());
  auto result = with(machine.script());
  EXPECT_EQ(brief(result), "error command 1");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(brief(with(machine.home + "/nowhere/robot-council-stop-hook")), "error command 1");
  EXPECT_EQ(brief(with("~/hooks/robot-council-stop-hook")), "error command 1");
  Machine::executable(machine.script());
  EXPECT_EQ(brief(with("~/hooks/robot-council-stop-hook")), "");
  EXPECT_EQ(brief(with("\"$HOME\"/hooks/robot-council-stop-hook")), "");
  EXPECT_EQ(brief(with("$SOMEWHERE/robot-council-stop-hook")), "") << "cannot be told";
  // The program that the script starts.
  ASSERT_TRUE(base::remove_file(machine.home + "/bin/robot-council").ok());
  if (base::exists("/usr/local/bin/robot-council") ||
      base::exists("/opt/homebrew/bin/robot-council")) {
    GTEST_SKIP() << "robot-council is installed on this machine, so that a script always finds it";
  }
  EXPECT_EQ(brief(with(machine.script())), "error command 1");
  Machine::write(machine.home + "/.local/bin/robot-council", "");
  Machine::executable(machine.home + "/.local/bin/robot-council");
  EXPECT_EQ(brief(with(machine.script())), "");
}

TEST_F(ScanRules, PathWithABlankAndNoQuotesS29) {
  const std::string place = machine.home + "/my hooks/robot-council-stop-hook";
  Machine::write(place, "#!/bin/sh\n");
  Machine::executable(place);
  const auto result = with(place);
  EXPECT_EQ(brief(result), "error command 1");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(brief(with("'" + place + "'")), "");
}

TEST_F(ScanRules, ForeignHookIsNamedAndADeadOneWarnedOfS23S24) {
  Machine::write(
      settings,
      R"({"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:9/x"},{"type":"command","command":")" +
          machine.script() + R"("},{"type":"command","command":"/gone/atuin hook stop"}]}]}})");
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::runs);
  EXPECT_EQ(brief(result), "info foreign 1; info foreign 1; warning command 1");
  EXPECT_NE(result.findings[0].text.find("http://127.0.0.1:9/x"), std::string::npos);
  Machine::write(settings, Machine::nested("Stop", "/gone/atuin hook stop"));
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::none);
}

TEST_F(ScanRules, AForeignScriptThatMayCallOursIsUnknown) {
  const std::string wrapper = machine.home + "/bin/wrapper.sh";
  Machine::write(wrapper, "#!/bin/sh\nrobot-council pending --hook\n");
  Machine::executable(wrapper);
  EXPECT_EQ(with(wrapper).outcome, ScanOutcome::unknown);
  Machine::write(wrapper, "#!/bin/sh\ntrue\n");
  EXPECT_EQ(with(wrapper).outcome, ScanOutcome::none);
}

TEST_F(ScanRules, ControlCharactersOfACommandReachNoTerminal) {
  const auto result = with("/gone/\\u001b[31mred\\u009b\\ufffe");
  for (const auto& finding : result.findings) {
    for (const char c : finding.text) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
    }
    EXPECT_EQ(finding.text.find("\xC2\x9B"), std::string::npos);
  }
}

TEST_F(ScanRules, StopsRecordIsOursAndDeliversNothing) {
  const std::string record = machine.home + "/bin/robot-council stops record --deadline 31000";
  auto result = with(record, ",\"async\":true,\"timeout\":10");
  EXPECT_EQ(brief(result), "");
  EXPECT_EQ(result.outcome, ScanOutcome::none);
  ASSERT_EQ(result.entries.size(), 1U);
  EXPECT_EQ(result.entries[0].kind, stop_hook::ScanEntryKind::record);
  Machine::write(settings,
                 R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + machine.script() +
                     R"("},{"type":"command","async":true,"command":")" + record + R"("}]}]}})");
  result = machine.scan("claude");
  EXPECT_EQ(brief(result), "");
  EXPECT_EQ(result.outcome, ScanOutcome::runs);
}

TEST_F(ScanRules, OtherSeatIsAnError150) {
  script({"v1", "https://a.example", "claude", machine.home + "/bin/robot-council", "", "", "",
          std::nullopt});
  server("", R"("ROBOT_COUNCIL_SERVICE":"https://a.example/","ROBOT_COUNCIL_HARNESS":"claude")");
  EXPECT_EQ(brief(with(machine.script())), "");
  for (
      const auto& [arguments, variables] : std::vector<std::pair<std::string, std::string>>{
          {"", R"("ROBOT_COUNCIL_SERVICE":"https://b.example","ROBOT_COUNCIL_HARNESS":"claude")"},
          {"", R"("ROBOT_COUNCIL_SERVICE":"https://a.example","ROBOT_COUNCIL_HARNESS":"codex")"},
          {",\"--project=p\"",
           R"("ROBOT_COUNCIL_SERVICE":"https://a.example","ROBOT_COUNCIL_HARNESS":"claude")"},
          {"",
           R"("ROBOT_COUNCIL_SERVICE":"https://a.example","ROBOT_COUNCIL_HARNESS":"claude","XDG_STATE_HOME":"/s")"}}) {
    SCOPED_TRACE(arguments + variables);
    server(arguments, variables);
    const auto result = with(machine.script());
    EXPECT_EQ(brief(result), "error seat 1");
    EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  }
  server("", "");
  EXPECT_EQ(brief(with(machine.script())), "") << "what is not told is not compared";
  EXPECT_EQ(machine.scan("claude", {"https://other.example", ""}).outcome,
            ScanOutcome::will_not_run);
  EXPECT_EQ(machine.scan("claude", {"https://a.example", ""}).outcome, ScanOutcome::runs);
  script({"v1", "https://a.example", "codex", machine.home + "/bin/robot-council", "", "", "",
          std::nullopt});
  EXPECT_EQ(brief(with(machine.script())), "error seat 1");
}

TEST_F(ScanRules, CodexStateFolderMustBeThatOfTheServer) {
  const std::string hooks = machine.home + "/.codex/hooks.json";
  Machine::write(hooks, machine.ours());
  const auto config = [&](const std::string& variables) {
    Machine::write(
        machine.home + "/.codex/config.toml",
        "[mcp_servers.robot-council]\ncommand = \"x\"\nargs = [\"mcp\"]\nenv = { "
        "ROBOT_COUNCIL_SERVICE = \"https://a.example\", ROBOT_COUNCIL_HARNESS = \"codex\"" +
            variables + " }\n");
  };
  stop_hook::ScriptValues values{
      "v1",    "https://a.example", "codex", machine.home + "/bin/robot-council", "", "", "",
      "/state"};
  script(values);
  config(", XDG_STATE_HOME = \"/state\"");
  EXPECT_EQ(brief(machine.scan("codex")), "warning trust 1");
  config("");
  EXPECT_EQ(of_rule(machine.scan("codex"), "seat").size(), 1U);
  values.state_home = "";
  script(values);
  EXPECT_EQ(of_rule(machine.scan("codex"), "seat").size(), 0U);
  config(", XDG_STATE_HOME = \"/state\"");
  EXPECT_EQ(of_rule(machine.scan("codex"), "seat").size(), 1U);
}

class ScanWake : public ScanRules {
 protected:
  stop_hook::ScanResult wired(const std::string& start, const std::string& prompt) {
    const auto event = [&](const char* name, const std::string& more) {
      return more.empty()
                 ? std::string()
                 : ",\n\"" + std::string(name) + R"(":[{"hooks":[{"type":"command","command":")" +
                       machine.script() + " --wait\"" + more + "}]}]";
    };
    Machine::write(settings, R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" +
                                 machine.script() + R"(","timeout":20}]}])" +
                                 event("SessionStart", start) + event("UserPromptSubmit", prompt) +
                                 "}}");
    return machine.scan("claude");
  }
  const std::string good = R"(,"asyncRewake":true,"timeout":86400)";
};

TEST_F(ScanWake, BothEntriesAreWired) {
  const auto result = wired(good, good);
  EXPECT_EQ(brief(result), "");
  EXPECT_TRUE(result.wake_wired);
  EXPECT_EQ(result.entries.size(), 3U);
  EXPECT_FALSE(wired("", "").wake_wired);
}

TEST_F(ScanWake, OnlyOneOfTheTwoIsAFinding) {
  EXPECT_EQ(brief(wired(good, "")), "warning shape 2");
  EXPECT_EQ(brief(wired("", good)), "warning shape 2");
  EXPECT_FALSE(wired(good, "").wake_wired);
}

TEST_F(ScanWake, NoAsyncRewakeHoldsEachPrompt) {
  const auto result = wired(good, R"(,"timeout":86400)");
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].rule, "shape");
  EXPECT_EQ(result.findings[0].line, 3U);
  EXPECT_EQ(result.findings[0].text,
            "the entry has no asyncRewake, so it holds each prompt for up to 24 h.");
  EXPECT_EQ(result.outcome, ScanOutcome::runs) << "the delivering entry is not touched by it";
  EXPECT_FALSE(result.wake_wired);
}

TEST_F(ScanWake, AsyncInsteadAndShortTimeoutAreFindings) {
  EXPECT_EQ(of_rule(wired(R"(,"async":true,"timeout":86400)", good), "shape")[0].text,
            "the entry has async instead of asyncRewake, so it wakes nobody.");
  EXPECT_EQ(brief(wired(R"(,"asyncRewake":true,"timeout":3599)", good)), "warning timeout 2");
  EXPECT_EQ(brief(wired(R"(,"asyncRewake":true)", good)), "warning timeout 2")
      << "the default is 600 s";
  EXPECT_EQ(brief(wired(R"(,"asyncRewake":true,"timeout":3600)", good)), "");
}

TEST_F(ScanWake, TheTwoEntriesAloneDeliverNothing) {
  Machine::write(
      settings,
      R"({"hooks":{"SessionStart":[{"hooks":[{"type":"command","asyncRewake":true,"timeout":86400,"command":")" +
          machine.script() + R"( --wait"}]}]}})");
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::none);
}

TEST_F(ScanRules, ReportTextJsonAndStatus) {
  with(machine.script(), ",\"timeout\":5");
  auto report = stop_hook::report_scan(machine.world(), "claude", stop_hook::ScanFormat::text);
  EXPECT_EQ(report.out, "warning " + settings +
                            ":1 timeout: the timeout is under 10 s; a busy sink alone may take 4 "
                            "s. Write 20 seconds.\n"
                            "claude: runs\n");
  EXPECT_EQ(report.status, 0);
  report = stop_hook::report_scan(machine.world(), "claude", stop_hook::ScanFormat::json);
  EXPECT_EQ(
      report.out,
      R"([{"harness":"claude","result":"runs","findings":[{"file":")" + settings +
          R"(","line":1,"rule":"timeout","severity":"warning","text":"the timeout is under 10 s; a busy sink alone may take 4 s.","remedy":"Write 20 seconds."}]}])"
          "\n");
  Machine::write(machine.home + "/.cursor/hooks.json", R"({"version":1,"hooks":{}})");
  report = stop_hook::report_scan(machine.world(), "", stop_hook::ScanFormat::text);
  EXPECT_NE(report.out.find("claude: runs\ncursor: none\n"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("codex"), std::string::npos) << "a harness without a file is left out";
  EXPECT_EQ(report.status, 1);
  report = stop_hook::report_scan(machine.world(), "codex", stop_hook::ScanFormat::json);
  EXPECT_EQ(report.out, "[{\"harness\":\"codex\",\"result\":\"none\",\"findings\":[]}]\n");
  EXPECT_EQ(report.status, 1);
  EXPECT_EQ(stop_hook::report_scan(machine.world(), "opencode", stop_hook::ScanFormat::text).out,
            "opencode: unknown\n");
  const Machine empty;
  report = stop_hook::report_scan(empty.world(), "", stop_hook::ScanFormat::text);
  EXPECT_EQ(report.out, "");
  EXPECT_EQ(report.status, 1);
  EXPECT_FALSE(report.message.empty());
}

}  // namespace
}  // namespace robot_council
