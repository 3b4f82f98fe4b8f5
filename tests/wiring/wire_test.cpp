#include "wiring/wire.hpp"

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "stop-hook/scan.hpp"
#include "tests/lib/support.hpp"
#include "wiring/unsetup.hpp"

// Wiring of each client on real files (account contract 6 and 7; statements 65-68, 73, 77, 81-83,
// 85, 87).
namespace robot_council {
namespace {

using harness::Client;
using wiring::DryRun;
using wiring::Scope;
using wiring::Step;
using wiring::StepResult;
using wiring::Wirer;

const std::vector<Client>& all_clients() {
  static const std::vector<Client> kAll = {Client::claude, Client::codex,   Client::cursor,
                                           Client::gemini, Client::copilot, Client::goose};
  return kAll;
}

class Wire : public ::testing::Test {
 protected:
  Wire() {
    environment.set("HOME", home);
    environment.set("PATH", home + "/bin");
    test::write_text(home + "/bin/robot-council", "#!/bin/sh\n");
    EXPECT_TRUE(base::set_mode(home + "/bin/robot-council", 0755).ok());
    test::write_text(project + "/.git/HEAD", "ref: refs/heads/main\n");
  }

  // The steps of setup, "ok changed changed": script, server, hook.
  std::string wire(Client client, Scope scope = Scope::user, DryRun dry = DryRun::no,
                   const std::string& service = "https://a.example") {
    Wirer wirer(context, {client, scope, project}, dry);
    stop_hook::ScriptValues values;
    values.version = "v1";
    values.service = service;
    values.harness = harness::client_name(client);
    values.program = home + "/bin/robot-council";
    if (client == Client::codex) {
      values.state_home = "";
    }
    const std::vector<Step> steps = {
        wirer.put_script(test::source_file("resources/stop-hook/robot-council-stop-hook"), values),
        wirer.put_server({values.program, service, "", {}}), wirer.put_hooks(harness::Wake::yes)};
    diffs = wirer.diffs();
    std::string text;
    texts.clear();
    for (const Step& step : steps) {
      text += (text.empty() ? "" : ",") + std::string(to_text(step.result));
      texts += step_line(step);
    }
    return text;
  }

  int unwire(Client client, DryRun dry = DryRun::no, std::optional<Scope> scope = std::nullopt) {
    out.clear();
    return wiring::unsetup(context,
                           {std::string(harness::client_name(client)), scope, project, dry},
                           {[this](std::string_view text) {
                              out += text;
                              return base::Status();
                            },
                            [](base::Milliseconds) {}, [] { return true; }});
  }

  std::string outcome(Client client) const {
    const stop_hook::DiskSettingsFiles files(dir / "no-root");
    return std::string(to_text(
        stop_hook::scan({files, environment, project}, harness::client_name(client)).outcome));
  }

  // Every file below the home and the project but our own data folder: path and content.
  std::map<std::string, std::string> tree() const {
    std::map<std::string, std::string> files;
    collect(home, files);
    collect(project, files);
    return files;
  }
  void collect(const std::string& folder, std::map<std::string, std::string>& files) const {
    if (folder == home + "/.local") {
      return;
    }
    for (const auto& name : base::list_directory(folder).value_or({})) {
      const std::string path = folder + "/" + name;
      const auto info = base::file_info(path, base::Links::dont);
      if (info->kind == base::FileKind::directory) {
        collect(path, files);
      } else {
        files[path] = test::read_text(path);
      }
    }
  }

