#include <sys/stat.h>

#include <gtest/gtest.h>

#include "harness/settings_toml.hpp"
#include "tests/stop-hook/scan_support.hpp"

// Where each client looks, what switches hooks off, policies and trust (delivery contract 8.2;
// statements 139-146).
namespace robot_council {
namespace {

using stop_hook::ScanOutcome;
using test::brief;
using test::Machine;
using test::of_rule;

// The files of the entries, "-" before those that do not run.
std::vector<std::string> sources(const Machine& machine, std::string_view harness) {
  std::vector<std::string> names;
  for (const auto& entry : machine.scan(harness).entries) {
    const std::string home = machine.path("");
    std::string name = entry.file.rfind(home, 0) == 0 ? entry.file.substr(home.size()) : entry.file;
    names.push_back((entry.runs ? "" : "-") + name);
  }
  return names;
}
using Names = std::vector<std::string>;

TEST(ScanSources, ClaudeReadsUserProjectAndLocalFileAllAddUp143) {
  const Machine machine;
  Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  Machine::write(machine.project + "/.claude/settings.json", machine.ours());
  Machine::write(machine.project + "/.claude/settings.local.json", machine.ours());
  EXPECT_EQ(sources(machine, "claude"),
            (Names{"home/.claude/settings.json", "work/project/.claude/settings.json",
                   "work/project/.claude/settings.local.json"}));
  const auto twice = of_rule(machine.scan("claude"), "double");
  ASSERT_EQ(twice.size(), 2U);
  EXPECT_EQ(twice[0].severity, stop_hook::ScanSeverity::warning);
}

TEST(ScanSources, StartedBelowTheRootItsLocalFileRunsAndItsSettingsDoNot139) {
  Machine machine;
  const std::string root = machine.project;
  Machine::write(root + "/.git/HEAD", "ref: refs/heads/main\n");
  Machine::write(root + "/sub/deep/file", "");
  machine.project = root + "/sub/deep";
  Machine::write(root + "/.claude/settings.local.json", machine.ours());
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  Machine::write(root + "/.claude/settings.local.json", "{}");
  Machine::write(root + "/.claude/settings.json", machine.ours());
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  ASSERT_EQ(of_rule(result, "place").size(), 1U);
  EXPECT_EQ(of_rule(result, "place")[0].file, root + "/.claude/settings.json");
  // Without a repository the local file of a parent is not read either.
  Machine::write(root + "/.claude/settings.json", "{}");
  Machine::write(root + "/.claude/settings.local.json", machine.ours());
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  ASSERT_TRUE(base::remove_file(root + "/.git/HEAD").ok());
  ASSERT_EQ(::rmdir((root + "/.git").c_str()), 0);
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::none);
}

TEST(ScanSources, HooksInFilesThatClaudeDoesNotReadS02S03S04) {
  for (const char* name :
       {"home/.claude.json", "home/.claude/hooks.json", "home/.claude/settings.local.json",
        "work/project/.claude/hooks.json", "work/.claude/settings.json"}) {
    SCOPED_TRACE(name);
    const Machine machine;
    Machine::write(machine.path(name), machine.ours());
    const auto result = machine.scan("claude");
    EXPECT_EQ(brief(result), "error place 1");
    EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  }
  const Machine machine;  // S02: events at the top level of an undocumented file: both are said
  Machine::write(machine.home + "/.claude/settings.local.json",
                 R"({"Stop":[{"hooks":[]}],"PreToolUse":[]})");
  EXPECT_EQ(brief(machine.scan("claude")), "error place -; error wrapper 1");
}

TEST(ScanSources, DisableAllHooksByRankS17) {
  const Machine machine;
  machine.trust();
  const std::string user = machine.home + "/.claude/settings.json";
  const std::string local = machine.project + "/.claude/settings.local.json";
  const std::string ours = machine.ours();
  Machine::write(user, R"({"disableAllHooks":true,)" + ours.substr(1));
  Machine::write(local, R"({"disableAllHooks":false})");
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  Machine::write(user, R"({"disableAllHooks":false,)" + ours.substr(1));
  Machine::write(local, R"({"disableAllHooks":true})");
  auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(brief(result), "error off 1");
  EXPECT_EQ(result.findings[0].file, local);
  Machine::write(local, "{}");
  Machine::write(machine.etc + "/claude-code/managed-settings.json",
                 "{\n\"disableAllHooks\":true}");
  result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  ASSERT_EQ(of_rule(result, "off").size(), 1U);
  EXPECT_EQ(of_rule(result, "off")[0].file, "/etc/claude-code/managed-settings.json");
  EXPECT_EQ(of_rule(result, "off")[0].line, 2U);
}

TEST(ScanSources, ManagedHooksRunBesideAUsersDisableAllHooks) {
  const Machine machine;
  machine.trust();
  Machine::write(machine.home + "/.claude/settings.json",
                 R"({"disableAllHooks":true,)" + machine.ours().substr(1));
  Machine::write(machine.etc + "/claude-code/managed-settings.json", machine.ours());
  EXPECT_EQ(sources(machine, "claude"),
            (Names{"-home/.claude/settings.json", "/etc/claude-code/managed-settings.json"}));
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
}

TEST(ScanSources, PoliciesAreNamedWithKeyAndFile141S18) {
  const Machine machine;
  machine.trust();
  const std::string user = machine.home + "/.claude/settings.json";
  Machine::write(user, machine.ours());
  const std::string managed = machine.etc + "/claude-code/managed-settings.json";
  for (const char* content :
       {"{\"allowManagedHooksOnly\":true}", "{\"strictPluginOnlyCustomization\":true}",
        "{\"strictPluginOnlyCustomization\":[\"skills\",\"hooks\"]}"}) {
    SCOPED_TRACE(content);
    Machine::write(managed, content);
    const auto result = machine.scan("claude");
    EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
    EXPECT_EQ(brief(result), "error policy 1");
    EXPECT_EQ(result.findings[0].file, "/etc/claude-code/managed-settings.json");
    EXPECT_EQ(result.findings[0].text.rfind(std::string(content).substr(2, 12), 0), 0U);
  }
  Machine::write(managed, "{\"strictPluginOnlyCustomization\":[\"skills\"]}");
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  Machine::write(managed, "{}");
  Machine::write(user, R"({"allowManagedHooksOnly":true,)" +
                           machine.ours().substr(1));  // elsewhere without effect
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
}

TEST(ScanSources, ManagedDropInsByNameHiddenIgnoredBrokenNamed142) {
  const Machine machine;
  machine.trust();
  const std::string folder = machine.etc + "/claude-code/managed-settings.d/";
  Machine::write(folder + "20-last.json", R"({"disableAllHooks":false})");
  Machine::write(folder + "10-first.json", R"({"disableAllHooks":true})");
  Machine::write(folder + ".hidden.json", R"({"disableAllHooks":true})");
  Machine::write(folder + "99-note.txt", R"({"disableAllHooks":true})");
  Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
  Machine::write(folder + "30-broken.json", "{");
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  ASSERT_EQ(of_rule(result, "syntax").size(), 1U);
  EXPECT_EQ(of_rule(result, "syntax")[0].file,
            "/etc/claude-code/managed-settings.d/30-broken.json");
  EXPECT_NE(of_rule(result, "syntax")[0].text.find("Claude Code will not start."),
            std::string::npos);
}

TEST(ScanSources, PluginsOnlyWhereEnabledAndInBothForms) {
  const Machine machine;
  machine.trust();
  const std::string root = machine.path("cache/rc");
  Machine::write(machine.home + "/.claude/plugins/installed_plugins.json",
                 R"({"version":1,"plugins":{"rc@market":{"installPath":")" + root + R"("}}})");
  Machine::write(root + "/.claude-plugin/plugin.json",
                 R"({"name":"rc","hooks":)" + machine.ours() + "}");
  Machine::write(machine.home + "/.claude/settings.json",
                 R"({"enabledPlugins":{"rc@market":false}})");
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::none);
  Machine::write(machine.project + "/.claude/settings.json",
                 R"({"enabledPlugins":{"rc@market":true}})");
  EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs);
}

