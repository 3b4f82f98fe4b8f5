#include "brake/wire.hpp"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/log.hpp"
#include "brake/edit_file.hpp"
#include "brake/wired.hpp"
#include "harness/brake_entry.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using harness::brake_client;
using harness::brake_clients;
using harness::BrakeClient;
using robot_council::test::read_text;
using robot_council::test::write_text;
using test::World;

std::string command_json(const std::string& id) {
  return base::quote_json(harness::brake_command(id));
}

// The entries of the contract, C(id) put in.
std::map<std::string, std::string> golden_entries() {
  const auto group = [](const std::string& id, const std::string& more) {
    return R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":)" + command_json(id) +
           R"(,"timeout":10)" + more + "}]}]}}\n";
  };
  const auto before = [](const std::string& id) {
    return R"({"hooks":{"BeforeTool":[{"hooks":[{"type":"command","name":"robot-council-brake","command":)" +
           command_json(id) + R"(,"timeout":10000}]}]}})" + "\n";
  };
  const std::string windsurf = "[{\"command\":" + command_json("windsurf") + "}]";
  std::map<std::string, std::string> all;
  for (const char* id : {"claude_code", "codex_cli", "factory_droid", "grok", "openhands"}) {
    all[id] = group(id, "");
  }
  all["goose"] = group("goose", R"(,"on_failure":"block")");
  all["gemini_cli"] = before("gemini_cli");
  all["tabnine"] = before("tabnine");
  all["devin"] = R"({"PreToolUse":[{"hooks":[{"type":"command","command":)" +
                 command_json("devin") + R"(,"timeout":10}]}]})" + "\n";
  all["antigravity"] =
      R"({"robot-council-brake":{"PreToolUse":[{"hooks":[{"type":"command","command":)" +
      command_json("antigravity") + R"(,"timeout":10}]}]}})" + "\n";
  all["cursor"] = R"({"version":1,"hooks":{"preToolUse":[{"command":)" + command_json("cursor") +
                  R"(,"timeout":10,"failClosed":true}]}})" + "\n";
  all["vscode_copilot"] = R"({"version":1,"hooks":{"preToolUse":[{"type":"command","bash":)" +
                          command_json("vscode_copilot") +
                          ",\"command\":" + command_json("vscode_copilot") +
                          R"(,"timeout":10,"timeoutSec":10}]}})" + "\n";
  all["windsurf"] = R"({"hooks":{"pre_read_code":)" + windsurf + R"(,"pre_write_code":)" +
                    windsurf + R"(,"pre_run_command":)" + windsurf + R"(,"pre_mcp_tool_use":)" +
                    windsurf + "}}\n";
  all["mistral_vibe"] =
      "# >>> robot-council brake >>>\n[[hooks]]\nname = \"robot-council-brake\"\ntype = "
      "\"pre_tool\"\n"
      "command = " +
      command_json("mistral_vibe") +
      "\ntimeout = 10.0\nstrict = true\n# <<< robot-council brake <<<\n";
  return all;
}

class WireTest : public ::testing::Test {
 protected:
  WireTest() {
    std::filesystem::create_directories(world_.home);
    environment_.set("HOME", world_.home);
    environment_.set("PATH", world_.folder / "bin");
  }
  Outcome wire_it(std::vector<std::string> clients, WireScope scope = WireScope::user,
                  DryRun dry = DryRun::no) {
    return wire({context_, {world_.home}, std::nullopt},
                {std::move(clients), false, scope, dry, world_.checkout});
  }
  Outcome unwire_it(std::vector<std::string> clients, WireScope scope = WireScope::user) {
    return unwire({context_, {world_.home}, std::nullopt},
                  {std::move(clients), false, scope, DryRun::no, world_.checkout});
  }
  [[nodiscard]] std::string user(const std::string& id) const {
    return user_file(*brake_client(id), environment_);
  }

  World world_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  robot_council::test::FakeClock clock_;
  base::Context context_{clock_, environment_, log_};
};

