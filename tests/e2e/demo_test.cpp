#include <dirent.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

// Processes whose environment names the folder: the demo's children have their HOME in it.
std::vector<std::string> processes_of(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& name : base::list_directory("/proc").value_or({})) {
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        slurp("/proc/" + name + "/environ").find("HOME=" + folder) != std::string::npos) {
      found.push_back(name + " " + slurp("/proc/" + name + "/cmdline"));
    }
  }
  return found;
}

}  // namespace

// An empty home, and a temporary folder of our own in which everything of the demo must be gone.
class DemoCommand : public ::testing::Test {
 protected:
  DemoCommand() {
    ::mkdir((dir_ / "home").c_str(), 0700);
    ::mkdir((dir_ / "tmp").c_str(), 0700);
  }

  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"HOME", dir_ / "home"}, {"TMPDIR", dir_ / "tmp"}, {"PATH", "/usr/bin:/bin"}};
  }

  Ran demo(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv = {program("robot-council"), "demo"};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv, environment(), {}, {}, base::Milliseconds(70000));
  }

  // Account contract, 110.
  void expect_nothing_left() const {
    EXPECT_EQ(base::list_directory(dir_ / "tmp").value_or({"?"}), std::vector<std::string>{});
    EXPECT_EQ(base::list_directory(dir_ / "home").value_or({"?"}), std::vector<std::string>{});
    EXPECT_EQ(processes_of(dir_ / "tmp"), std::vector<std::string>{});
  }

  // The real script with these lines run first.
  [[nodiscard]] std::string script_with(const std::string& lines) const {
    std::string text = read_text(source_file("resources/stop-hook/robot-council-stop-hook"));
    text.insert(text.find('\n') + 1, lines + "\n");
    write_text(dir_ / "robot-council-stop-hook", text);
    ::chmod((dir_ / "robot-council-stop-hook").c_str(), 0755);
    return dir_ / "robot-council-stop-hook";
  }

  [[nodiscard]] base::Result<base::Child> start() const {
    base::ChildOptions options;
    options.argv = {program("robot-council"), "demo"};
    for (const auto& [name, value] : environment()) {
      options.environment.push_back(name + "=" + value);
    }
    options.standard_out = base::Stdio::pipe;
    options.standard_err = base::Stdio::null;
    return base::Child::start(options);
  }

  TempDir dir_;
};

// 108.
TEST_F(DemoCommand, ProvesEveryStepWithAnEmptyHome) {
  const Ran ran = demo();
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.out.find("FAILED"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("      {\"decision\":\"block\",\"reason\":\"Robot Council has "
                         "news:\\n[directive] Rebase your branch"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("[repeat] [directive] Leave the file"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("Every step was proven, in "), std::string::npos);
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  expect_nothing_left();
}

TEST_F(DemoCommand, TwoAtOnce) {
  auto one = start();
  auto two = start();
  ASSERT_TRUE(one.ok() && two.ok());
  for (auto* child : {&*one, &*two}) {
    const auto out = base::read_all(child->standard_out.get(), 1U << 20U,
                                    base::deadline_in(base::Milliseconds(70000)));
    const auto ended = child->wait(test::in_time());
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->code, 0) << out.value_or("");
  }
  expect_nothing_left();
}

// 109.
TEST_F(DemoCommand, AHookThatMayNotRunIsNamed) {
  const std::string script = script_with("");
  ::chmod(script.c_str(), 0644);
  const Ran ran = demo({"--script", script});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find(" 6  a turn ends, and the agent is handed"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("ms  FAILED\n    expected: "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("exit 126"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find(" 7  "), std::string::npos);
  expect_nothing_left();
}

TEST_F(DemoCommand, AKilledBridgeIsNamed) {
  const Ran ran = demo(
      {"--script", script_with("kill -9 $(cat \"$XDG_STATE_HOME\"/robot-council/pending/*.seat)")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find(" 8  a hook is killed while it prints  "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("the bridge has ended"), std::string::npos) << ran.out;
  expect_nothing_left();
}

TEST_F(DemoCommand, ASinkThatCannotBeUsedIsNamed) {
  const Ran ran =
      demo({"--script", script_with("for f in \"$XDG_STATE_HOME\"/robot-council/pending/*.db; do "
                                    "echo damaged >\"$f\"; done")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find(" 6  a turn ends, and the agent is handed  "), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("could not read the fleet events"), std::string::npos) << ran.out;
  expect_nothing_left();
}

TEST_F(DemoCommand, AMissingTemporaryFolderIsNamed) {
  std::map<std::string, std::string> environment = this->environment();
  environment["TMPDIR"] = dir_ / "missing";
  const Ran ran = run({program("robot-council"), "demo"}, environment);
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("the demo's folder could not be prepared"), std::string::npos) << ran.err;
}

TEST_F(DemoCommand, AStoppedMachineSaysSo) {
  write_text(dir_ / "home/.robot-council/stops/_everywhere.json", "{}");
  const Ran ran = demo();
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("this machine is stopped"), std::string::npos) << ran.err;
  EXPECT_EQ(base::list_directory(dir_ / "tmp").value_or({"?"}), std::vector<std::string>{});
}

// 10, 110.
TEST_F(DemoCommand, ASignalIs130AndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    auto child = start();
    ASSERT_TRUE(child.ok());
    // Its first line: the service runs.
    ASSERT_TRUE(base::wait_readable(child->standard_out.get(), test::in_time()).ok());
    child->send_signal(signal);
    const auto out = base::read_all(child->standard_out.get(), 1U << 20U, test::in_time());
    const auto ended = child->wait(test::in_time());
    ASSERT_TRUE(ended.ok());
    EXPECT_EQ(ended->code, 130) << out.value_or("");
    EXPECT_EQ(out.value_or("FAILED").find("FAILED"), std::string::npos) << *out;
    expect_nothing_left();
  }
}

TEST_F(DemoCommand, ConnectsToLoopbackOnly) {
  if (!base::exists("/usr/bin/strace")) {
    GTEST_SKIP() << "strace is not installed";
  }
  const Ran ran = run({"/usr/bin/strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o",
                       dir_ / "trace", program("robot-council"), "demo"},
                      environment(), {}, {}, base::Milliseconds(70000));
  const std::string trace = slurp(dir_ / "trace");
  if (trace.find("sin_port") == std::string::npos) {
    GTEST_SKIP() << "strace cannot trace here: " << ran.err;
  }
  for (const auto& line : base::split(trace, '\n')) {
    if (line.find("AF_INET") != std::string::npos) {
      EXPECT_TRUE(line.find("inet_addr(\"127.0.0.1\")") != std::string::npos ||
                  line.find("\"::1\"") != std::string::npos)
          << line;
    }
  }
}

}  // namespace robot_council::test