TEST(ScanSources, SameCommandInUserFileAndPluginRunsTwiceS15) {
  const Machine machine;
  machine.trust();
  const std::string root = machine.path("cache/rc");
  Machine::write(machine.home + "/.claude/plugins/installed_plugins.json",
                 R"({"version":2,"plugins":{"rc@m":[{"installPath":")" + root + R"("}]}})");
  Machine::write(root + "/hooks/hooks.json", machine.ours());
  Machine::write(machine.home + "/.claude/settings.json",
                 R"({"enabledPlugins":{"rc@m":true},)" + machine.ours().substr(1));
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::runs);
  EXPECT_EQ(brief(result), "warning double 1");
}

TEST(ScanSources, ClaudeSwitchedOffByVariable) {
  Machine machine;
  machine.trust();
  Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  for (const char* name : {"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}) {
    machine.environment.set(name, "1");
    EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::will_not_run) << name;
    EXPECT_EQ(brief(machine.scan("claude")), "error off -");
    machine.environment.set(name, "0");
    EXPECT_EQ(machine.scan("claude").outcome, ScanOutcome::runs) << name;
  }
}

TEST(ScanSources, FolderTrustNotRecordedIsAWarning) {
  const Machine machine;
  Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  Machine::write(machine.home + "/.gemini/settings.json", machine.ours("AfterAgent"));
  Machine::write(machine.project + "/.github/hooks/x.json",
                 R"({"hooks":{"agentStop":[{"bash":")" + machine.script() + R"("}]}})");
  for (const char* name : {"claude", "copilot"}) {
    EXPECT_EQ(brief(machine.scan(name)), "warning trust -") << name;
    EXPECT_EQ(machine.scan(name).outcome, ScanOutcome::runs) << name;
  }
  EXPECT_EQ(of_rule(machine.scan("gemini"), "trust").size(), 1U);
  machine.trust();
  for (const char* name : {"claude", "copilot", "gemini"}) {
    EXPECT_TRUE(of_rule(machine.scan(name), "trust").empty()) << name;
  }
  Machine::write(machine.home + "/.claude.json", R"({"projects":{")" + machine.path("work") +
                                                     R"(":{"hasTrustDialogAccepted":true}}})");
  EXPECT_TRUE(of_rule(machine.scan("claude"), "trust").empty()) << "a parent's trust counts";
  Machine::write(machine.home + "/.gemini/trustedFolders.json",
                 R"({")" + machine.project + R"(":"DO_NOT_TRUST"})");
  EXPECT_EQ(of_rule(machine.scan("gemini"), "trust").size(), 1U);
}

