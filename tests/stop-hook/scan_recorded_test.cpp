#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/stop-hook/scan_support.hpp"

// The lines of the earlier program, byte for byte (delivery contract 8.1; statements 133-138, 140).
namespace robot_council {
namespace {

using Lines = std::vector<std::string>;
using stop_hook::ScanOutcome;
using test::of_rule;

constexpr const char* kAny =
    R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/any/thing"}]}]}})";
constexpr const char* kNone =
    "stop hook: none found; an agent woken by a notice is told to read the feed itself.";

// Errors of the scanner follow the verdict; here only the recorded lines count.
Lines recorded(const test::Machine& machine) {
  Lines lines;
  for (const std::string& line : machine.start().lines) {
    lines.push_back(line);
    if (line.find("could not read") == std::string::npos) {
      break;
    }
  }
  return lines;
}

TEST(ScanRecorded, EachOfTheFourFilesIsNamedAsFound133) {
  for (const char* name :
       {"home/.claude/settings.json", "home/.claude/settings.local.json",
        "work/project/.claude/settings.json", "work/project/.claude/settings.local.json"}) {
    const test::Machine machine;
    test::Machine::write(machine.path(name), kAny);
    EXPECT_EQ(recorded(machine), Lines{"stop hook: found in " + machine.path(name) + "."});
  }
}

TEST(ScanRecorded, EachOfTheFourFilesIsNamedAsOff133) {
  for (const char* name :
       {"home/.claude/settings.json", "home/.claude/settings.local.json",
        "work/project/.claude/settings.json", "work/project/.claude/settings.local.json"}) {
    const test::Machine machine;
    test::Machine::write(machine.path(name), R"({"disableAllHooks":true})");
    EXPECT_EQ(
        recorded(machine),
        Lines{
            "stop hook: none will run, since " + machine.path(name) +
            " sets disableAllHooks; an agent woken by a notice is told to read the feed itself."});
  }
}

TEST(ScanRecorded, OfSeveralTheFirstIsNamed134) {
  const test::Machine machine;
  test::Machine::write(machine.project + "/.claude/settings.json", kAny);
  test::Machine::write(machine.project + "/.claude/settings.local.json", kAny);
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.project + "/.claude/settings.json."});
  test::Machine::write(machine.home + "/.claude/settings.json", kAny);
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.home + "/.claude/settings.json."});
}

TEST(ScanRecorded, NoFileOtherHooksABlankCommandAndNoTypeAreNone134) {
  const test::Machine machine;
  EXPECT_EQ(recorded(machine), Lines{kNone});
  EXPECT_FALSE(machine.start().has_hook);
  const std::string file = machine.home + "/.claude/settings.json";
  for (const char* content :
       {"{}", R"({"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}})",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":" \t"}]}]}})",
        R"({"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}})",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"Command","command":"x"}]}]}})",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"http","command":"x"}]}]}})",
        R"({"hooks":{"Stop":{}}})",
        R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":["x"]}]}]}})",
        R"({"hooks":[]})"}) {
    test::Machine::write(file, content);
    EXPECT_EQ(recorded(machine), Lines{kNone}) << content;
  }
}

TEST(ScanRecorded, DisableAllHooksTheLastFileWithABooleanWins135) {
  const test::Machine machine;
  test::Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  test::Machine::write(machine.project + "/.claude/settings.json", R"({"disableAllHooks":true})");
  test::Machine::write(machine.project + "/.claude/settings.local.json",
                       R"({"disableAllHooks":false})");
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.home + "/.claude/settings.json."});
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  test::Machine::write(machine.project + "/.claude/settings.json", R"({"disableAllHooks":false})");
  test::Machine::write(machine.project + "/.claude/settings.local.json",
                       R"({"disableAllHooks":true})");
  EXPECT_EQ(
      recorded(machine),
      Lines{"stop hook: none will run, since " + machine.project +
            "/.claude/settings.local.json sets disableAllHooks; an agent woken by a notice is "
            "told to read the feed itself."});
  EXPECT_FALSE(machine.start().has_hook);
  test::Machine::write(machine.project + "/.claude/settings.local.json",
                       R"({"disableAllHooks":"true"})");
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.home + "/.claude/settings.json."});
}

TEST(ScanRecorded, UnreadableFilesComeFirstTheOthersAreRead136) {
  const test::Machine machine;
  const std::string user = machine.home + "/.claude/settings.json";
  const std::string project = machine.project + "/.claude/settings.json";
  test::Machine::write(user, "{\"hooks\":\n  {]}");
  test::Machine::write(project, "[1]");
  test::Machine::write(machine.project + "/.claude/settings.local.json", kAny);
  EXPECT_EQ(
      recorded(machine),
      (Lines{"stop hook: could not read " + user +
                 " (line 2, column 4: expected a key in double quotes); treated as naming no hook.",
             "stop hook: could not read " + project +
                 " (not a JSON object); treated as naming no hook.",
             "stop hook: found in " + machine.project + "/.claude/settings.local.json."}));
}

