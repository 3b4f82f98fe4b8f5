#include "tests/e2e/setup_fixture.hpp"
#include "tests/lib/terminal.hpp"

// `setup` and `unsetup` as a person runs them, against a real `serve` (account contract, section
// 7).
namespace robot_council::test {

// 65, 66, 67.
TEST_F(Setup, AFreshHomeIsWiredKeptAndTakenOutAgain) {
  start_service();
  for (const SetupClient& client : setup_clients()) {
    SCOPED_TRACE(client.name);
    const std::string name = client.name;
    const Ran first = setup(name);
    ASSERT_EQ(first.code, 0) << first.out << first.err;
    for (const std::string& line :
         {std::string("changed  enrolment: enrolled\n"), "changed  script: " + script(name) + "\n",
          std::string("changed  mcp server: "), std::string("changed  stop hook: "),
          std::string(client.scan), "robot-council doctor --harness " + name + "\n"}) {
      EXPECT_NE(first.out.find(line), std::string::npos) << line << first.out;
    }
    const auto info = base::file_info(script(name), base::Links::dont);
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->mode, 0755U);
    for (const char* file : client.files) {
      EXPECT_TRUE(base::exists(home_ + "/" + file)) << file;
    }
    EXPECT_NE(read_text(home_ + "/" + client.files.back()).find(script(name)), std::string::npos);
    EXPECT_NE(read_text(home_ + "/" + client.files.front()).find(dir_ / "bin/robot-council"),
              std::string::npos);
    if (name == "claude") {
      EXPECT_NE(read_text(home_ + "/.claude/settings.json").find("--wait"), std::string::npos);
    }

    const auto wired = tree();
    const Ran second = setup(name);
    EXPECT_EQ(second.code, 0) << second.out << second.err;
    EXPECT_EQ(second.out.find("changed  "), std::string::npos) << second.out;
    const std::string last = "Nothing changed.\n";
    ASSERT_GE(second.out.size(), last.size());
    EXPECT_EQ(second.out.substr(second.out.size() - last.size()), last) << second.out;
    EXPECT_EQ(tree(), wired);

    const Ran out = council({"unsetup", name, "--yes"});
    EXPECT_EQ(out.code, 0) << out.out << out.err;
    EXPECT_NE(out.out.find("No entry of robot-council is left in "), std::string::npos) << out.out;
    EXPECT_FALSE(base::exists(script(name)));
    for (const char* file : client.files) {
      EXPECT_FALSE(base::exists(home_ + "/" + file)) << file;
    }
  }
}

// The wake entries of Claude Code: written and said, left out when asked, known to the scanner and
// to doctor.
TEST_F(Setup, TheTwoWakeEntriesAreWiredSaidAndLeftOut) {
  start_service();
  const std::string settings = home_ + "/.claude/settings.json";
  const Ran with = setup("claude");
  ASSERT_EQ(with.code, 0) << with.out << with.err;
  EXPECT_NE(with.out.find(
                "Idle sessions will be woken and working ones reached, without any start flag.\n"),
            std::string::npos)
      << with.out;
  const std::string entry = R"({"type":"command","command":")" + script("claude") +
                            R"( --wait","asyncRewake":true,"timeout":86400})";
  std::string bytes = read_text(settings);
  std::erase_if(bytes, [](char c) { return c == ' ' || c == '\n'; });
  std::string wanted = entry;
  std::erase_if(wanted, [](char c) { return c == ' '; });
  for (const char* event : {"SessionStart", "UserPromptSubmit"}) {
    EXPECT_NE(bytes.find("\"" + std::string(event) + "\":[{\"hooks\":[" + wanted + "]}]"),
              std::string::npos)
        << bytes;
  }
  const Ran scanned = council({"hooks", "scan", "--harness=claude"});
  EXPECT_EQ(scanned.code, 0) << scanned.out;
  EXPECT_NE(scanned.out.find("claude: runs\n"), std::string::npos) << scanned.out;
  const Ran doctor = council({"doctor", "--harness=claude", "--service", service_});
  EXPECT_NE(doctor.out.find("background hook: wired"), std::string::npos) << doctor.out;
  // One of the two, changed by hand.
  write_text(settings,
             base::replace_all(read_text(settings), "\"asyncRewake\":true", "\"async\":true"));
  write_text(settings,
             base::replace_all(read_text(settings), "\"asyncRewake\": true", "\"async\": true"));
  EXPECT_NE(council({"hooks", "scan", "--harness=claude"})
                .out.find("the entry has async instead of asyncRewake, so it wakes nobody."),
            std::string::npos);
  const Ran repaired = setup("claude");
  EXPECT_EQ(repaired.code, 0) << repaired.out << repaired.err;
  EXPECT_EQ(council({"hooks", "scan", "--harness=claude"}).out.find("asyncRewake"),
            std::string::npos);
  ASSERT_EQ(council({"unsetup", "claude", "--yes"}).code, 0);
  const Ran without = setup("claude", {"--yes", "--no-wake"});
  ASSERT_EQ(without.code, 0) << without.out << without.err;
  EXPECT_EQ(without.out.find("Idle sessions"), std::string::npos) << without.out;
  EXPECT_EQ(read_text(settings).find("--wait"), std::string::npos);
}

