#include <fcntl.h>
#include <sys/stat.h>

#include <set>

#include "base/clock.hpp"
#include "base/time_text.hpp"
#include "tests/e2e/doctor_fixture.hpp"

// Each check of `doctor` broken alone (account contract, 92, 97, 98, 101, 111-113).
namespace robot_council::test {

namespace {

// Replaces the first `from` in a file.
void edit(const std::string& path, const std::string& from, const std::string& to) {
  std::string text = read_text(path);
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " is not in " << path << ":\n" << text;
  text.replace(at, from.size(), to);
  write_text(path, text);
}

}  // namespace

class DoctorRows : public Doctor {
 protected:
  // The checks that are not as on a well machine without a bridge.
  std::set<std::string> wrong(int code, const std::vector<std::string>& more = {}) {
    static const std::map<std::string, std::string> kUsual = {{"coordinator", "warning"},
                                                              {"bridge", "warning"},
                                                              {"feed", "unknown"},
                                                              {"hook-ran", "unknown"}};
    std::set<std::string> result;
    for (const auto& [id, status] : doctor(code, more)) {
      const auto usual = kUsual.find(id);
      if (status != (usual == kUsual.end() ? "ok" : usual->second)) {
        result.insert(id + " " + status);
      }
    }
    return result;
  }
  using Set = std::set<std::string>;
};

TEST_F(DoctorRows, WhatScriptAndProgramsSay) {
  start_service();
  wire();
  EXPECT_EQ(wrong(0), Set{}) << last_;

  wire();
  edit(script_, "# version ''", "# version 'v0.0.1'");
  EXPECT_EQ(wrong(0), Set{"version warning"}) << last_;

  // The program that the script names is another one.
  wire();
  write_text(dir_ / "other", "#!/bin/sh\necho robot-council v0.0.1\n");
  ASSERT_EQ(::chmod((dir_ / "other").c_str(), 0755), 0);
  edit(script_, "ROBOT_COUNCIL_BIN='" + program("robot-council") + "'",
       "ROBOT_COUNCIL_BIN='" + (dir_ / "other") + "'");
  EXPECT_EQ(wrong(1), (Set{"version failed", "proof failed"})) << last_;
  EXPECT_NE(last_.find("robot-council v0.0.1"), std::string::npos);
  ASSERT_TRUE(base::remove_file(dir_ / "other").ok());
  const auto missing = doctor(1);
  EXPECT_EQ(missing.at("binary"), "failed") << last_;

  // Three places name the seat: both of two that differ are shown.
  wire();
  edit(dir_ / "home/.claude.json", "\"args\":[\"mcp\"]", "\"args\":[\"mcp\",\"--project=org/a\"]");
  EXPECT_EQ(wrong(1), (Set{"script failed", "seat-key failed", "hook-scan failed"})) << last_;
  EXPECT_NE(last_.find("org/a"), std::string::npos);
  wire();
  edit(dir_ / "home/.claude.json", service_, "https://other.example");
  EXPECT_EQ(doctor(1).at("script"), "failed");
  EXPECT_NE(last_.find("https://other.example"), std::string::npos);
  EXPECT_NE(last_.find(service_), std::string::npos);
  wire();
  edit(script_, "ROBOT_COUNCIL_SERVICE='" + service_ + "'",
       "ROBOT_COUNCIL_SERVICE='" + service_ + "/'");
  EXPECT_EQ(doctor(1).at("script"), "failed") << last_;
  wire();
  write_text(dir_ / "home/.claude.json", R"({"projects":{")" + *base::real_path(dir_ / "work") +
                                             R"(":{"hasTrustDialogAccepted":true}}})");
  EXPECT_EQ(wrong(0), Set{"script warning"}) << last_;
}

