#include "stops/log.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_lock.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "stops/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

constexpr base::Milliseconds kLong{10000};

LogLine line(const std::string& session = "s") {
  LogLine made;
  made.ts_ms = 1796016961585;
  made.host = "claude";
  made.session_id = session;
  made.outcome = Outcome::judged;
  made.verdict = Verdict::leave;
  made.reason = Reason{Reason::Kind::rule, 1, "hard_to_undo", 1, {}};
  made.answers = {{"asks_approval", 1}, {"hard_to_undo", 0.25}};
  made.p_kind = PKind::phrase;
  made.state = R"({"closing_message":"a","cut":false})";
  made.policy = LogLine::PolicyName{"/w/p", "9f3c", "1c0e", "77ab"};
  return made;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines = base::split(test::read_text(path), '\n');
  EXPECT_TRUE(lines.back().empty());
  lines.pop_back();
  return lines;
}

class StopLog : public ::testing::Test {
 protected:
  [[nodiscard]] base::Status append(const LogLine& one, base::Milliseconds wait = kLong) const {
    return append_line(files_, one, std::nullopt, wait);
  }
  [[nodiscard]] std::size_t dropped() const {
    return base::exists(files_.dropped()) ? test::read_text(files_.dropped()).size() : 0;
  }
  // Runs `work` in `count` processes at once.
  static void in_processes(int count, const std::function<void(int)>& work) {
    std::vector<pid_t> pids;
    for (int i = 0; i < count; ++i) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        work(i);
        ::_exit(0);
      }
      pids.push_back(pid);
    }
    for (const pid_t pid : pids) {
      int status = 0;
      EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    }
  }

  test::TempDir folder_{test::TempDir::Place::memory};
  StopFiles files_{folder_ / "state/stops"};
};

TEST_F(StopLog, ALineComesBackAsItWas) {
  LogLine full = line();
  full.prompt_id = "04f3";
  full.cwd = "/w";
  full.background = {2, 1, {"shell"}};
  full.seat = "10f6";
  full.waiting = 3;
  full.latency_judge_ms = 4;
  ASSERT_TRUE(append(full).ok());
  const std::vector<std::string> lines = lines_of(files_.log());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with(
      R"({"v":1,"ts":"2026-11-30T05:36:01.585Z","host":"claude","session_id":"s","prompt_id":"04f3","turn_id":null,)"));
  EXPECT_NE(
      lines[0].find(
          R"("verdict":"leave","reason":{"kind":"rule","rule":1,"question":"hard_to_undo","p":1},"answers":{"asks_approval":1,"hard_to_undo":0.25},"p_kind":"phrase")"),
      std::string::npos);
  const base::Result<LogLine> back = from_json(lines[0]);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(to_json(*back), lines[0]);
}

// 78
TEST_F(StopLog, FolderAndFilesArePrivate) {
  ASSERT_TRUE(append_line(files_, line(), SessionMark{"s", 1, 1, 0, false}, kLong).ok());
  EXPECT_EQ(base::file_info(files_.folder, base::Links::dont)->mode, 0700U);
  for (const std::string& path : {files_.log(), files_.lock(), files_.sessions()}) {
    EXPECT_EQ(base::file_info(path, base::Links::dont)->mode, 0600U) << path;
  }
}

// 77
TEST_F(StopLog, ATornLastLineIsEndedFirst) {
  ASSERT_TRUE(append(line()).ok());
  test::write_text(files_.log(), test::read_text(files_.log()) + R"({"v":1,"ts)");
  ASSERT_TRUE(append(line("next")).ok());
  const std::vector<std::string> lines = lines_of(files_.log());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(from_json(lines[2])->session_id, "next");
}

// 75
TEST_F(StopLog, ManyProcessesLoseNothing) {
  constexpr int kProcesses = 64;
  constexpr int kEach = 50;
  in_processes(kProcesses, [this](int number) {
    for (int i = 0; i < kEach; ++i) {
      (void)append(line(std::to_string(number)), kLogLockWait);
    }
  });
  std::size_t good = 0;
  for (const std::string& one : lines_of(files_.log())) {
    good += from_json(one).ok() ? 1U : 0U;
  }
  EXPECT_EQ(good, lines_of(files_.log()).size());
  EXPECT_EQ(good + dropped(), static_cast<std::size_t>(kProcesses * kEach));
}

