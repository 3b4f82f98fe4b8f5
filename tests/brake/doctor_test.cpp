#include "brake/doctor.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/sha256.hpp"
#include "brake/git_hooks.hpp"
#include "brake/stop.hpp"
#include "brake/wire.hpp"
#include "harness/brake_client.hpp"
#include "tests/brake/stop_fixture.hpp"

namespace robot_council::brake {
namespace {

using robot_council::test::run;
using robot_council::test::write_text;
using test::stop_text;
using test::World;

// 84
class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    std::filesystem::remove_all(world_.checkout);
    std::filesystem::create_directories(world_.home);
    environment_.set("HOME", world_.home);
    environment_.set("PATH", "/usr/bin:/bin");
    EXPECT_EQ(run({"git", "init", "-q", world_.checkout}, {{"HOME", world_.home}}).code, 0);
  }
  std::vector<DoctorFact> all() { return brake_doctor(context_, {world_.home}, world_.checkout); }
  // The facts with this id, "finding: text | remedy".
  std::vector<std::string> about(const std::string& id) {
    const std::map<Finding, std::string> words = {{Finding::ok, "ok"},
                                                  {Finding::warning, "warning"},
                                                  {Finding::failed, "failed"},
                                                  {Finding::unknown, "unknown"}};
    std::vector<std::string> texts;
    for (const DoctorFact& fact : all()) {
      if (fact.id == id) {
        texts.push_back(words.at(fact.finding) + ": " + fact.text + " | " + fact.remedy);
      }
    }
    return texts;
  }
  bool says(const std::string& id, const std::string& part) {
    const std::vector<std::string> texts = about(id);
    return std::any_of(texts.begin(), texts.end(), [&part](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  }
  PersonPlace person() { return {context_, {world_.home}, std::nullopt}; }

  World world_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  robot_council::test::FakeClock clock_;
  base::Context context_{clock_, environment_, log_};
};

TEST_F(DoctorTest, UnlikeMissingUnreadableAndOpenCopies) {
  EXPECT_TRUE(says("brake-copies", "ok: no stop file"));
  ASSERT_EQ(stop(person(), {world_.checkout, {}, {}, false}).ended, Ended::ok);
  EXPECT_TRUE(says("brake-copies", "ok: the copies of the stop are alike"));
  EXPECT_TRUE(about("brake-exclude").empty());
  write_text(world_.home_copy(), stop_text(R"(["cursor"])"));
  ::chmod(world_.home_copy().c_str(), 0644);
  EXPECT_TRUE(says("brake-copies", "differs from the other copies"));
  EXPECT_TRUE(says("brake-copies", "is not private to this user"));
  write_text(world_.home_copy(), "broken");
  EXPECT_TRUE(says("brake-copies", "failed: " + world_.home_copy() + " cannot be read: no JSON"));
  std::filesystem::remove(world_.home_copy());
  EXPECT_TRUE(says("brake-copies", "is missing"));
  write_text(world_.checkout + "/.git/info/exclude", "");
  EXPECT_TRUE(says("brake-exclude", "git does not ignore"));
  EXPECT_EQ(run({"git", "-C", world_.checkout, "add", "-f", ".robot-council/stop.json"},
                {{"HOME", world_.home}})
                .code,
            0);
  EXPECT_TRUE(says("brake-exclude", "tracked by git"));
}

TEST_F(DoctorTest, ClientsTheirTrustAndConfidenceNeverEnforced) {
  EXPECT_TRUE(says("brake-client-devin", "ok: devin: not wired"));
  ASSERT_EQ(wire(person(), {{"codex_cli", "claude_code", "cursor"},
                            false,
                            WireScope::user,
                            DryRun::no,
                            world_.checkout})
                .ended,
            Ended::ok);
  EXPECT_TRUE(says("brake-client-cursor",
                   "ok: cursor: wired (refusal proven (IDE), reported (cursor-agent))"));
  EXPECT_TRUE(
      says("brake-client-claude_code", "unknown: claude_code: wired, needs trust in the client"));
  EXPECT_TRUE(
      says("brake-client-codex_cli", "warning: codex_cli: wired, needs trust in the client"));
  const std::string hash =
      "sha256:" +
      base::sha256_hex(R"({"event_name":"pre_tool_use","hooks":[{"async":false,"command":)" +
                       base::quote_json(harness::brake_command("codex_cli")) +
                       R"(,"timeout":10,"type":"command"}]})");
  const auto trust = [this](const std::string& text) {
    write_text(world_.home + "/.codex/config.toml",
               "[hooks.state.\"" + world_.home +
                   "/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"" + text + "\"\n");
  };
  trust(hash);
  EXPECT_TRUE(says("brake-client-codex_cli", "ok: codex_cli: wired, trusted in the client"));
  trust("sha256:0");
  EXPECT_TRUE(says("brake-client-codex_cli", "the trusted hash is another one"));
  write_text(
      world_.home + "/.cursor/hooks.json",
      R"({"hooks":{"preToolUse":[{"command":"robot-council brake-check --client cursor"}]}})");
  EXPECT_TRUE(says("brake-client-cursor", "warning: cursor: outdated"));
  write_text(
      world_.home + "/.cursor/hooks.json",
      R"({"hooks":{"preToolUse":[{"command":"robot-council brake-check --client cursor"}]},})");
  EXPECT_TRUE(says("brake-client-cursor", "failed: cursor: the client cannot read its file"));
  for (const DoctorFact& fact : all()) {
    EXPECT_EQ((fact.text + fact.remedy).find("enforced"), std::string::npos);
  }
}

TEST_F(DoctorTest, OffSwitches) {
  write_text(world_.home + "/.claude/settings.json", R"({"disableAllHooks":true})");
  EXPECT_TRUE(says("brake-off-claude_code",
                   "switched off by disableAllHooks (" + world_.home + "/.claude/settings.json)"));
  environment_.set("CLAUDE_CODE_SIMPLE", "1");
  EXPECT_TRUE(says("brake-off-claude_code", "CLAUDE_CODE_SIMPLE=1"));
  write_text(world_.checkout + "/.gemini/settings.json",
             R"({"hooksConfig":{"enabled":false,"disabled":["robot-council-brake"]}})");
  EXPECT_EQ(about("brake-off-gemini_cli").size(), 2U);
  write_text(world_.home + "/.copilot/settings.json", R"({"disableAllHooks":true})");
  EXPECT_EQ(about("brake-off-vscode_copilot").size(), 1U);
  write_text(world_.checkout + "/.agents/hooks.json", R"({"enabled":true})");
  EXPECT_EQ(about("brake-off-antigravity").size(), 1U);
}

TEST_F(DoctorTest, LostDispatcherAndForeignHooksPath) {
  EXPECT_TRUE(says("brake-git", "warning: the git hooks are not installed"));
  ASSERT_EQ(install_git_hooks(person(), {world_.checkout, false}).ended, Ended::ok);
  EXPECT_TRUE(says("brake-git", "ok: the git hooks are installed"));
  write_text(world_.checkout + "/.git/hooks/pre-push", "#!/bin/sh\n");
  EXPECT_TRUE(says("brake-git", "failed: the dispatcher is lost for pre-push"));
  EXPECT_EQ(run({"git", "-C", world_.checkout, "config", "core.hooksPath", "/elsewhere"},
                {{"HOME", world_.home}})
                .code,
            0);
  EXPECT_TRUE(says("brake-git", "/elsewhere (core.hooksPath)"));
}

TEST_F(DoctorTest, OrphanCopyAndBadAgentEnv) {
  write_text(stops_folder(world_.home) + "/" + std::string(32, '1') + ".json",
             stop_text(R"("all")"));
  EXPECT_TRUE(
      says("brake-orphan",
           "stops a checkout that is gone: /src/shop | robot-council resume --repo /src/shop"));
  write_text(world_.checkout + "/.robot-council/agent-env", "GOOD\nnot good\n");
  EXPECT_TRUE(says("brake-agent-env", "not good"));
}

TEST_F(DoctorTest, HookCommandIsTriedInAnEmptyEnvironment) {
  const bool installed = std::filesystem::exists("/usr/local/bin/robot-council") ||
                         std::filesystem::exists("/usr/bin/robot-council");
  if (!installed) {
    EXPECT_TRUE(
        says("brake-command",
             "failed: the hook command fails with nothing but HOME set: stopped: robot-council is "
             "missing"));
  }
  write_text(world_.home + "/.local/bin/robot-council", "#!/bin/sh\nexit 0\n");
  ::chmod((world_.home + "/.local/bin/robot-council").c_str(), 0755);
  EXPECT_TRUE(says("brake-command", "ok: "));
  ASSERT_EQ(stop(person(), {world_.checkout, {}, {}, false}).ended, Ended::ok);
  EXPECT_TRUE(says("brake-command", "unknown: "));
}

}  // namespace
}  // namespace robot_council::brake