TEST_F(DoctorRows, WhatTheServiceSays) {
  start_service();
  wire();
  const std::string enrolments = dir_ / "home/.config/robot-council/enrolments.json";
  const std::string good = read_text(enrolments);
  const auto object = base::parse_bounded(good, 1U << 20U);
  ASSERT_TRUE(object.ok());
  const std::string expires = (*object)["entries"].begin().value()["expires_at"].get<std::string>();
  const std::int64_t now = base::SystemClock().wall_ms();
  constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1000;
  edit(enrolments, expires, base::iso_zulu(now + 3 * kDay));
  EXPECT_EQ(wrong(0), Set{"expiry warning"}) << last_;
  edit(enrolments, base::iso_zulu(now + 3 * kDay), base::iso_zulu(now - kDay));
  EXPECT_EQ(wrong(1), Set{"expiry failed"}) << last_;
  ASSERT_TRUE(base::remove_file(enrolments).ok());
  EXPECT_EQ(wrong(0), Set{"expiry unknown"}) << last_;

  // A credential the fleet does not take.
  const std::string credentials = dir_ / "home/.config/robot-council/credentials.json";
  const std::string stored = read_text(credentials);
  write_text(credentials, "{\"" + service_ + "|claude\":\"rc_nothing\"}");
  EXPECT_EQ(wrong(1), (Set{"credential failed", "coordinator unknown", "expiry unknown"})) << last_;
  EXPECT_NE(last_.find("revoked"), std::string::npos) << last_;
  EXPECT_EQ(last_.find("rc_nothing"), std::string::npos) << last_;
  // The remedy of one that others may read is not to enrol again.
  ASSERT_EQ(::chmod(credentials.c_str(), 0644), 0);
  EXPECT_EQ(doctor(1).at("credential"), "failed");
  EXPECT_NE(last_.find("\"Run: chmod 600"), std::string::npos) << last_;
}

TEST_F(DoctorRows, WhatTheDiskSays) {
  start_service();
  wire();
  const std::string folder = dir_ / "home/.local/state/robot-council/pending";
  ASSERT_TRUE(base::make_private_directory(folder).ok());
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(wrong(1), Set{"state-dir failed"}) << last_;
  EXPECT_NE(last_.find("chmod 700"), std::string::npos);
  EXPECT_EQ(base::file_info(folder, base::Links::dont)->mode, 0755U);  // looked at, not mended
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);

  const auto checks = doctor(0);
  const auto seats = base::parse_bounded(last_, 1U << 20U);
  const std::string sink = folder + "/" + (*seats)["seats"][0]["key"].get<std::string>() + ".db";
  write_text(sink, std::string(8192, 'x'));
  ASSERT_EQ(::chmod(sink.c_str(), 0600), 0);
  EXPECT_EQ(wrong(1), Set{"sqlite failed"}) << last_;
  EXPECT_NE(last_.find("SQLite 3."), std::string::npos) << last_;
}