// 76
TEST_F(StopLog, RotationUnderLoadLosesNone) {
  ASSERT_TRUE(append(line()).ok());
  std::string filler(static_cast<std::size_t>(kMaxLogBytes) - 4000, ' ');
  filler += "\n";
  test::write_text(files_.log(), filler);
  in_processes(4, [this](int number) {
    for (int i = 0; i < 20; ++i) {
      (void)append(line(std::to_string(number)));
    }
  });
  ASSERT_TRUE(base::exists(files_.older_log()));
  std::size_t good = 0;
  for (const std::string& path : {files_.log(), files_.older_log()}) {
    for (const std::string& one : lines_of(path)) {
      good += from_json(one).ok() ? 1U : 0U;
    }
  }
  EXPECT_EQ(good, 80U);
  EXPECT_EQ(dropped(), 0U);
}

// 80
TEST_F(StopLog, ALockHeldDropsTheLineAndCountsIt) {
  ASSERT_TRUE(append(line()).ok());
  const auto held = base::FileLock::try_acquire(files_.lock());
  ASSERT_TRUE(held.ok());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(append(line(), kLogLockWait).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(2)));
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(lines_of(files_.log()).size(), 1U);
}

// 79
TEST_F(StopLog, ALinkAFolderAndAFullDiskAreErrorsAndNothingElse) {
  ASSERT_TRUE(append(line()).ok());
  ASSERT_TRUE(base::rename_file(files_.log(), files_.folder + "/real").ok());
  std::filesystem::create_symlink(files_.folder + "/real", files_.log());
  EXPECT_FALSE(append(line()).ok());
  EXPECT_EQ(lines_of(files_.folder + "/real").size(), 1U);
  std::filesystem::remove(files_.log());
  std::filesystem::create_directory(files_.log());
  EXPECT_FALSE(append(line()).ok());
  std::filesystem::remove(files_.log());
  test::write_text(files_.log(), "x\n");
  in_processes(1, [this](int) {
    (void)::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};  // a disk that is full within the line
    (void)::setrlimit(RLIMIT_FSIZE, &limit);
    (void)append(line());
  });
  EXPECT_EQ(test::read_text(files_.log()), "x\n");
  EXPECT_EQ(dropped(), 3U);
}

TEST_F(StopLog, EveryStringIsRedactedOnceMore) {
  const std::string secret = "AKIAQ7ZX3WK9PVB5MT2R";
  LogLine dirty = line();
  dirty.cwd = "/w/" + secret;
  dirty.transcript_path = secret;
  dirty.model = secret;
  dirty.error = LogLine::Failure{"timeout", secret};
  dirty.permission_mode = secret;
  dirty.background.types = {secret};
  dirty.policy->path = "/x/" + secret;
  dirty.state = R"({"closing_message":"line\n)" + secret + R"(","cut":true})";
  ASSERT_TRUE(append(dirty).ok());
  const std::string text = test::read_text(files_.log());
  EXPECT_EQ(text.find(secret), std::string::npos) << text;
  const std::string state = from_json(lines_of(files_.log())[0])->state.value_or("");
  EXPECT_EQ(state, R"({"closing_message":"line\n[REDACTED:aws]","cut":true})");
}

TEST_F(StopLog, SessionsKeepTheNewestEight) {
  for (int i = 0; i < 10; ++i) {
    const SessionMark mark{std::to_string(i), 1000 + i, i, 0, false};
    ASSERT_TRUE(append_line(files_, line(), mark, kLong).ok());
  }
  const std::vector<SessionMark> kept = read_sessions(files_);
  EXPECT_EQ(kept.size(), kMaxSessions);
  EXPECT_EQ(find_session(kept, "9").failures, 9);
  EXPECT_EQ(find_session(kept, "1").failures, 0);
  EXPECT_TRUE(find_session(kept, "5").breaker_open());
  EXPECT_FALSE(find_session(kept, "4").breaker_open());
  test::write_text(files_.sessions(), "[[[");
  EXPECT_TRUE(read_sessions(files_).empty());
}

TEST_F(StopLog, ABrokenPolicyIsLoggedOnceASession) {
  LogLine broken = line();
  broken.outcome = Outcome::policy_error;
  const SessionMark mark{"s", 1, 0, 0, true};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(append_line(files_, broken, mark, kLong).ok());
  }
  EXPECT_EQ(lines_of(files_.log()).size(), 1U);
}

}  // namespace
}  // namespace robot_council::stops