// 67, with files that were there.
TEST_F(Setup, UnsetupGivesTheOldBytesBack) {
  start_service();
  const std::map<std::string, std::string> old = {
      {".claude.json", "{\"numStartups\": 1.0, \"mcpServers\": {\"x\":{\"command\":\"y\"}}}"},
      {".claude/settings.json",
       "{\r\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": "
       "\"/bin/true\"}]}]}\r\n}"},
      {".codex/config.toml", "# mine\nmodel = \"x\"\n"},
      {".codex/hooks.json",
       "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
       "\"/bin/true\"}]}]}}\n"},
      {".cursor/mcp.json", "{\"mcpServers\":{}}\n"},
      {".cursor/hooks.json", "{\"version\":1,\"hooks\":{\"stop\":[]}}\n"},
      {".gemini/settings.json", "{\n  // comment\n  \"theme\": \"x\"\n}"},
      {".copilot/mcp-config.json", "{\n\t\"mcpServers\": {}\n}\n"},
  };
  for (const auto& [path, bytes] : old) {
    write_text(home_ + "/" + path, bytes);
  }
  for (const SetupClient& client : setup_clients()) {
    SCOPED_TRACE(client.name);
    const std::string name = client.name;
    const Ran in = setup(name);
    EXPECT_EQ(in.code, 0) << in.out << in.err;
    const Ran out = council({"unsetup", name, "--yes"});
    EXPECT_EQ(out.code, 0) << out.out << out.err;
    for (const char* file : client.files) {
      const std::string path = home_ + "/" + file;
      const auto was = old.find(file);
      EXPECT_EQ(base::exists(path), was != old.end()) << file;
      if (was != old.end() && base::exists(path)) {
        EXPECT_EQ(read_text(path), was->second) << file;
      }
    }
  }
  // No backup is left where it would be a second copy of the same bytes.
  for (const auto& [path, state] : tree()) {
    EXPECT_EQ(path.find("robot-council-backup"), std::string::npos) << path;
  }
}

