// The time limits of `doctor` (account contract, 8): 5 s each, 90 s in all, none hides another.
// Here they are shorter; what hangs is real.

#include "wiring/online/doctor_watch.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"
#include "tests/wiring/online/odd_mounts.hpp"
#include "wiring/online/doctor_report.hpp"

namespace robot_council::wiring::online {
namespace {

using test::OddMount;
using Milliseconds = base::Milliseconds;

class DoctorWatch : public ::testing::Test {
 protected:
  void SetUp() override {
    base::ignore_sigpipe();
    for (const char* name : {"home", "work", "odd", "bin", "tmp"}) {
      ASSERT_EQ(::mkdir((dir_ / name).c_str(), 0700), 0);
    }
    environment_.set("HOME", dir_ / "home");
    environment_.set("TMPDIR", dir_ / "tmp");
    environment_.set("PATH", dir_ / "bin" + ":/usr/bin:/bin");
    query_ = {"http://127.0.0.1:9", "claude", "", dir_ / "work"};
    times_.slack = Milliseconds(100);
  }

  // Looks with the real program, or with a shell script in its place.
  DoctorReport watch(const std::string& script = "") {
    std::vector<std::string> argv = {test::program("robot-council-net"), "doctor-part"};
    if (!script.empty()) {
      test::write_text(dir_ / "part", "echo started >>'" + (dir_ / "starts") + "'\n" + script);
      argv = {"/bin/sh", dir_ / "part"};
    }
    const base::Context context{clock_, environment_, log_};
    const auto begun = std::chrono::steady_clock::now();
    auto report =
        watch_doctor(context, query_, Wake::no, test::program("robot-council"), argv, times_);
    took_ = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begun);
    return report;
  }