std::string codex_state(const std::string& file, const std::string& hash,
                        std::string_view more = "") {
  return "[hooks.state.\"" + file + ":stop:0:0\"]\ntrusted_hash = \"" + hash + "\"\n" +
         std::string(more);
}

TEST(ScanSources, CodexGoldenHash145) {
  harness::HookEntry entry;
  entry.line_text = "/opt/robot-council/robot-council-stop-hook";
  entry.timeout = 20.0;
  EXPECT_EQ(harness::codex_trusted_hash(entry),
            "sha256:5aafc03c4dc75f3281f8dbe1203617596ddff79daf7b51949749bed058f569e6");
}

TEST(ScanSources, CodexTrustedEntryRunsOneBlankMoreNeedsReview145S27) {
  const Machine machine;
  const std::string file = machine.home + "/.codex/hooks.json";
  Machine::write(file, machine.ours());
  harness::HookEntry entry;
  entry.line_text = machine.script();
  entry.timeout = 20.0;
  const std::string config = machine.home + "/.codex/config.toml";
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::needs_review);
  Machine::write(config, codex_state(file, *harness::codex_trusted_hash(entry)));
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::runs);
  EXPECT_EQ(brief(machine.scan("codex")), "");
  Machine::write(file, Machine::nested("Stop", machine.script() + " ", ",\"timeout\":20"));
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::needs_review);
  EXPECT_EQ(brief(machine.scan("codex")), "warning trust 1");
  Machine::write(file, Machine::nested("Stop", machine.script(), ",\"timeout\":20,\"zzz\":1"));
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::needs_review);
  Machine::write(file, machine.ours());
  Machine::write(config,
                 codex_state(file, *harness::codex_trusted_hash(entry), "enabled = false\n"));
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(brief(machine.scan("codex")), "error off 1");
}

TEST(ScanSources, CodexJsonAndTomlAreBothCounted146) {
  const Machine machine;
  Machine::write(machine.home + "/.codex/hooks.json", machine.ours());
  Machine::write(
      machine.home + "/.codex/config.toml",
      "model = \"x\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"" +
          machine.script() + "\"\n");
  const auto result = machine.scan("codex");
  EXPECT_EQ(result.entries.size(), 2U);
  EXPECT_EQ(of_rule(result, "trust").size(), 2U);
  EXPECT_EQ(of_rule(result, "double").size(), 1U);
  EXPECT_EQ(of_rule(result, "trust")[1].line, 3U);
}