  test::TempDir dir;
  std::string home = dir / "home";
  std::string project = dir / "project";
  base::MapEnvironment environment;
  base::SystemClock clock;
  base::MemoryLog log;
  base::Context context{clock, environment, log};
  std::string diffs;
  std::string texts;
  std::string out;
};

TEST_F(Wire, FreshHomeRunsAndASecondRunChangesNothing65And66) {
  for (const Client client : all_clients()) {
    SCOPED_TRACE(harness::client_name(client));
    EXPECT_EQ(wire(client), "changed,changed,changed") << texts;
    EXPECT_EQ(outcome(client), client == Client::codex ? "needs review" : "runs");
    const auto before = tree();
    const auto info =
        base::file_info(wiring::wire_places(environment, {client, Scope::user, project}).hooks.path,
                        base::Links::follow);
    EXPECT_EQ(wire(client), "ok,ok,ok") << texts;
    EXPECT_EQ(tree(), before);
    const auto again =
        base::file_info(wiring::wire_places(environment, {client, Scope::user, project}).hooks.path,
                        base::Links::follow);
    EXPECT_EQ(info->inode, again->inode);
    EXPECT_EQ(info->mode, 0600U);
  }
}

TEST_F(Wire, UnsetupOfAFreshHomeLeavesNothing67) {
  const auto before = tree();
  for (const Client client : all_clients()) {
    SCOPED_TRACE(harness::client_name(client));
    ASSERT_EQ(wire(client), "changed,changed,changed") << texts;
    EXPECT_EQ(unwire(client), 0) << out;
    EXPECT_NE(out.find("No entry of robot-council is left in "), std::string::npos) << out;
    EXPECT_EQ(tree(), before) << out;
    EXPECT_EQ(outcome(client), "none");
  }
}

TEST_F(Wire, OldBytesComeBackAndTheBackupGoes67) {
  test::write_text(home + "/.claude/settings.json",
                   "{\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": "
                   "\"http\", \"url\": \"http://127.0.0.1:1/\"}]}]}\n}\n");
  test::write_text(home + "/.claude.json", "{\"numStartups\": 12345678901234567890}\n");
  test::write_text(home + "/.codex/config.toml", "# mine\nmodel = \"x\"");
  test::write_text(
      home + "/.codex/hooks.json",
      "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/gone\"}]}]}}");
  test::write_text(home + "/.cursor/hooks.json", "{ \"version\": 1, \"hooks\": { \"stop\": [] } }");
  test::write_text(home + "/.cursor/mcp.json", "{\r\n\t\"mcpServers\": {}\r\n}\r\n");
  test::write_text(home + "/.gemini/settings.json", "{\n  // comment\n  \"theme\": \"x\"\n}");
  test::write_text(home + "/.copilot/mcp-config.json",
                   "\xEF\xBB\xBF{ \"mcpServers\": { \"a\": {}, }, /* b */ }");
  const auto before = tree();
  for (const Client client : all_clients()) {
    SCOPED_TRACE(harness::client_name(client));
    ASSERT_EQ(wire(client), "changed,changed,changed") << texts;
    EXPECT_EQ(unwire(client), 0) << out;
    EXPECT_EQ(tree(), before) << out;
  }
}

TEST_F(Wire, ProjectScopeUsesTheRootAndItsOwnScript) {
  const auto before = tree();
  for (const Client client : all_clients()) {
    SCOPED_TRACE(harness::client_name(client));
    const std::string steps = wire(client, Scope::project);
    EXPECT_EQ(steps,
              client == Client::claude ? "changed,by hand,changed" : "changed,changed,changed")
        << texts;
    const auto places = wiring::wire_places(environment, {client, Scope::project, project});
    EXPECT_TRUE(base::exists(places.script));
    EXPECT_EQ(places.hooks.path.rfind(project, 0), 0U);
    if (client != Client::codex) {
      EXPECT_EQ(outcome(client), "runs");
    }
    EXPECT_EQ(unwire(client), 0) << out;
    EXPECT_EQ(tree(), before) << out;
  }
}

TEST_F(Wire, AnEntryLeftInAnotherFileIsNamed68) {
  ASSERT_EQ(wire(Client::claude), "changed,changed,changed");
  test::write_text(
      project + "/.claude/settings.json",
      R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/x/robot-council-stop-hook"}]}]}})");
  EXPECT_EQ(unwire(Client::claude), 1);
  EXPECT_NE(
      out.find("An entry of robot-council is left in " + project + "/.claude/settings.json:1."),
      std::string::npos)
      << out;
}

TEST_F(Wire, LinkModeAndOneBackup77) {
  test::write_text(home + "/dotfiles/settings.json", "{\"a\":1}\n");
  ASSERT_TRUE(base::set_mode(home + "/dotfiles/settings.json", 0640).ok());
  ASSERT_TRUE(base::make_private_directory(home + "/.claude").ok());
  ASSERT_EQ(::symlink("../dotfiles/settings.json", (home + "/.claude/settings.json").c_str()), 0);
  ASSERT_EQ(wire(Client::claude), "changed,changed,changed") << texts;
  EXPECT_EQ(base::file_info(home + "/.claude/settings.json", base::Links::dont)->kind,
            base::FileKind::symlink);
  EXPECT_EQ(base::file_info(home + "/dotfiles/settings.json", base::Links::dont)->mode, 0640U);
  std::size_t backups = 0;
  for (const auto& [path, content] : tree()) {
    if (path.find("settings.json.robot-council-backup-") != std::string::npos) {
      ++backups;
      EXPECT_EQ(content, "{\"a\":1}\n");
    }
  }
  EXPECT_EQ(backups, 1U);
}

TEST_F(Wire, AHostileFileFailsItsStepWithItsPlace69) {
  const std::string file = home + "/.claude/settings.json";
  test::write_text(file, "{\n  // x\n}");
  EXPECT_EQ(wire(Client::claude), "changed,changed,failed");
  EXPECT_NE(texts.find("failed  stop hook: " + file +
                       ":2:3: a comment is no JSON; nothing was written\n"),
            std::string::npos)
      << texts;
  EXPECT_EQ(test::read_text(file), "{\n  // x\n}");
}

TEST_F(Wire, ScriptFilledForAnotherServiceIsNamed87) {
  ASSERT_EQ(wire(Client::goose), "changed,changed,changed");
  EXPECT_EQ(wire(Client::goose, Scope::user, DryRun::no, "https://b.example").rfind("failed,", 0),
            0U);
  EXPECT_NE(
      texts.find("it is filled for the service \"https://a.example\", not \"https://b.example\""),
      std::string::npos)
      << texts;
}

TEST_F(Wire, DryRunWritesNothingAndItsDiffGivesTheRealResult85) {
  test::write_text(home + "/.gemini/settings.json", "{\n  // comment\n  \"theme\": \"x\"\n}");
  test::write_text(home + "/.cursor/hooks.json", "{\"version\":1,\n\"hooks\":{}}\n");
  for (const Client client : {Client::gemini, Client::cursor}) {
    SCOPED_TRACE(harness::client_name(client));
    const auto before = tree();
    EXPECT_EQ(wire(client, Scope::user, DryRun::yes), "changed,changed,changed");
    EXPECT_EQ(tree(), before);
    EXPECT_FALSE(base::exists(home + "/.local"));
    const auto places = wiring::wire_places(environment, {client, Scope::user, project});
    if (client == Client::cursor) {
      const std::string patch = dir / "patch";
      const std::string only = diffs.substr(diffs.find("--- " + places.hooks.path));
      test::write_text(patch, only);
      const auto patched =
          test::run({"patch", "-p0", "-o", dir / "patched", places.hooks.path, patch}, {});
      ASSERT_EQ(patched.code, 0) << patched.out << patched.err << only;
    }
    ASSERT_EQ(wire(client), "changed,changed,changed") << texts;
    if (client == Client::cursor) {
      EXPECT_EQ(test::read_text(dir / "patched"), test::read_text(places.hooks.path));
    }
    EXPECT_EQ(unwire(client), 0);
    ASSERT_TRUE(base::exists(home + "/.local"));
    (void)test::run({"rm", "-rf", home + "/.local"}, {});
  }
}

TEST_F(Wire, ClaudesOwnProgramGetsTheExactWords83) {
  const std::string log_file = dir / "argv";
  test::write_text(
      home + "/bin/claude",
      "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\" >> '" + log_file + "'; done\n");
  ASSERT_TRUE(base::set_mode(home + "/bin/claude", 0755).ok());
  EXPECT_EQ(wire(Client::claude), "changed,changed,changed") << texts;
  EXPECT_EQ(test::read_text(log_file),
            "mcp\nadd\n-s\nuser\nrobot-council\n-e\nROBOT_COUNCIL_SERVICE=https://"
            "a.example\n-e\nROBOT_COUNCIL_HARNESS=claude\n--\n" +
                home + "/bin/robot-council\nmcp\n");
  const std::string entry = harness::server_entry(
      Client::claude, {home + "/bin/robot-council", "https://a.example", "", {}});
  test::write_text(home + "/.claude.json", "{\"mcpServers\":{\"robot-council\":" + entry + "}}");
  test::write_text(log_file, "");
  EXPECT_EQ(wire(Client::claude), "ok,ok,ok") << texts;
  EXPECT_EQ(test::read_text(log_file), "") << "an equal entry is not touched";
  test::write_text(
      home + "/.claude.json",
      R"({"mcpServers":{"robot-council":{"command":"/old","args":["mcp"],"env":{}}}})");
  EXPECT_EQ(wire(Client::claude), "ok,changed,ok") << texts;
  EXPECT_EQ(test::read_text(log_file).rfind("mcp\nremove\n-s\nuser\nrobot-council\nmcp\nadd\n", 0),
            0U);
  test::write_text(home + "/bin/claude", "#!/bin/sh\n[ \"$2\" = remove ] && { echo '{}' > '" +
                                             home +
                                             "/.claude.json'; exit 0; }\necho no >&2; exit 1\n");
  const std::string old = test::read_text(home + "/.claude.json");
  EXPECT_EQ(wire(Client::claude), "ok,failed,ok") << texts;
  EXPECT_EQ(test::read_text(home + "/.claude.json"), old) << "no half state";
}

TEST_F(Wire, BlankAndQuoteInThePathWorkInTheClientsShell81And82) {
  environment.set("XDG_DATA_HOME", dir / "it's a folder");
  for (const Client client : {Client::claude, Client::gemini}) {
    SCOPED_TRACE(harness::client_name(client));
    ASSERT_EQ(wire(client), "changed,changed,changed") << texts;
    EXPECT_EQ(outcome(client), "runs");
    const auto places = wiring::wire_places(environment, {client, Scope::user, project});
    test::write_text(places.script, "#!/bin/sh\necho delivered\n");
    const auto file = harness::read_hooks_file(client, harness::HookFileKind::settings,
                                               test::read_text(places.hooks.path));
    EXPECT_EQ(test::run({"/bin/sh", "-c", file.entries[0].line_text}, {}).out, "delivered\n");
    if (client == Client::gemini) {
      ASSERT_TRUE(base::remove_file(places.script).ok());
      const auto gone = test::run({"/bin/bash", "-c", file.entries[0].line_text}, {});
      EXPECT_EQ(gone.code, 0);
      EXPECT_EQ(gone.out + gone.err, "");
    }
  }
}

}  // namespace
}  // namespace robot_council
