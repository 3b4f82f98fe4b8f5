#include "base/json_value.hpp"
#include "base/sha256.hpp"
#include "tests/e2e/setup_fixture.hpp"

// What is special about Codex: a person's trust by hash, and servers that get few variables
// (account contract, 97, 111).
namespace robot_council::test {

class SetupCodex : public Setup {
 protected:
  void SetUp() override {
    Setup::SetUp();
    environment_["SHELL"] = "/bin/sh";
    ASSERT_EQ(run({"git", "init", "-q", dir_ / "work"}, environment_).code, 0);
  }

  // As Codex keeps a person's yes in /hooks.
  void trust() {
    const auto file = base::parse_bounded(read_text(hooks_), 1U << 20U);
    ASSERT_TRUE(file.ok());
    base::Json entry = (*file)["hooks"]["Stop"][0]["hooks"][0];
    entry["async"] = false;
    const base::Json shape = {{"event_name", "stop"}, {"hooks", base::Json::array({entry})}};
    write_text(config_, read_text(config_) + "[hooks.state.\"" + hooks_ +
                            ":stop:0:0\"]\ntrusted_hash = \"sha256:" +
                            base::sha256_hex(base::dump_safe(shape)) + "\"\n");
  }

  std::map<std::string, std::string> doctor() {
    const Ran ran = council({"doctor", "--harness", "codex", "--json"});
    last_ = ran.out;
    std::map<std::string, std::string> result;
    const auto object = base::parse_bounded(ran.out, 1U << 20U);
    EXPECT_TRUE(object.ok()) << ran.err;
    if (object.ok() && !(*object)["seats"].empty()) {
      for (const auto& check : (*object)["seats"][0]["checks"]) {
        result[check["id"].get<std::string>()] = check["status"].get<std::string>();
      }
    }
    return result;
  }

  std::string hooks_ = home_ + "/.codex/hooks.json";
  std::string config_ = home_ + "/.codex/config.toml";
  std::string last_;
};

TEST_F(SetupCodex, AnEntryThatChangedByOneBlankIsNotTrusted97) {
  start_service();
  const Ran in = setup("codex");
  ASSERT_EQ(in.code, 0) << in.out << in.err;
  EXPECT_NE(
      in.out.find("open /hooks and trust the Stop hook `" + script("codex") + "` of " + hooks_),
      std::string::npos)
      << in.out;
  trust();
  auto checks = doctor();
  EXPECT_EQ(checks["hook-scan"], "ok") << last_;
  EXPECT_EQ(checks["proof"], "ok") << last_;
  std::string text = read_text(hooks_);
  const std::string command = "\"" + script("codex") + "\"";
  const auto at = text.find(command);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, command.size(), "\"" + script("codex") + " \"");
  write_text(hooks_, text);
  checks = doctor();
  EXPECT_EQ(checks["hook-scan"], "failed") << last_;
  EXPECT_NE(last_.find("needs review"), std::string::npos) << last_;
  EXPECT_EQ(checks["proof"], "ok") << last_;
}

TEST_F(SetupCodex, AnotherStateFolderInTheShellLeavesOneSink111) {
  start_service();
  environment_["XDG_STATE_HOME"] = dir_ / "state";
  ASSERT_EQ(setup("codex").code, 0);
  trust();
  environment_["XDG_STATE_HOME"] = dir_ / "later";
  auto checks = doctor();
  EXPECT_EQ(checks["seat-key"], "ok") << last_;
  EXPECT_EQ(checks["proof"], "ok") << last_;
  EXPECT_NE(last_.find(dir_ / "state/robot-council/pending/"), std::string::npos) << last_;
  EXPECT_FALSE(base::exists(dir_ / "later"));
  // Set up without the variable, and the shell has one later: the same.
  environment_.erase("XDG_STATE_HOME");
  ASSERT_EQ(council({"unsetup", "codex", "--yes"}).code, 0);
  ASSERT_EQ(setup("codex").code, 0);
  environment_["XDG_STATE_HOME"] = dir_ / "later";
  checks = doctor();
  EXPECT_EQ(checks["seat-key"], "ok") << last_;
  EXPECT_EQ(checks["proof"], "ok") << last_;
  EXPECT_FALSE(base::exists(dir_ / "later"));
  // A script that was made by hand and names none goes its own way: said.
  std::string text = read_text(script("codex"));
  const std::string line = "state_home_of_server=''\n";
  const auto at = text.find(line);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, line.size(), "");
  write_text(script("codex"), text);
  EXPECT_EQ(doctor()["seat-key"], "failed") << last_;
}

// 78: a full disk.
TEST_F(Setup, AFullDiskLeavesTheOldBytes) {
  start_service();
  const std::string old = "{\n  \"cleanupPeriodDays\": 30\n}\n";
  // Run in a mount namespace, so that the client's folder is a disk of its own that is full.
  write_text(dir_ / "lines",
             "mount -t tmpfs -o size=32k none ~/.claude || exit 77\n"
             "printf '{\\n  \"cleanupPeriodDays\": 30\\n}\\n' >~/.claude/settings.json\n"
             "cat /dev/zero >~/.claude/fill 2>/dev/null\n"
             "robot-council setup claude --service " +
                 service_ +
                 " --yes; echo \"code $?\"\n"
                 "cp ~/.claude/settings.json ../after; ls -A ~/.claude >../names\n");
  ASSERT_EQ(::mkdir((home_ + "/.claude").c_str(), 0700), 0);
  for (const std::string flags : {"-m", "-rm"}) {
    const Ran ran = run({"unshare", flags, "sh", dir_ / "lines"}, environment_, {}, dir_ / "work",
                        base::Milliseconds(60000));
    if (ran.out.find("code ") == std::string::npos) {
      continue;
    }
    EXPECT_NE(ran.out.find("code 1"), std::string::npos) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("failed  stop hook: "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("No space left on device"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("skipped  scan: "), std::string::npos) << ran.out;
    EXPECT_EQ(read_text(dir_ / "after"), old);
    EXPECT_EQ(read_text(dir_ / "names"), "fill\nsettings.json\n");
    return;
  }
  GTEST_SKIP() << "no mount namespace can be made here";
}

}  // namespace robot_council::test