TEST(ScanRecorded, AFolderInPlaceOfAFileCouldNotBeRead136) {
  const test::Machine machine;
  const std::string user = machine.home + "/.claude/settings.json";
  test::Machine::write(user + "/x", "");
  EXPECT_EQ(recorded(machine), (Lines{"stop hook: could not read " + user +
                                          " (could not be read); treated as naming no hook.",
                                      kNone}));
}

TEST(ScanRecorded, NestedDeeperThan64LevelsIsUnreadable) {
  const test::Machine machine;
  const std::string user = machine.home + "/.claude/settings.json";
  test::Machine::write(user,
                       R"({"x":)" + std::string(63, '[') + std::string(63, ']') +
                           R"(,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}})");
  EXPECT_EQ(recorded(machine), Lines{"stop hook: found in " + user + "."});
  test::Machine::write(user, R"({"x":)" + std::string(64, '[') + std::string(64, ']') + "}");
  EXPECT_EQ(recorded(machine).front(),
            "stop hook: could not read " + user +
                " (nested deeper than 64 levels); treated as naming no hook.");
}

TEST(ScanRecorded, ProjectThatIsTheHomeIsCountedOnce137) {
  test::Machine machine;
  machine.project = machine.home;
  const std::string file = machine.home + "/.claude/settings.json";
  test::Machine::write(file, "{");
  EXPECT_EQ(recorded(machine).size(), 2U);
  test::Machine::write(file, machine.ours());
  test::Machine::write(machine.home + "/.claude/settings.local.json", "{}");
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.entries.size(), 1U);
  EXPECT_EQ(result.outcome, ScanOutcome::runs);
  EXPECT_TRUE(of_rule(result, "double").empty());
  EXPECT_TRUE(of_rule(result, "place").empty());
}

TEST(ScanRecorded, OnlyTheUsersLocalFileIsFoundAndDoesNotRun138) {
  const test::Machine machine;
  const std::string file = machine.home + "/.claude/settings.local.json";
  test::Machine::write(file, machine.ours());
  const auto start = machine.start();
  ASSERT_EQ(start.lines.size(), 2U);
  EXPECT_EQ(start.lines[0], "stop hook: found in " + file + ".");
  EXPECT_EQ(
      start.lines[1].rfind(
          "stop hook: " + file + ":1: Claude Code reads a settings.local.json only in a project",
          0),
      0U);
  EXPECT_FALSE(start.has_hook);
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(of_rule(result, "place").size(), 1U);
}

TEST(ScanRecorded, AManagedOrPluginHookOfOursIsNamedAsFound140) {
  test::Machine machine;
  test::Machine::write(machine.etc + "/claude-code/managed-settings.json", machine.ours());
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in /etc/claude-code/managed-settings.json."});
  EXPECT_TRUE(machine.start().has_hook);

  const test::Machine other;
  const std::string root = other.path("plugins/ours");
  test::Machine::write(root + "/hooks/hooks.json", other.ours());
  test::Machine::write(other.home + "/.claude/plugins/installed_plugins.json",
                       R"({"version":2,"plugins":{"rc@market":[{"scope":"user","installPath":")" +
                           root + R"("}]}})");
  EXPECT_EQ(recorded(other), Lines{kNone});
  test::Machine::write(other.home + "/.claude/settings.json",
                       R"({"enabledPlugins":{"rc@market":true}})");
  EXPECT_EQ(recorded(other), Lines{"stop hook: found in " + root + "/hooks/hooks.json."});
  EXPECT_TRUE(other.start().has_hook);
}

TEST(ScanRecorded, ConfigFolderVariableAndProfileVariableG08) {
  test::Machine machine;
  machine.environment.set("CLAUDE_CONFIG_DIR", machine.path("profile"));
  test::Machine::write(machine.home + "/.claude/settings.json", kAny);
  EXPECT_EQ(recorded(machine), Lines{kNone});
  test::Machine::write(machine.path("profile/settings.json"), kAny);
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.path("profile/settings.json") + "."});
  machine.environment.set("CLAUDE_CONFIG_DIR", " ");
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.home + "/.claude/settings.json."});
  machine.environment.unset("HOME");
  EXPECT_EQ(recorded(machine), Lines{kNone});
  machine.environment.set("USERPROFILE", machine.home);
  EXPECT_EQ(recorded(machine),
            Lines{"stop hook: found in " + machine.home + "/.claude/settings.json."});
}

TEST(ScanRecorded, AnotherHarnessHasAHookAndLinesOnlyForErrors) {
  const test::Machine machine;
  for (const char* name : {"codex", "cursor", "gemini", "copilot", "goose", "opencode"}) {
    const auto start = machine.start(name);
    EXPECT_TRUE(start.has_hook) << name;
    EXPECT_TRUE(start.lines.empty()) << name;
  }
  test::Machine::write(machine.home + "/.cursor/hooks.json",
                       R"({"version":1,"hooks":{"notification":[]}})");
  const auto start = machine.start("cursor");
  EXPECT_TRUE(start.has_hook);
  ASSERT_EQ(start.lines.size(), 1U);
  EXPECT_EQ(start.lines[0], "stop hook: " + machine.home +
                                "/.cursor/hooks.json:1: \"notification\" is no event of Cursor; "
                                "Cursor drops the whole file. Remove that event.");
}

}  // namespace
}  // namespace robot_council