  // id -> state and text, each id once.
  static std::map<std::string, std::string> rows(const DoctorReport& report) {
    std::map<std::string, std::string> result;
    EXPECT_EQ(report.seats.size(), 1U);
    if (report.seats.empty()) {
      return result;
    }
    for (const Check& check : report.seats[0].checks) {
      EXPECT_TRUE(
          result.emplace(check.id, std::string(to_text(check.state)) + ": " + check.text).second)
          << check.id;
      EXPECT_EQ(check.remedy.empty(), check.state == CheckState::ok) << check.id;
    }
    const auto ids = doctor_ids(Wake::no);
    EXPECT_EQ(result.size(), ids.size());
    for (const auto& id : ids) {
      EXPECT_EQ(result.count(id), 1U) << id;
    }
    return result;
  }
  [[nodiscard]] std::size_t starts() const {
    const std::string text = test::read_text(dir_ / "starts");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  test::TempDir dir_;
  base::SystemClock clock_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  DoctorQuery query_;
  DoctorTimes times_;
  Milliseconds took_{0};
};

// A script that tells all rows, but does `odd` at one of them; a later process goes on after it.
std::string telling(const std::string& at, const std::string& odd) {
  std::string script = R"(
after=
for word; do case $word in --after=*) after=${word#--after=};; esac; done
seen=; [ -z "$after" ] && seen=1
if [ -n "$seen" ]; then
  echo '{"begin":"brake"}'
  echo '{"brake":{"lines":[],"json":"null","checks":[{"id":"brake-copies","status":"ok","text":"x","remedy":""}]}}'
fi
[ "$after" = brake ] && seen=1
echo '{"begin":"claude settings"}'
echo '{"begin":"claude state"}'
echo '{"seat":{"harness":"claude","service":"s","key":"k"}}'
)";
  for (const auto& id : doctor_ids(Wake::no)) {
    script += "if [ -n \"$seen\" ]; then\necho '{\"begin\":\"claude " + id + "\"}'\n";
    if (id == at) {
      script += odd + "\n";
    }
    script += "echo '{\"check\":{\"id\":\"" + id +
              "\",\"status\":\"ok\",\"text\":\"fine\",\"remedy\":\"\"}}'\nfi\n[ \"$after\" = "
              "'claude " +
              id + "' ] && seen=1\n";
  }
  return script + "echo '{\"end\":true}'\n";
}

TEST_F(DoctorWatch, TellsWhatOneProcessFound) {
  const auto report = watch(telling("", ""));
  for (const auto& [id, said] : rows(report)) {
    EXPECT_EQ(said, "ok: fine") << id;
  }
  EXPECT_EQ(report.seats[0].key, "k");
  EXPECT_EQ(report.brake_json, "null");
  ASSERT_EQ(report.brake_checks.size(), 1U);
  EXPECT_TRUE(none_failed(report));
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(starts(), 1U);
}

// A check that does not end hides none of the others, before it or after.
TEST_F(DoctorWatch, ACheckThatBlocksIsLeftAndTheNextOnesAreLookedAt) {
  ASSERT_EQ(::mkfifo((dir_ / "never").c_str(), 0600), 0);
  times_.one = Milliseconds(300);
  const std::string block = "echo $$ >'" + (dir_ / "pid") + "'; read x <'" + (dir_ / "never") + "'";
  for (const char* id : {"binary", "sqlite", "stops", "wake-path"}) {
    const auto told = rows(watch(telling(id, block)));
    for (const auto& [other, said] : told) {
      EXPECT_EQ(said, other == id ? "unknown: it did not end within 300 ms" : "ok: fine") << other;
    }
    const auto pid = base::parse_digits(base::trim(test::read_text(dir_ / "pid")));
    EXPECT_NE(::kill(static_cast<pid_t>(pid.value_or(0)), 0), 0) << "it was not ended";
    EXPECT_LT(took_, test::allowed(Milliseconds(10000)));
  }
  EXPECT_EQ(starts(), 8U);
  // Without the folder, or the proof, no event arrives.
  times_.proof = Milliseconds(400);
  for (const char* id : {"state-dir", "proof"}) {
    const auto report = watch(telling(id, block));
    EXPECT_EQ(rows(report).at(id).substr(0, 8), "failed: ") << id;
    EXPECT_FALSE(none_failed(report));
  }
  // One that asks the service takes those with it that need its answer.
  const auto told = rows(watch(telling("credential", block)));
  EXPECT_EQ(told.at("clock"), "ok: fine");
  EXPECT_EQ(told.at("credential"), "unknown: it did not end within 300 ms");
  EXPECT_EQ(told.at("expiry"), "unknown: not looked at, since credential did not end");
  EXPECT_EQ(told.at("state-dir"), "ok: fine");
}

TEST_F(DoctorWatch, ACheckThatEndsItsProcessIsSaid) {
  auto told = rows(watch(telling("sqlite", "kill -SEGV $$")));
  EXPECT_EQ(told.at("sqlite"), "unknown: the look at it was ended by signal 11");
  EXPECT_EQ(told.at("seat-key"), "ok: fine");
  told = rows(watch(telling("sqlite", "echo nonsense; exit 3")));
  EXPECT_EQ(told.at("sqlite"), "unknown: the look at it broke off");
  EXPECT_EQ(told.at("proof"), "ok: fine");
}

// The sum is bounded however many hang.
TEST_F(DoctorWatch, AllTogetherHaveTheirTime) {
  ASSERT_EQ(::mkfifo((dir_ / "never").c_str(), 0600), 0);
  times_.all = Milliseconds(1000);
  times_.one = Milliseconds(60000);
  const auto report = watch(telling("sqlite", "read x <'" + (dir_ / "never") + "'"));
  EXPECT_GE(took_, Milliseconds(1000));
  EXPECT_LT(took_, test::allowed(Milliseconds(10000)));
  EXPECT_EQ(starts(), 1U);
  const auto told = rows(report);
  EXPECT_EQ(told.at("file-system"), "ok: fine");
  for (const char* id : {"sqlite", "seat-key", "proof"}) {
    EXPECT_EQ(told.at(id), "unknown: not looked at: the 1 s of all checks were over") << id;
  }
  EXPECT_FALSE(report.complete);
  EXPECT_NE(report_text(report).find("\nNot every harness was looked at.\n"), std::string::npos);
}

// The process that looks keeps the time of all by itself, and tells what it did not come to.
TEST_F(DoctorWatch, ThePartItselfStopsInTime) {
  times_.all = Milliseconds(101);
  times_.slack = Milliseconds(100);
  const std::vector<std::string> argv = {test::program("robot-council-net"),
                                         "doctor-part",
                                         "--harness=claude",
                                         "--service=http://127.0.0.1:9",
                                         "--one=5000",
                                         "--proof=5000",
                                         "--left=0",
                                         "--after=brake"};
  const test::Ran ran = test::run(argv, {{"HOME", dir_ / "home"}}, {}, dir_ / "work");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string late = "not looked at: the time of all checks together was over";
  std::size_t found = 0;
  for (auto at = ran.out.find(late); at != std::string::npos; at = ran.out.find(late, at + 1)) {
    ++found;
  }
  EXPECT_EQ(found, doctor_ids(Wake::no).size()) << ran.out;
  EXPECT_NE(ran.out.find("{\"end\":true}"), std::string::npos);
}

// Whether a stop is on cannot be told: that is never "none".
TEST_F(DoctorWatch, ABrakeThatCannotBeLookedAtIsAStop) {
  ASSERT_EQ(::mkfifo((dir_ / "never").c_str(), 0600), 0);
  times_.brake = Milliseconds(300);
  const std::string script =
      "case \"$*\" in *--after=*) ;; *) echo '{\"begin\":\"brake\"}'; read x <'" +
      (dir_ / "never") + "';; esac\n" + telling("", "");
  const auto report = watch(script);
  EXPECT_EQ(rows(report).at("binary"), "ok: fine");
  ASSERT_EQ(report.brake_checks.size(), 1U);
  EXPECT_EQ(report.brake_checks[0].state, CheckState::failed);
  EXPECT_EQ(report.brake_checks[0].text, "it did not end within 300 ms");
  EXPECT_NE(report.brake_json.find("\"readable\":false"), std::string::npos);
  EXPECT_EQ(report_text(report).find("STOPPED: "), 0U) << report_text(report);
}

TEST_F(DoctorWatch, AProgramThatDoesNotStartIsSaid) {
  const base::Context context{clock_, environment_, log_};
  const auto report =
      watch_doctor(context, query_, Wake::no, "", {dir_ / "nothing", "doctor-part"}, times_);
  ASSERT_EQ(report.brake_checks.size(), 1U);
  EXPECT_NE(report.brake_checks[0].text.find("the process that looks: "), std::string::npos);
  EXPECT_FALSE(none_failed(report));
  EXPECT_EQ(rows(report).at("binary").substr(0, 8), "failed: ");
  EXPECT_EQ(rows(report).at("proof").substr(0, 9), "unknown: ");
}

// A file system that does not answer, under the folder of the sinks: the kernel holds whoever
// looks.
TEST_F(DoctorWatch, AHangingStateFolderHidesNoOtherCheck) {
  const OddMount mount(OddMount::Kind::hanging_fuse, dir_ / "odd");
  if (!mount.why_not().empty()) {
    GTEST_SKIP() << mount.why_not();
  }
  environment_.set("XDG_STATE_HOME", dir_ / "odd");
  times_.look = Milliseconds(3000);
  const auto report = watch();
  const auto told = rows(report);
  EXPECT_EQ(told.at("state-dir"), "failed: the folder of the sinks does not answer");
  for (const char* id : {"file-system", "sqlite", "seat-key", "bridge", "feed", "proof"}) {
    EXPECT_EQ(told.at(id), "unknown: the folder of the sinks does not answer") << id;
  }
  EXPECT_EQ(told.at("service").substr(0, 8), "failed: ") << told.at("service");
  EXPECT_EQ(told.at("stops"), "ok: off: there is no stop policy");
  EXPECT_FALSE(none_failed(report));
  EXPECT_TRUE(report.complete);
  EXPECT_LT(took_, test::allowed(Milliseconds(30000)));
}

// And under the harness's settings.
TEST_F(DoctorWatch, HangingSettingsAreFailed) {
  const OddMount mount(OddMount::Kind::hanging_fuse, dir_ / "odd");
  if (!mount.why_not().empty()) {
    GTEST_SKIP() << mount.why_not();
  }
  environment_.set("CODEX_HOME", dir_ / "odd");
  query_.harness = "codex";
  times_.look = Milliseconds(3000);
  const auto report = watch();
  const auto told = rows(report);
  EXPECT_EQ(told.at("hook-scan"), "failed: the settings of codex: it did not end within 3 s");
  EXPECT_FALSE(none_failed(report));
  EXPECT_FALSE(report.brake_checks.empty());
}

// A keyring that does not answer has the time of its row, with all its calls together.
TEST_F(DoctorWatch, AHangingKeyringHasTheTimeOfOneCheck) {
  test::write_text(dir_ / "bin/secret-tool",
                   "#!/bin/sh\necho $$ >>'" + (dir_ / "pids") + "'\nexec sleep 600\n");
  ASSERT_EQ(::chmod((dir_ / "bin/secret-tool").c_str(), 0755), 0);
  times_.one = Milliseconds(3000);
  times_.slack = Milliseconds(1500);
  const auto told = rows(watch());
  EXPECT_EQ(told.at("credential").find("failed: The credential of `claude` could not be read: "),
            0U)
      << told.at("credential");
  EXPECT_EQ(told.at("expiry"), "unknown: there is no credential");
  EXPECT_LT(took_, test::allowed(Milliseconds(30000)));
  for (const auto& pid : base::split(base::trim(test::read_text(dir_ / "pids")), '\n')) {
    EXPECT_NE(::kill(static_cast<pid_t>(base::parse_digits(pid).value_or(0)), 0), 0) << pid;
  }
}

}  // namespace
}  // namespace robot_council::wiring::online