// 51
TEST_F(WireTest, GoldenEntryOfEachClientInBothScopes) {
  const std::map<std::string, std::string> golden = golden_entries();
  ASSERT_EQ(golden.size(), brake_clients().size());
  for (const BrakeClient& client : brake_clients()) {
    const std::string id(client.id);
    EXPECT_EQ(wire_it({id}, WireScope::project).ended, Ended::ok) << id;
    EXPECT_EQ(read_text(world_.checkout + "/" + std::string(client.project_file)), golden.at(id))
        << id;
    EXPECT_EQ(wire_it({id}).ended, Ended::ok) << id;
    if (!client.user_file.empty()) {
      EXPECT_EQ(read_text(world_.home + "/" + std::string(client.user_file)), golden.at(id)) << id;
    }
    EXPECT_EQ(read_wired(client, project_file(client, world_.checkout)).state, WiredState::wired)
        << id;
  }
  for (const BrakeClient& client : brake_clients()) {
    EXPECT_EQ(unwire_it({std::string(client.id)}, WireScope::project).ended, Ended::ok);
    EXPECT_EQ(unwire_it({std::string(client.id)}).ended, Ended::ok);
    EXPECT_FALSE(std::filesystem::exists(world_.checkout + "/" + std::string(client.project_file)))
        << client.id;
    EXPECT_FALSE(!client.user_file.empty() && std::filesystem::exists(user(std::string(client.id))))
        << client.id;
  }
}

// 56
TEST(WireEntry, MergeKeepsForeignBytesASecondRunChangesNothingAndUnwireRestores) {
  const std::vector<std::string> originals = {
      "{}",
      "{ }\n",
      "{\"hooks\":{}}",
      "{\"hooks\":{ }, \"x\" : 1.0}\n",
      "{\"a\":[1,2],\"b\":{}}",
      "{\n  \"model\": \"x\",\n  \"n\": 1.50\n}\n",
      "{\r\n\t\"model\": \"x\"\r\n}\r\n",
      "{\"hooks\":{\"PreToolUse\":[],\"BeforeTool\":[],\"preToolUse\":[]}}",
      "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": "
      "[{\"type\": \"command\", "
      "\"command\": \"mine\"}]}\n    ]\n  }\n}\n",
      "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"robot-council-stop-"
      "hook\"}]}]}}",
      "{\"PreToolUse\":[{\"x\":1}],\"robot-council-brake\":{\"PostToolUse\":[]}}",
  };
  for (const BrakeClient& client : brake_clients()) {
    if (client.entry == harness::BrakeEntry::toml_block) {
      continue;
    }
    for (const std::string& original : originals) {
      const auto wired = harness::wire_brake_entry(client, original);
      ASSERT_TRUE(wired.ok()) << client.id << original << wired.error().what;
      ASSERT_TRUE(base::validate_json(wired->text, base::kMaxJsonDepth).ok()) << wired->text;
      EXPECT_TRUE(wired->changed);
      EXPECT_NE(wired->text.find(command_json(std::string(client.id))), std::string::npos);
      const auto again = harness::wire_brake_entry(client, wired->text);
      ASSERT_TRUE(again.ok());
      EXPECT_FALSE(again->changed) << client.id << "\n" << wired->text << "\n" << again->text;
      const auto back = harness::unwire_brake_entry(client, wired->text);
      ASSERT_TRUE(back.ok());
      EXPECT_FALSE(back->only_ours) << client.id << original;
      EXPECT_EQ(back->text, original) << client.id << "\n" << wired->text;
    }
    const auto nothing = harness::unwire_brake_entry(client, originals.back());
    EXPECT_FALSE(nothing->changed);
  }
}

