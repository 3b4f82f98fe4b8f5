#include <filesystem>

#include "tests/e2e/doctor_fixture.hpp"

namespace robot_council::test {

// Account contract, 91, 95, 96, 103.
TEST_F(Doctor, AWiredSeatIsProvenAndNothingOfItIsTouched) {
  start_service();
  wire();
  const auto checks = doctor(0);
  for (const char* id :
       {"binary", "version", "script", "service", "clock", "credential", "expiry", "state-dir",
        "file-system", "sqlite", "seat-key", "second-bridge", "hook-scan", "proof"}) {
    EXPECT_EQ(checks.count(id) == 0 ? "(none)" : checks.at(id), "ok") << id << "\n" << last_;
  }
  EXPECT_EQ(checks.at("coordinator"), "warning");
  EXPECT_EQ(checks.at("bridge"), "warning");
  EXPECT_EQ(checks.at("feed"), "unknown");
  EXPECT_EQ(checks.at("hook-ran"), "unknown");
  EXPECT_NE(last_.find("from a sub-directory too"), std::string::npos) << last_;
  // No sink, mark or record was made, and no scratch folder is left.
  EXPECT_EQ(base::list_directory(dir_ / "home/.local/state/robot-council/pending").value_or({}),
            std::vector<std::string>{});
  EXPECT_EQ(base::list_directory(dir_ / "tmp").value_or({"?"}), std::vector<std::string>{});
  const Ran feed = council({"api", "GET", "events?after=0&acknowledge=false", "--service", service_,
                            "--harness", "claude"});
  EXPECT_EQ(feed.out.find("session."), std::string::npos) << feed.out;
  const Ran text = council({"doctor"});
  EXPECT_EQ(text.code, 0);
  for (const auto& [id, status] : checks) {
    EXPECT_NE(text.out.find("  " + status + std::string(9 - status.size(), ' ') + id + ": "),
              std::string::npos)
        << id << text.out;
  }
}

// 93, 94, 102: the entry's own command runs, and only one JSON object of its shape counts.
TEST_F(Doctor, AnAnswerOfAnotherShapeFailsTheProof) {
  timeout_ = "2";
  struct Case {
    const char* lines;
    const char* said;
  };
  for (const Case& one : {Case{"cat >/dev/null; exit 0\n", "stdout empty"},
                          Case{"echo starting; echo '{}'; exit 0\n", "not one JSON object"},
                          Case{"echo '{\"ok\":true}'; exit 0\n", "has not the shape"},
                          Case{"echo '{\"decision\":\"block\",\"reason\":\"hello\"}'; exit 0\n",
                               "does not hold the test event"},
                          Case{"sleep 60\n", "did not end within its timeout of 2000 ms"}}) {
    wire(one.lines);
    const auto checks = doctor(1);
    ASSERT_EQ(checks.count("proof"), 1U) << last_;
    EXPECT_EQ(checks.at("proof"), "failed") << one.lines;
    EXPECT_NE(last_.find(one.said), std::string::npos) << last_;
    EXPECT_EQ(base::list_directory(dir_ / "tmp").value_or({"?"}), std::vector<std::string>{});
  }
}

// 99: local checks still answer.
TEST_F(Doctor, AServiceThatIsDownHidesNoLocalCheck) {
  wire();
  const auto checks = doctor(1);
  EXPECT_EQ(checks.at("service"), "failed");
  EXPECT_EQ(checks.at("clock"), "unknown");
  EXPECT_EQ(checks.at("proof"), "ok") << last_;
  EXPECT_EQ(checks.at("state-dir"), "ok");
}

// 100.
TEST_F(Doctor, TheBrakeLeadsAndLeavesTheProofUnknown) {
  wire();
  write_text(
      dir_ / "work/.robot-council/stop.json",
      R"({"version":1,"scope":"all","reason":"wait","who":"","when":"2026-11-30T05:40:12Z","repo":"/x"})");
  const auto checks = doctor(1);
  EXPECT_EQ(checks.at("proof"), "unknown");
  EXPECT_EQ(council({"doctor"}).out.find("STOPPED work: every agent"), 0U);
}

// 112.
TEST_F(Doctor, AnExportedProjectIsAnotherSink) {
  wire();
  environment_["ROBOT_COUNCIL_PROJECT"] = "org/other";
  EXPECT_EQ(doctor(1).at("seat-key"), "failed");
}

// 92, some rows broken alone.
TEST_F(Doctor, EachBrokenPartIsNamed) {
  wire();
  ASSERT_EQ(::chmod(script_.c_str(), 0644), 0);
  EXPECT_EQ(doctor(1).at("script"), "failed");
  wire();
  write_text(dir_ / "home/.claude/settings.json",
             read_text(dir_ / "home/.claude/settings.json") + ",");
  EXPECT_EQ(doctor(1, {"--harness", "claude"}).at("hook-scan"), "failed");
  wire();
  write_text(dir_ / "home/.config/robot-council/credentials.json", "{}");
  ASSERT_EQ(::chmod((dir_ / "home/.config/robot-council").c_str(), 0755), 0);
  EXPECT_EQ(doctor(1).at("credential"), "failed");
}

// S32: settings that were edited while the client runs; its hooks have gone silent.
TEST_F(Doctor, SettingsNewerThanTheHooksLastRunAdviseARestart) {
  wire();
  // As a bridge leaves it; a hook makes no folder.
  std::string folder = dir_ / "home";
  for (const char* name : {"/.local", "/state", "/robot-council", "/pending"}) {
    folder += name;
    ::mkdir(folder.c_str(), 0700);
  }
  const Ran hook =
      run({script_}, environment_,
          R"({"session_id":"A","hook_event_name":"Stop","stop_hook_active":false})", dir_ / "work");
  ASSERT_EQ(hook.code, 0) << hook.err;
  EXPECT_EQ(doctor(1).at("hook-ran"), "ok") << last_;
  std::filesystem::last_write_time(
      dir_ / "home/.claude/settings.json",
      std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(doctor(1).at("hook-ran"), "warning") << last_;
  EXPECT_NE(last_.find("settings.json was changed"), std::string::npos) << last_;
  EXPECT_NE(last_.find("Restart claude, then finish a turn."), std::string::npos) << last_;
}

TEST_F(Doctor, NothingWiredIsSaid) {
  const Ran ran = council({"doctor"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("No harness is wired for this checkout."), std::string::npos) << ran.out;
}

}  // namespace robot_council::test