TEST(ScanSources, CodexFeaturePolicyAndBrokenTables143) {
  struct Row {
    const char* toml;
    const char* rule;
  };
  for (const Row& row :
       {Row{"[features]\nhooks = false\n", "error off 2"},
        Row{"[features]\ncodex_hooks = false\n", "error off 2"},
        Row{"[hooks.Stop]\nx = 1\n", "error void 1"}, Row{"a = 1\na = 2\n", "error syntax 2"},
        Row{"x = \n", "error syntax 1"}}) {
    SCOPED_TRACE(row.toml);
    const Machine machine;
    Machine::write(machine.home + "/.codex/hooks.json", machine.ours());
    Machine::write(machine.home + "/.codex/config.toml", row.toml);
    const auto result = machine.scan("codex");
    EXPECT_EQ(brief(result), row.rule);
    EXPECT_EQ(result.outcome, ScanOutcome::will_not_run);
  }
  const Machine machine;
  Machine::write(machine.home + "/.codex/hooks.json", machine.ours());
  Machine::write(machine.etc + "/codex/requirements.toml", "allow_managed_hooks_only = true\n");
  EXPECT_EQ(brief(machine.scan("codex")), "error policy 1");
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::will_not_run);
}

// A key of 50,000 parts ended the process: the library takes its tree down by recursion.
TEST(ScanSources, CodexKeysOfVeryManyPartsEndNobody) {
  std::string key = "a";
  for (int i = 0; i < 50000; ++i) {
    key += ".a";
  }
  for (const std::string& text :
       {key + " = 1\n", "[" + key + "]\n", "[[" + key + "]]\n", "x = {" + key + " = 1}\n",
        "x = [\n" + key + "\n]\n", "s = '''\n" + key + "'''\n" + key + " = 1\n"}) {
    const Machine machine;
    Machine::write(machine.home + "/.codex/hooks.json", machine.ours());
    Machine::write(machine.home + "/.codex/config.toml", text);
    EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::will_not_run);
  }
  // Points elsewhere are no parts.
  const Machine machine;
  Machine::write(machine.home + "/.codex/hooks.json", machine.ours());
  Machine::write(
      machine.home + "/.codex/config.toml",
      "a = \"" + key + "\"\nb = '''\n" + key + "'''\n# " + key + "\n[projects.\"/x/y.z\"]\n");
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::needs_review);
}

TEST(ScanSources, CodexProjectFolderNeedsProjectTrust) {
  const Machine machine;
  Machine::write(machine.project + "/.codex/hooks.json", machine.ours());
  EXPECT_EQ(machine.scan("codex").outcome, ScanOutcome::needs_review);
  EXPECT_NE(of_rule(machine.scan("codex"), "trust")[0].text.find("is not trusted"),
            std::string::npos);
  Machine::write(machine.home + "/.codex/config.toml",
                 "[projects.\"" + machine.project + "\"]\ntrust_level = \"trusted\"\n");
  EXPECT_NE(of_rule(machine.scan("codex"), "trust")[0].text.find("is not recorded"),
            std::string::npos);
  Machine moved;
  moved.environment.set("CODEX_HOME", moved.path("codex-home"));
  Machine::write(moved.home + "/.codex/hooks.json", moved.ours());
  EXPECT_EQ(moved.scan("codex").outcome, ScanOutcome::none);
  Machine::write(moved.path("codex-home/hooks.json"), moved.ours());
  EXPECT_EQ(moved.scan("codex").outcome, ScanOutcome::needs_review);
}