// 85.
TEST_F(Setup, ADryRunWritesNothingAndPatchGivesTheRealResult) {
  start_service();
  write_text(home_ + "/.gemini/settings.json", "{\n  // comment\n  \"theme\": \"x\"\n}\n");
  for (const SetupClient& client : setup_clients()) {
    SCOPED_TRACE(client.name);
    const auto before = tree();
    const Ran dry = setup(client.name, {"--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry.out << dry.err;
    EXPECT_EQ(tree(), before);
    EXPECT_EQ(dry.out.find("--- "), 0U) << dry.out;
    EXPECT_NE(dry.err.find("robot-council: changed  stop hook: "), std::string::npos) << dry.err;
  }
  const Ran dry = setup("gemini", {"--dry-run"});
  const std::string path = home_ + "/.gemini/settings.json";
  const auto at = dry.out.find("--- " + path);
  ASSERT_NE(at, std::string::npos) << dry.out;
  write_text(dir_ / "patch", dry.out.substr(at));
  const Ran patched = run({"patch", "-p0", "-o", dir_ / "patched", path, dir_ / "patch"}, {});
  ASSERT_EQ(patched.code, 0) << patched.out << patched.err;
  const Ran real = setup("gemini");
  ASSERT_EQ(real.code, 0) << real.out << real.err;
  EXPECT_EQ(read_text(dir_ / "patched"), read_text(path));

  const auto wired = tree();
  const Ran out = council({"unsetup", "gemini", "--dry-run"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out.find("--- "), 0U) << out.out;
  EXPECT_EQ(tree(), wired);
}

// 86, and values that cannot be.
TEST_F(Setup, WithoutATerminalItMustBeToldNotToAsk) {
  for (const std::string command : {"setup", "unsetup"}) {
    const Ran ran = council({command, "claude"});
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("pass --yes"), std::string::npos) << ran.err;
    EXPECT_EQ(council({command, "emacs", "--yes"}).code, 2);
    EXPECT_EQ(council({command, "claude", "--yes", "--scope", "machine"}).code, 2);
  }
  EXPECT_EQ(setup("claude", {"--yes", "--project", "a b"}).code, 2);
  EXPECT_EQ(setup("claude", {"--yes", "--project", std::string(129, 'a')}).code, 2);
  EXPECT_EQ(setup("codex", {"--yes", "--channels"}).code, 2);
  EXPECT_EQ(setup("claude", {"--yes", "--local"}).code, 2);  // another service is named
  EXPECT_TRUE(tree().empty());
}

// Asked at a terminal: what would be written first, then the question; only "y" goes on.
TEST_F(Setup, APersonIsAskedAfterTheChangesWereShown) {
  if (!test::open_terminal()) {
    GTEST_SKIP() << test::kNoTerminal;
  }
  start_service();
  const std::string command =
      program("robot-council") + " setup cursor --service " + service_ + "; echo code $?";
  const std::string seen = dir_ / "work/seen";
  const auto shows = [&seen](const char* words) {
    return base::read_file(seen, 1U << 20U).value_or({}).find(words) != std::string::npos;
  };
  // What the terminal showed.
  const auto typed = [&](const std::string& answer) {
    base::ChildOptions options;
    options.argv = {"script", "-qfec", command, seen};
    for (const auto& [name, value] : environment_) {
      options.environment.push_back(name + "=" + value);
    }
    options.directory = dir_ / "work";
    options.standard_in = base::Stdio::pipe;
    base::Result<base::Child> terminal = base::Child::start(options);
    EXPECT_TRUE(terminal.ok());
    EXPECT_TRUE(wait_until([&] { return shows("Write these changes"); }));
    EXPECT_TRUE(base::write_all(terminal->standard_in.get(), answer + "\n", test::in_time()).ok());
    EXPECT_TRUE(wait_until([&] { return shows("code "); }, base::Milliseconds(60000)));
    terminal->standard_in.reset();
    EXPECT_TRUE(terminal->wait(test::in_time()).ok());
    return read_text(seen);
  };
  if (run({"/bin/sh", "-c", "command -v script"}, environment_).code != 0) {
    GTEST_SKIP() << "script(1) is not here to make a terminal";
  }
  const std::string no = typed("n");
  EXPECT_NE(no.find("code 1"), std::string::npos) << no;
  EXPECT_NE(no.find("+++ " + home_ + "/.cursor/hooks.json"), std::string::npos) << no;
  EXPECT_NE(no.find("Write these changes? [y/N] "), std::string::npos) << no;
  EXPECT_NE(no.find("nothing was changed."), std::string::npos) << no;
  EXPECT_FALSE(base::exists(home_ + "/.cursor"));
  ASSERT_TRUE(base::remove_file(seen).ok());
  const std::string yes = typed("y");
  EXPECT_NE(yes.find("code 0"), std::string::npos) << yes;
  EXPECT_TRUE(base::exists(home_ + "/.cursor/hooks.json"));
}

// 87, 89: nothing is half done, and later steps say so.
TEST_F(Setup, AScriptForAnotherServiceFailsAndTheRestIsSkipped) {
  start_service();
  ASSERT_EQ(setup("goose").code, 0);
  const auto wired = tree("/.agents");
  std::string text = read_text(script("goose"));
  const auto at = text.find(service_);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, service_.size(), "https://other.example");
  write_text(script("goose"), text);
  const Ran ran = setup("goose");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("failed  script: "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\"https://other.example\", not \"" + service_ + "\""), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("skipped  stop hook: "), std::string::npos) << ran.out;
  EXPECT_EQ(tree("/.agents"), wired);
}