// 63
TEST(WireEntry, AnOldEntryIsReplacedInItsPlaceAndRepeatsAreReduced) {
  const BrakeClient& codex = *brake_client("codex_cli");
  const std::string mine = R"({"hooks":[{"type":"command","command":"mine"}]})";
  const std::string theirs = R"({"hooks":[{"type":"command","command":"theirs"}]})";
  const std::string old =
      R"({"hooks":[{"type":"command","command":"x robot-council brake-check --client codex_cli","timeout":5}]})";
  const std::string right = R"({"hooks":[{"type":"command","command":)" +
                            command_json("codex_cli") + R"(,"timeout":10}]})";
  const auto file = [](const std::vector<std::string>& groups) {
    std::string text;
    for (const std::string& group : groups) {
      text += (text.empty() ? "" : ", ") + group;
    }
    return "{\"hooks\":{\"PreToolUse\":[" + text + "]}}";
  };
  EXPECT_EQ(harness::wire_brake_entry(codex, file({mine, old, theirs}))->text,
            file({mine, right, theirs}));
  EXPECT_EQ(harness::wire_brake_entry(codex, file({mine, right, theirs, old, old}))->text,
            file({mine, right, theirs}));
  EXPECT_EQ(harness::wire_brake_entry(codex, file({mine, theirs}))->text,
            file({mine, theirs, right}));
  const std::string shared =
      R"({"hooks":[{"type":"command","command":"a"},{"type":"command","command":"robot-council )"
      R"(brake-check --client codex_cli"},{"type":"command","command":"b"}]})";
  const std::string shared_right =
      R"({"hooks":[{"type":"command","command":"a"},{"type":"command","command":)" +
      command_json("codex_cli") + R"(,"timeout":10},{"type":"command","command":"b"}]})";
  EXPECT_EQ(harness::wire_brake_entry(codex, file({shared}))->text, file({shared_right}));
  EXPECT_EQ(
      harness::unwire_brake_entry(codex, file({shared_right, mine}))->text,
      file({R"({"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]})",
            mine}));
}

// 57
TEST_F(WireTest, AFileThatItsClientCannotReadIsPrintedAndTheOthersAreDone) {
  const std::vector<std::string> broken = {"// comment\n{}",
                                           "{\"a\":1,}",
                                           "\xEF\xBB\xBF{}",
                                           "",
                                           "[]",
                                           "{\"a\":",
                                           "{\"hooks\":[]}",
                                           "{\"a\":\"\xFF\"}",
                                           "{\"hooks\":{},\"hooks\":{}}",
                                           "{\"hooks\":{\"PreToolUse\":{}}}"};
  for (const std::string& text : broken) {
    write_text(user("claude_code"), text);
    const Outcome outcome = wire_it({"claude_code", "cursor"});
    EXPECT_EQ(outcome.ended, Ended::failed) << text;
    EXPECT_EQ(read_text(user("claude_code")), text);
    EXPECT_NE(outcome.out.find(golden_entries().at("claude_code")), std::string::npos);
    EXPECT_NE(outcome.out.find(user("claude_code")), std::string::npos);
    EXPECT_EQ(read_text(user("cursor")), golden_entries().at("cursor"));
  }
}