TEST(ScanSources, CursorGeminiCopilotGooseReadTheirFiles143) {
  struct Row {
    const char* harness;
    std::vector<const char*> files;
    const char* event;
  };
  for (const Row& row :
       {Row{"cursor",
            {"home/.cursor/hooks.json", "work/project/.cursor/hooks.json",
             "root/etc/cursor/hooks.json"},
            "cursor"},
        Row{"gemini",
            {"home/.gemini/settings.json", "work/project/.gemini/settings.json",
             "root/etc/gemini-cli/settings.json", "home/.gemini/extensions/x/hooks/hooks.json"},
            "AfterAgent"},
        Row{"copilot",
            {"home/.copilot/hooks/any.json", "home/.copilot/settings.json",
             "work/project/.github/hooks/a.json", "work/project/.github/copilot/settings.json",
             "work/project/.github/copilot/settings.local.json",
             "root/etc/github-copilot/policy.d/p.json"},
            "Stop"},
        Row{"goose",
            {"home/.agents/plugins/a/hooks/hooks.json",
             "work/project/.agents/plugins/b/hooks/hooks.json"},
            "Stop"}}) {
    for (const char* file : row.files) {
      SCOPED_TRACE(file);
      const Machine machine;
      machine.trust();
      Machine::write(machine.path(file), std::string(row.event) == "cursor"
                                             ? R"({"version":1,"hooks":{"stop":[{"command":")" +
                                                   machine.script() + R"("}]}})"
                                             : machine.ours(row.event));
      EXPECT_EQ(machine.scan(row.harness).outcome, ScanOutcome::runs);
      EXPECT_EQ(brief(machine.scan(row.harness)), "");
    }
  }
}

TEST(ScanSources, CopilotSettingsSwitchOffAllButPolicies148) {
  const Machine machine;
  const std::string hook = R"({"hooks":{"agentStop":[{"bash":")" + machine.script() + R"("}]}})";
  Machine::write(machine.home + "/.copilot/hooks/a.json", hook);
  Machine::write(machine.home + "/.copilot/settings.json", "{\"disableAllHooks\":true}");
  EXPECT_EQ(machine.scan("copilot").outcome, ScanOutcome::will_not_run);
  EXPECT_EQ(brief(machine.scan("copilot")), "error off 1");
  Machine::write(machine.etc + "/github-copilot/policy.d/p.json", hook);
  EXPECT_EQ(machine.scan("copilot").outcome, ScanOutcome::runs);
}

TEST(ScanSources, ClaudesFileCalledByCursorDeliversNothingThere) {
  const Machine machine;
  Machine::write(machine.home + "/.claude/settings.json", machine.ours());
  EXPECT_EQ(machine.scan("cursor").outcome, ScanOutcome::none);
  Machine::write(machine.script(), "#!/bin/sh\nexport ROBOT_COUNCIL_HARNESS=cursor\n");
  EXPECT_EQ(machine.scan("cursor").outcome, ScanOutcome::runs);
}

TEST(ScanSources, AFileThatMayNotBeReadCannotBeTold) {
  const Machine machine;
  Machine::write(machine.home + "/.claude/settings.json/inside", "");
  const auto result = machine.scan("claude");
  EXPECT_EQ(result.outcome, ScanOutcome::unknown);
  EXPECT_EQ(brief(result), "warning syntax -");
}

TEST(ScanSources, EveryCutOfEveryFileIsHarmlessAndNothingIsWritten151) {
  const Machine machine;
  machine.trust();
  const std::string toml =
      "[features]\nhooks = true\n" + codex_state("/x", "sha256:00") +
      "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {machine.home + "/.claude/settings.json",
       R"({"enabledPlugins":{"a":true},)" + machine.ours().substr(1)},
      {machine.home + "/.claude.json", test::read_text(machine.home + "/.claude.json")},
      {machine.home + "/.codex/hooks.json", machine.ours()},
      {machine.home + "/.codex/config.toml", toml},
      {machine.home + "/.cursor/hooks.json",
       R"({"version":1,"hooks":{"stop":[{"command":"\u00e9\ud83d\ude00"}]}})"},
      {machine.home + "/.gemini/settings.json", "{/* x */" + machine.ours("AfterAgent").substr(1)},
      {machine.home + "/.copilot/settings.json", R"({"hooks":{"agentStop":[{"bash":"x"}]}})"},
      {machine.home + "/.agents/plugins/x/hooks/hooks.json", machine.ours()}};
  for (const auto& [file, whole] : files) {
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      Machine::write(file, whole.substr(0, size));
      for (const std::string& name : stop_hook::scanned_harnesses()) {
        const auto result = machine.scan(name);
        ASSERT_EQ(result.harness, name);
      }
      ASSERT_EQ(test::read_text(file), whole.substr(0, size));
    }
  }
}

}  // namespace
}  // namespace robot_council