// Both scopes are told apart, and unsetup takes the one that is named.
TEST_F(Setup, AProjectScopeStaysWhenTheUsersIsTakenOut) {
  start_service();
  ASSERT_EQ(run({"git", "init", "-q", dir_ / "work"}, environment_).code, 0);
  write_text(dir_ / "work/.git/info/exclude", "/.cursor/mcp.json\n");
  ASSERT_EQ(setup("cursor").code, 0);
  const Ran in = setup("cursor", {"--yes", "--scope", "project"});
  EXPECT_EQ(in.code, 0) << in.out << in.err;
  EXPECT_TRUE(base::exists(dir_ / "work/.cursor/mcp.json"));
  EXPECT_NE(in.out.find("run at the same turn end"), std::string::npos) << in.out;
  const std::string said = "; git does not ignore this file";
  EXPECT_NE(in.out.find("/.cursor/hooks.json" + said), std::string::npos) << in.out;
  EXPECT_EQ(in.out.find("/.cursor/mcp.json" + said), std::string::npos) << in.out;
  const std::string hooks = read_text(dir_ / "work/.cursor/hooks.json");
  const Ran user = council({"unsetup", "cursor", "--yes", "--scope", "user"});
  EXPECT_EQ(user.code, 0) << user.out << user.err;
  EXPECT_FALSE(base::exists(home_ + "/.cursor/hooks.json"));
  EXPECT_EQ(read_text(dir_ / "work/.cursor/hooks.json"), hooks);
  const Ran both = council({"unsetup", "cursor", "--yes"});
  EXPECT_EQ(both.code, 0) << both.out << both.err;
  EXPECT_FALSE(base::exists(dir_ / "work/.cursor/hooks.json"));
  EXPECT_FALSE(base::exists(dir_ / "work/.cursor/mcp.json"));
}

// 68.
TEST_F(Setup, AnEntryLeftInAnotherFileIsNamed) {
  start_service();
  ASSERT_EQ(setup("claude").code, 0);
  write_text(home_ + "/.claude.json", R"({"projects":{")" + *base::real_path(dir_ / "work") +
                                          R"(":{"hasTrustDialogAccepted":true}}})");
  write_text(dir_ / "work/.claude/settings.json",
             R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + script("claude") +
                 R"("}]}]}})");
  const Ran ran = council({"unsetup", "claude", "--yes"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("An entry of robot-council is left in "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("work/.claude/settings.json:1"), std::string::npos) << ran.out;
}

// 84, 111: codex gives its hook the shell's state folder and its server none, so both get the one
// of setup; no other harness's entry names one.
TEST_F(Setup, OnlyCodexsEntriesNameTheStateFolderOfSetup) {
  start_service();
  environment_["XDG_STATE_HOME"] = dir_ / "state";
  for (const SetupClient& client : setup_clients()) {
    SCOPED_TRACE(client.name);
    const Ran ran = setup(client.name);
    ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
    const bool codex = std::string(client.name) == "codex";
    for (const std::string& text :
         {read_text(home_ + "/" + client.files.front()), read_text(script(client.name))}) {
      EXPECT_EQ(text.find(dir_ / "state") != std::string::npos, codex) << text;
    }
  }
}

// A credential that the fleet no longer takes is replaced.
TEST_F(Setup, ARefusedCredentialIsReplaced) {
  start_service();
  ASSERT_EQ(setup("copilot").code, 0);
  const std::string path = home_ + "/.config/robot-council/credentials.json";
  write_text(path, "{\"" + service_ + "|copilot\": \"not-a-credential\"}\n");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const Ran ran = setup("copilot");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("changed  enrolment: enrolled"), std::string::npos) << ran.out;
}

}  // namespace robot_council::test