// 58
TEST_F(WireTest, DryRunWritesNothing) {
  write_text(user("claude_code"), "{}");
  const Outcome outcome = wire_it({"claude_code", "cursor"}, WireScope::user, DryRun::yes);
  EXPECT_EQ(outcome.ended, Ended::ok);
  EXPECT_NE(outcome.out.find("would be wired"), std::string::npos);
  EXPECT_NE(outcome.out.find("--- " + user("claude_code") + "\n+++ " + user("claude_code") +
                             "\n@@ -1,1 +1,1 @@\n-{}\n\\ No newline at end of file\n+{\"hooks\":"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("--- /dev/null\n+++ " + user("cursor") + "\n@@ -0,0 +1,1 @@\n+{"),
            std::string::npos)
      << outcome.out;
  EXPECT_EQ(read_text(user("claude_code")), "{}");
  EXPECT_FALSE(std::filesystem::exists(user("cursor")));
  EXPECT_FALSE(std::filesystem::exists(world_.home + "/.local"));
}

TEST_F(WireTest, TheOldBytesAreKeptUntilTheyAreBack) {
  const std::string path = user("claude_code");
  const std::string backup = path + std::string(kBackupSuffix);
  write_text(path, "{ \"a\" : 1 }");
  ::chmod(path.c_str(), 0640);
  EXPECT_EQ(wire_it({"claude_code", "cursor"}).ended, Ended::ok);
  EXPECT_EQ(read_text(backup), "{ \"a\" : 1 }");
  struct ::stat info {};
  ASSERT_EQ(::stat(backup.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
  EXPECT_FALSE(std::filesystem::exists(user("cursor") + std::string(kBackupSuffix)))
      << "there was no file";
  // A second change keeps the first backup.
  write_text(path, "{ \"b\" : 2 }");
  EXPECT_EQ(wire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_EQ(read_text(backup), "{ \"a\" : 1 }");
  EXPECT_EQ(unwire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_EQ(read_text(path), "{ \"b\" : 2 }");
  EXPECT_TRUE(std::filesystem::exists(backup)) << "its bytes are not back";
  write_text(path, "{ \"a\" : 1 }");
  EXPECT_EQ(wire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_EQ(unwire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_FALSE(std::filesystem::exists(backup));
}

// 58
TEST_F(WireTest, ManyEditsAtOnceLoseNothing) {
  const std::string path = world_.home + "/.gemini/settings.json";
  write_text(path, "{\"x\":1}");
  std::vector<std::thread> writers;
  std::atomic<int> failures{0};
  for (int n = 0; n < 8; ++n) {
    writers.emplace_back([this, &path, &failures, n] {
      const base::Result<Edited> edited =
          edit_file(environment_, path, NewFile::personal, DryRun::no,
                    [n](const std::optional<std::string>& text) {
                      std::string next = *text;
                      next.insert(next.size() - 1, ",\"k" + std::to_string(n) + "\":1");
                      return base::Result<Edited>(Edited{Edited::Kind::write, next, false, {}});
                    });
      failures += edited.ok() ? 0 : 1;
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(failures, 0);
  for (int n = 0; n < 8; ++n) {
    EXPECT_NE(read_text(path).find("\"k" + std::to_string(n) + "\":1"), std::string::npos);
  }
}

// 59
TEST_F(WireTest, VibeKeepsCommentsAndRefusesAPlainHooksTable) {
  const BrakeClient& vibe = *brake_client("mistral_vibe");
  for (const std::string& original :
       {std::string("# mine\n[[hooks]]\nname = \"a\"\ncommand = \"x\" # why\n"),
        std::string("# no newline at the end"), std::string("title = \"x\"\n"),
        std::string("\n")}) {
    const auto wired = harness::wire_brake_entry(vibe, original);
    ASSERT_TRUE(wired.ok()) << wired.error().what;
    EXPECT_EQ(wired->text.find(original), 0U);
    EXPECT_FALSE(harness::wire_brake_entry(vibe, wired->text)->changed);
    EXPECT_EQ(harness::unwire_brake_entry(vibe, wired->text)->text, original);
  }
  for (const std::string& bad :
       {std::string("[hooks]\na = 1\n"), std::string("hooks = 3\n"), std::string("hooks = [1]\n"),
        std::string("text = \"\"\"open\n"), std::string("a = \n"), std::string("hooks = []\n")}) {
    EXPECT_FALSE(harness::wire_brake_entry(vibe, bad).ok()) << bad;
  }
  EXPECT_NE(harness::fresh_brake_file(vibe, {true}).find("type = \"before_tool\""),
            std::string::npos);
}

// 59
TEST_F(WireTest, AnOldVibeGetsTheOldEventName) {
  const auto version = [this](const std::string& text) {
    write_text(world_.folder / "bin/vibe", "#!/bin/sh\necho '" + text + "'\n");
    ::chmod((world_.folder / "bin/vibe").c_str(), 0755);
    std::filesystem::remove(user("mistral_vibe"));
    const Outcome outcome = wire_it({"mistral_vibe"});
    return outcome.out + read_text(user("mistral_vibe"));
  };
  EXPECT_NE(version("vibe 2.20.9").find("before_tool"), std::string::npos);
  EXPECT_NE(version("vibe 2.21.0").find("\"pre_tool\""), std::string::npos);
  EXPECT_NE(version("vibe 2.24.1").find("enable_experimental_hooks = true"), std::string::npos);
  EXPECT_EQ(version("vibe 2.25.0").find("enable_experimental_hooks"), std::string::npos);
  EXPECT_NE(version("what?").find("\"pre_tool\""), std::string::npos);
}

// 60
TEST_F(WireTest, DroidAlsoGetsAnExistingHooksFileInItsLayout) {
  const std::string hooks = world_.home + "/.factory/hooks.json";
  EXPECT_EQ(wire_it({"factory_droid"}).ended, Ended::ok);
  EXPECT_FALSE(std::filesystem::exists(hooks));
  write_text(hooks, "{\"PreToolUse\":[]}");
  EXPECT_EQ(wire_it({"factory_droid"}).ended, Ended::ok);
  EXPECT_EQ(read_text(hooks).find("{\"PreToolUse\":[{\"hooks\":["), 0U);
  write_text(hooks, "{\"hooks\":{}}");
  EXPECT_EQ(wire_it({"factory_droid"}).ended, Ended::ok);
  EXPECT_EQ(read_text(hooks).find("{\"hooks\":{\"PreToolUse\": [{\"hooks\":["), 0U);
  environment_.set("FACTORY_HOME_OVERRIDE", world_.folder / "moved");
  EXPECT_EQ(wire_it({"factory_droid"}).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(world_.folder / "moved/.factory/settings.json"));
}

TEST_F(WireTest, ClaudeConfigFolderMovesItsFile) {
  environment_.set("CLAUDE_CONFIG_DIR", world_.folder / "claude");
  EXPECT_EQ(wire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(world_.folder / "claude/settings.json"));
}

// 61
TEST_F(WireTest, ClientsWithoutAUserFileUseTheProjectsAndSaySo) {
  const Outcome outcome = wire_it({"devin", "tabnine"});
  EXPECT_NE(outcome.out.find("devin: no user file is known, so the project's is used"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(world_.checkout + "/.devin/hooks.v1.json"));
  EXPECT_TRUE(std::filesystem::exists(world_.checkout + "/.tabnine/agent/settings.json"));
}

// 64
TEST_F(WireTest, ProjectScopeWarnsAboutCommitting) {
  const std::string warning =
      "commit this file only if everyone has robot-council: without it the entry refuses every "
      "call";
  EXPECT_NE(wire_it({"grok"}, WireScope::project).out.find(warning), std::string::npos);
  EXPECT_EQ(wire_it({"grok"}).out.find(warning), std::string::npos);
}

TEST_F(WireTest, ALinkedSettingsFileStaysALinkAndKeepsItsMode) {
  write_text(world_.folder / "dotfiles/settings.json", "{}");
  ::chmod((world_.folder / "dotfiles/settings.json").c_str(), 0640);
  std::filesystem::create_directories(world_.home + "/.claude");
  std::filesystem::create_symlink(world_.folder / "dotfiles/settings.json", user("claude_code"));
  EXPECT_EQ(wire_it({"claude_code"}).ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::is_symlink(user("claude_code")));
  struct ::stat info {};
  ASSERT_EQ(::stat(user("claude_code").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
}

// 16
TEST_F(WireTest, AnAgentMayNotUnwire) {
  EXPECT_EQ(wire_it({"cursor"}).ended, Ended::ok);
  environment_.set("CODEX_CI", "1");
  EXPECT_EQ(unwire_it({"cursor"}).ended, Ended::failed);
  EXPECT_TRUE(std::filesystem::exists(user("cursor")));
  EXPECT_TRUE(log_.contains("only a person may do this (seen: CODEX_CI)"));
}

TEST_F(WireTest, AllTakesWhatIsFoundAndNamesTheOthers) {
  std::filesystem::create_directories(world_.home + "/.cursor");
  write_text(world_.folder / "bin/grok", "#!/bin/sh\n");
  ::chmod((world_.folder / "bin/grok").c_str(), 0755);
  const Outcome outcome = wire({context_, {world_.home}, std::nullopt},
                               {{}, true, WireScope::user, DryRun::no, world_.checkout});
  EXPECT_EQ(outcome.ended, Ended::ok);
  EXPECT_TRUE(std::filesystem::exists(user("cursor")));
  EXPECT_TRUE(std::filesystem::exists(user("grok")));
  EXPECT_FALSE(std::filesystem::exists(user("claude_code")));
  EXPECT_NE(outcome.out.find("claude_code: not found on this machine"), std::string::npos);
  EXPECT_EQ(wire_it({}).ended, Ended::usage);
  EXPECT_EQ(wire_it({"emacs"}).ended, Ended::usage);
}

}  // namespace
}  // namespace robot_council::brake