// What a running bridge tells: 98, 101, and the rows about it.
TEST_F(DoctorRows, WhatARunningBridgeSays) {
  data_ = dir_ / "home/.local/share/robot-council/fleet";
  start_service();
  wire();
  EXPECT_EQ(doctor(0, {"--wake"}).at("wake"), "unknown") << last_;
  start_bridge(environment_);
  auto checks = doctor(0, {"--wake"});
  for (const char* id : {"bridge", "seat-key", "wake", "wake-path", "version"}) {
    EXPECT_EQ(checks.at(id), "ok") << id << last_;
  }
  EXPECT_NE(last_.find("reached the sink after"), std::string::npos) << last_;
  EXPECT_NE(last_.find("the bridge sent its notice"), std::string::npos) << last_;
  EXPECT_NE(last_.find("the agent will see it"), std::string::npos) << last_;
  EXPECT_NE(council({"pending", "--peek", "--service", service_, "--harness", "claude"})
                .out.find("robot-council doctor test "),
            std::string::npos);
  // By now the feed was read. What the record says is believed while its bridge runs.
  EXPECT_TRUE(wait_until([&] { return doctor(0).at("feed") == "ok"; })) << last_;
  const std::int64_t now = base::SystemClock().wall_ms();
  constexpr std::int64_t kMinute = 60000;
  const auto read_at = [&] {
    const auto record = base::parse_bounded(read_text(record_text()), 1U << 16U);
    return record.ok() ? base::get_string(*record, "read_at").value_or("?") : "?";
  };
  edit(record_text(), "\"read_at\":\"" + read_at(),
       "\"read_at\":\"" + base::iso_zulu(now - 3 * kMinute));
  EXPECT_EQ(doctor(0).at("feed"), "warning") << last_;
  edit(record_text(), "\"read_at\":\"" + read_at(),
       "\"read_at\":\"" + base::iso_zulu(now - 11 * kMinute));
  EXPECT_EQ(doctor(1).at("feed"), "failed") << last_;
  edit(record_text(), "\"read_at\":\"" + read_at(), "\"read_at\":\"" + base::iso_zulu(now));

  // The hook ran; then its entry was changed, as no restart has seen yet.
  const std::string payload =
      R"({"session_id":"s","transcript_path":"/nowhere.jsonl","cwd":")" + (dir_ / "work") +
      R"(","prompt_id":"p","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"x","background_tasks":[],"session_crons":[]})";
  auto hook_environment = environment_;
  hook_environment["CLAUDE_PROJECT_DIR"] = dir_ / "work";
  hook_environment["CLAUDE_CODE_SESSION_ID"] = "s";
  EXPECT_EQ(run({script_}, hook_environment, payload, dir_ / "work").code, 0);
  EXPECT_EQ(doctor(0).at("hook-ran"), "ok") << last_;
  struct ::timespec later[2] = {{now / 1000 + 60, 0}, {now / 1000 + 60, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, script_.c_str(), later, 0), 0);
  EXPECT_EQ(doctor(0).at("hook-ran"), "warning") << last_;
  wire();

  // A hook that is started with another state folder looks into another sink.
  environment_["XDG_STATE_HOME"] = dir_ / "elsewhere";
  checks = doctor(1);
  EXPECT_EQ(checks.at("seat-key"), "failed") << last_;
  EXPECT_NE(last_.find(dir_ / "elsewhere"), std::string::npos);
  EXPECT_NE(last_.find(dir_ / "home/.local/state"), std::string::npos);
  environment_.erase("XDG_STATE_HOME");
  edit(dir_ / "home/.claude/settings.json", "\"command\":\"" + script_ + "\"",
       "\"command\":\"XDG_STATE_HOME=" + (dir_ / "elsewhere") + " " + script_ + "\"");
  EXPECT_EQ(doctor(1).at("seat-key"), "failed") << last_;

  // A second bridge of the seat, and a feed that was not read for a while.
  wire();
  start_bridge(environment_);
  EXPECT_EQ(doctor(0).at("second-bridge"), "warning") << last_;
  bridges_.clear();
  EXPECT_EQ(doctor(0).at("feed"), "unknown") << last_;
}

TEST_F(DoctorRows, AServiceOnAnotherMachineCannotBeAskedToPost) {
  service_ = "https://fleet.example.test";
  wire();
  EXPECT_EQ(doctor(1, {"--wake"}).at("wake"), "unknown") << last_;
}

// 112: exported for the bridge's whole harness, or for the hook alone.
TEST_F(DoctorRows, AProjectOfOneSideOnlyIsAnotherSink) {
  start_service();
  wire();
  auto with_project = environment_;
  with_project["ROBOT_COUNCIL_PROJECT"] = "org/bridge";
  start_bridge(with_project);
  EXPECT_EQ(doctor(1).at("seat-key"), "failed") << last_;
  EXPECT_NE(last_.find("org/bridge"), std::string::npos);
  bridges_.clear();
  // A script that was filled for a project hands no other on.
  wire();
  edit(script_, "# ROBOT_COUNCIL_PROJECT='owner/repository'", "ROBOT_COUNCIL_PROJECT='org/own'");
  edit(dir_ / "home/.claude.json", "\"args\":[\"mcp\"]",
       "\"args\":[\"mcp\",\"--project=org/own\"]");
  start_bridge(with_project, "claude", {"--project=org/own"});
  EXPECT_EQ(doctor(0).at("seat-key"), "ok") << last_;
}

// 113.
TEST_F(DoctorRows, AWakeEntryThatHoldsEachPromptIsFailedFirst) {
  wake_ = "";
  wire();
  const auto checks = doctor(1);
  EXPECT_EQ(checks.at("wake-path"), "failed") << last_;
  const Ran text = council({"doctor"});
  const auto first = text.out.find("\n  failed");
  ASSERT_NE(first, std::string::npos) << text.out;
  EXPECT_NE(text.out.find("wake-path: ", first), std::string::npos);
  EXPECT_LT(text.out.find("wake-path: "), text.out.find("binary: ")) << text.out;
  // setup repairs it (SettingsEdit.AWakeEntryWithoutAsyncRewakeIsRepaired113).
}

}  // namespace robot_council::test
