#include "tests/e2e/brake_world.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "tests/lib/terminal.hpp"

namespace robot_council::test {
namespace {

constexpr unsigned kNobody = 65534;
constexpr base::Milliseconds kLimit{20000};

bool is_root() {
  return ::geteuid() == 0;
}

bool others_may_enter(const std::string& folder) {
  for (std::filesystem::path at = folder; at != "/"; at = at.parent_path()) {
    const auto mode = std::filesystem::status(at).permissions();
    if ((mode & std::filesystem::perms::others_exec) == std::filesystem::perms::none) {
      return false;
    }
  }
  return true;
}

// The programs again, linked or copied, in a folder that is removed when the test's process ends.
class OpenFolder {
 public:
  OpenFolder() {
    EXPECT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    for (const char* name : {"robot-council", "robot-council-net"}) {
      std::error_code failed;
      std::filesystem::create_hard_link(program(name), folder_ / name, failed);
      if (failed) {
        std::filesystem::copy_file(program(name), folder_ / name);
      }
    }
  }
  [[nodiscard]] std::string council() const { return folder_ / "robot-council"; }

 private:
  TempDir folder_;
};

}  // namespace

const std::string& brake_program() {
  static const std::string path = [] {
    const std::string built = program("robot-council");
    if (!is_root() || others_may_enter(base::parent_path(built))) {
      return built;
    }
    static const OpenFolder open;
    return open.council();
  }();
  return path;
}

BrakeWorld::BrakeWorld() {
  std::filesystem::create_directories(home + "/.local/bin");
  std::filesystem::create_symlink(brake_program(), home + "/.local/bin/robot-council");
  write_text(home + "/.gitconfig",
             "[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n");
  std::filesystem::create_directories(repo);
  settle();
  EXPECT_EQ(git({"init", "-q"}).code, 0);
  write_text(repo + "/a.txt", "a\n");
  settle();
  EXPECT_EQ(git({"add", "."}).code, 0);
  EXPECT_EQ(git({"commit", "-q", "-m", "first"}).code, 0);
}

void BrakeWorld::settle() const {
  if (!is_root()) {
    return;
  }
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(::lchown(folder.path().c_str(), kNobody, kNobody), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    ASSERT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0) << entry.path();
  }
}

BrakeWorld::Environment BrakeWorld::environment(const Environment& more) const {
  Environment all = {{"HOME", home},
                     {"PATH", home + "/.local/bin:/usr/bin:/bin"},
                     {"GIT_CONFIG_NOSYSTEM", "1"},
                     {"LC_ALL", "C.UTF-8"},
                     {"TMPDIR", "/tmp"}};
  for (const auto& [name, value] : more) {
    all[name] = value;
  }
  return all;
}

std::vector<std::string> BrakeWorld::as_user(const std::vector<std::string>& argv) const {
  std::vector<std::string> all;
  if (is_root()) {
    all = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }
  all.insert(all.end(), argv.begin(), argv.end());
  return all;
}

Ran BrakeWorld::command(const std::vector<std::string>& argv, const Environment& more,
                        std::string_view input, const std::string& directory) const {
  return run(as_user(argv), environment(more), input, directory.empty() ? repo : directory);
}

Ran BrakeWorld::council(std::vector<std::string> words, const Environment& more,
                        std::string_view input, const std::string& directory) const {
  words.insert(words.begin(), brake_program());
  return command(words, more, input, directory);
}

Ran BrakeWorld::check(const std::string& client, const Environment& more) const {
  return council({"brake-check", "--client", client}, more, payload());
}

Ran BrakeWorld::git(std::vector<std::string> words, const Environment& more) const {
  words.insert(words.begin(), "git");
  return command(words, more);
}

std::string BrakeWorld::payload() const {
  return R"({"session_id":"abc","transcript_path":"/t","cwd":")" + repo +
         R"(","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo secret"}})";
}

std::string BrakeWorld::home_copy() const {
  for (const auto& entry : std::filesystem::directory_iterator(stops())) {
    if (entry.path().extension() == ".json" && entry.path().filename().string().front() != '_') {
      return entry.path();
    }
  }
  ADD_FAILURE() << "no home copy in " << stops();
  return {};
}

std::string BrakeWorld::log() const {
  const std::string path = home + "/.local/state/robot-council/decisions.jsonl";
  return std::filesystem::exists(path) ? read_text(path) : std::string();
}

std::string brake_command(const std::string& id) {
  return R"(/bin/sh -c 'PATH="${HOME:-}/.local/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:${PATH:-/bin}"; command -v robot-council >/dev/null 2>&1 || { echo "stopped: robot-council is missing; a person must reinstall it" >&2; exit 2; }; robot-council brake-check --client )" +
         id +
         R"(; case $? in 0) exit 0;; 2) exit 2;; esac; echo "stopped: the stop check could not run; a person must look" >&2; exit 2')";
}

Pty::Pty(const std::vector<std::string>& argv, const BrakeWorld::Environment& environment,
         const std::string& directory, Stdin standard_in) {
  auto terminal = test::open_terminal();
  if (!terminal) {
    ADD_FAILURE() << test::kNoTerminal;
    return;
  }
  master_ = std::move(terminal->master);
  std::vector<std::string> variables;
  for (const auto& [key, value] : environment) {
    variables.push_back(key + "=" + value);
  }
  std::vector<char*> words;
  std::vector<char*> settings;
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(
        word.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): exec's signature
  }
  for (const std::string& variable : variables) {
    settings.push_back(
        const_cast<char*>(variable.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  words.push_back(nullptr);
  settings.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setsid();
    const int slave = ::open(terminal->path.c_str(), O_RDWR);
    ::ioctl(slave, TIOCSCTTY, 0);
    ::dup2(standard_in == Stdin::terminal ? slave : ::open("/dev/null", O_RDONLY), 0);
    ::dup2(slave, 1);
    ::dup2(slave, 2);
    if (::chdir(directory.c_str()) == 0) {
      ::execve(words.front(), words.data(), settings.data());
    }
    ::_exit(99);
  }
}

Pty::~Pty() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

bool Pty::read_more() {
  const auto ready = base::wait_readable(master_.get(), base::deadline_in(kLimit));
  if (!ready.ok() || ready.value() == base::Ready::timeout) {
    return false;
  }
  std::array<char, 4096> block{};
  const auto got = base::read_some(master_.get(), block);  // EIO: the last slave was closed
  if (!got.ok() || got.value() == 0) {
    return false;
  }
  screen_.append(block.data(), got.value());
  return true;
}

bool Pty::expect(const std::string& text) {
  while (screen_.find(text) == std::string::npos) {
    if (!read_more()) {
      return false;
    }
  }
  return true;
}

void Pty::type(const std::string& text) {
  EXPECT_TRUE(base::write_all(master_.get(), text, base::deadline_in(kLimit)).ok());
}

int Pty::finish() {
  while (read_more()) {
  }
  int status = 0;
  const bool ended = wait_until([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, kLimit);
  EXPECT_TRUE(ended) << screen_;
  if (!ended) {
    return -1;
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace robot_council::test
