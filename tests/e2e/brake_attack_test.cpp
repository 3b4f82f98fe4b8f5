// What an agent, or an accident, may do to a stop that is in force: while one copy stands the
// answer is a refusal in the client's own dialect.

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/e2e/brake_world.hpp"

namespace robot_council {
namespace {

namespace fs = std::filesystem;
using test::brake_program;
using test::BrakeWorld;
using test::Pty;
using test::Ran;
using test::read_text;
using test::write_text;
using Environment = BrakeWorld::Environment;

struct Dialect {
  const char* id;
  int code;
  const char* before;  // of the text on stdout
  const char* after;
};

constexpr const char* kNested =
    R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":")";
constexpr const char* kDeny = R"({"decision":"deny","reason":")";
constexpr const char* kBlock = R"({"decision":"block","reason":")";
constexpr const char* kBoth = R"({"permissionDecision":"deny","permissionDecisionReason":")";
constexpr const char* kPermission = R"({"permission":"deny","user_message":")";

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> all = {{"antigravity", 0, kDeny, "\"}\n"},
                                           {"claude_code", 2, kNested, "\"}}\n"},
                                           {"codex_cli", 0, kNested, "\"}}\n"},
                                           {"cursor", 0, kPermission, "\"}\n"},
                                           {"devin", 2, kBlock, "\"}\n"},
                                           {"factory_droid", 2, "", ""},
                                           {"gemini_cli", 2, kDeny, "\"}\n"},
                                           {"goose", 2, kBlock, "\"}\n"},
                                           {"grok", 2, kDeny, "\"}\n"},
                                           {"mistral_vibe", 0, kDeny, "\"}\n"},
                                           {"openhands", 2, kDeny, "\"}\n"},
                                           {"tabnine", 2, kDeny, "\"}\n"},
                                           {"vscode_copilot", 2, kBoth, "\"}}\n"},
                                           {"windsurf", 2, "", ""}};
  return all;
}

// A refusal in the words of this client, whichever of the three texts it is.
void expect_refused(const Ran& ran, const Dialect& dialect, const std::string& what) {
  EXPECT_EQ(ran.code, dialect.code) << what << ", " << dialect.id << "\n" << ran.out << ran.err;
  EXPECT_EQ(ran.err.rfind("stopped: ", 0), 0U) << what << ", " << dialect.id << "\n" << ran.err;
  const std::string begin = std::string(dialect.before).empty()
                                ? std::string()
                                : std::string(dialect.before) + "stopped: ";
  EXPECT_EQ(ran.out.rfind(begin, 0), 0U) << what << ", " << dialect.id << "\n" << ran.out;
  EXPECT_EQ(ran.out.empty(), begin.empty()) << what << ", " << dialect.id;
  if (!begin.empty()) {
    const std::string end = dialect.after;
    EXPECT_EQ(ran.out.substr(ran.out.size() - std::min(end.size(), ran.out.size())), end)
        << what << ", " << dialect.id << "\n"
        << ran.out;
  }
}

class BrakeAttack : public ::testing::Test {
 protected:
  void stop(std::vector<std::string> more = {}) {
    more.insert(more.begin(), "stop");
    EXPECT_EQ(world_.council(more).code, 0);
  }
  void expect_all_refused(const std::string& what, const Environment& more = {}) {
    for (const Dialect& dialect : dialects()) {
      expect_refused(world_.check(dialect.id, more), dialect, what);
    }
  }
  // One client of each way to refuse: by exit code and stdout, by stdout, by exit code. What all
  // the others print does not depend on why.
  void expect_refused_in_each_way(const std::string& what) {
    for (const Dialect& dialect : dialects()) {
      const std::string id = dialect.id;
      if (id == "claude_code" || id == "cursor" || id == "windsurf") {
        expect_refused(world_.check(id), dialect, what);
      }
    }
  }
  // The path becomes what `make` makes there; the attacker is the user, so that permissions count.
  void replace(const std::string& path, const std::string& shell_that_makes_it) {
    const Ran ran = world_.command(
        {"/bin/sh", "-c", "rm -rf \"$0\" && mkdir -p \"${0%/*}\" && " + shell_that_makes_it, path});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }

  // A folder or a file of ours becomes each thing that is no stop, and at last nothing.
  void expect_refused_whatever_it_becomes(const std::string& path) {
    struct Attack {
      const char* name;
      const char* shell;  // $0: the path, which is not there
    };
    static const std::vector<Attack> attacks = {
        {"a link to nowhere", "ln -s /nowhere/at/all \"$0\""},
        {"a link to an empty folder", "mkdir -p \"$0.empty\" && ln -s \"$0.empty\" \"$0\""},
        {"a link to itself", "ln -s \"$0\" \"$0\""},
        {"a FIFO", "mkfifo \"$0\""},
        {"a device-less socket name", ": > \"$0\""},
        {"a folder nobody may search", "mkdir \"$0\" && chmod 000 \"$0\""},
        {"an empty folder", "mkdir \"$0\""},
    };
    for (const Attack& attack : attacks) {
      replace(path, attack.shell);
      expect_refused_in_each_way(path + " is " + attack.name);
      const Ran removed = world_.command(
          {"/bin/sh", "-c", "chmod -R u+rwX \"$0\" 2>/dev/null; rm -rf \"$0\"", path});
      ASSERT_EQ(removed.code, 0) << removed.err;
    }
  }

  BrakeWorld world_;
};

// 32, 33: one copy after the other
TEST_F(BrakeAttack, CopiesAreDeletedOneByOne) {
  stop();
  expect_all_refused("both copies");
  EXPECT_EQ(world_.git({"clean", "-xfdq"}).code, 0);
  ASSERT_FALSE(fs::exists(world_.checkout_copy()));
  expect_all_refused("git clean -xfd");
  stop();
  fs::remove(world_.home_copy());
  expect_all_refused("home copy deleted");
  fs::remove(world_.checkout_copy());
  EXPECT_EQ(world_.check().code, 0) << "nothing is tamper-proof";
}

// 40, 41, 42: a folder or a file of ours is replaced by something else
TEST_F(BrakeAttack, FoldersAndFilesAreReplaced) {
  stop();
  const std::string home_copy = world_.home_copy();
  const std::string whole = read_text(home_copy);
  // The home copy stands: what is done to the checkout's is at most one more reason to refuse.
  for (const std::string& path : {world_.checkout_copy(), world_.repo + "/.robot-council"}) {
    expect_refused_whatever_it_becomes(path);
  }
  // The checkout's stands.
  stop();
  for (const std::string& path : {home_copy, world_.stops(), world_.home + "/.robot-council",
                                  world_.stops() + "/_everywhere.json"}) {
    expect_refused_whatever_it_becomes(path);
  }
  expect_all_refused("only the checkout's copy");
}

// 11, 46: the environment says something else, or nothing
TEST_F(BrakeAttack, TheEnvironmentLies) {
  stop();
  const std::string empty = world_.folder / "empty";
  const std::string nowhere = world_.folder / "nowhere";
  fs::create_directories(empty);
  world_.settle();
  for (const char* home :
       {"", "relative", nowhere.c_str(), "/proc/self/environ", "/dev/null", empty.c_str()}) {
    expect_all_refused(std::string("HOME=") + home, {{"HOME", home}});
  }
  for (const Dialect& dialect : dialects()) {
    const Ran unset = world_.command(
        {"/usr/bin/env", "-u", "HOME", brake_program(), "brake-check", "--client", dialect.id}, {},
        world_.payload());
    expect_refused(unset, dialect, "HOME unset");
    const Ran bare = world_.command(
        {"/usr/bin/env", "-i", brake_program(), "brake-check", "--client", dialect.id}, {},
        world_.payload());
    expect_refused(bare, dialect, "no environment");
  }
  // Names that no check may obey.
  expect_all_refused("switches", {{"ROBOT_COUNCIL_AGENT_COMMIT", "0"},
                                  {"ROBOT_COUNCIL_BRAKE", "off"},
                                  {"XDG_STATE_HOME", nowhere},
                                  {"XDG_CONFIG_HOME", nowhere},
                                  {"XDG_DATA_HOME", nowhere},
                                  {"CLAUDE_PROJECT_DIR", nowhere},
                                  {"TZ", "nowhere/at/all"},
                                  {"LC_ALL", "xx_YY"},
                                  {"TMPDIR", nowhere}});
}

// 54: the first robot-council on PATH says yes to everything
TEST_F(BrakeAttack, HostilePathDoesNotReachTheWiredCommand) {
  stop({"--agent", "grok"});
  const std::string bad = world_.folder / "bad";
  for (const char* name : {"robot-council", "sh", "command", "echo", "exit", "case"}) {
    write_text(bad + "/" + name, "#!/bin/sh\nexit 0\n");
    ASSERT_EQ(::chmod((bad + "/" + name).c_str(), 0755), 0);
  }
  world_.settle();
  for (const std::string& path :
       {bad + ":/usr/bin:/bin", bad, std::string(), std::string("."), std::string("::")}) {
    const Ran ran = world_.command({"/bin/sh", "-c", test::brake_command("grok")}, {{"PATH", path}},
                                   world_.payload());
    EXPECT_EQ(ran.code, 2) << path << ran.err;
    EXPECT_EQ(ran.err.rfind("stopped: stopped by a person", 0), 0U) << path << "\n" << ran.err;
  }
}

// The program goes while it is wired.
TEST_F(BrakeAttack, AProgramThatIsRemovedWhileWiredRefuses) {
  EXPECT_EQ(world_.council({"brake", "wire", "claude_code"}).code, 0);
  const std::string command = test::brake_command("claude_code");
  EXPECT_EQ(world_.command({"/bin/sh", "-c", command}, {}, world_.payload()).code, 0);
  fs::remove(world_.home + "/.local/bin/robot-council");
  const Environment path = {{"PATH", "/usr/bin:/bin"}};
  const Ran gone = world_.command({"/bin/sh", "-c", command}, path, world_.payload());
  EXPECT_EQ(gone.code, 2) << "without a stop too: nothing can tell whether one is on";
  EXPECT_EQ(gone.err, "stopped: robot-council is missing; a person must reinstall it\n");
  EXPECT_EQ(gone.out, "");
}

// 45 with a real pipe: the roots stand behind, and the payload is as large as one may be
TEST_F(BrakeAttack, HugePayloads) {
  stop();
  const std::string other = world_.folder / "other";
  EXPECT_EQ(world_.command({"git", "init", "-q", other}).code, 0);
  constexpr int kMebi = 1024 * 1024;
  const auto feed = [&](int mebibytes, const std::string& tail, const char* client) {
    const std::string head = R"({"hook_event_name":"PreToolUse","tool_input":{"x":")";
    return world_.command({"/bin/sh", "-c",
                           "{ printf '%s' \"$1\"; head -c \"$2\" /dev/zero | tr '\\0' x; printf "
                           "'%s' \"$3\"; } | \"$0\" "
                           "brake-check --client " +
                               std::string(client),
                           brake_program(), head, std::to_string(mebibytes * kMebi), tail},
                          {}, {}, other);
  };
  const std::string here = R"("},"cwd":")" + world_.repo + "\"}";
  const std::string elsewhere = R"("},"cwd":")" + other + "\"}";
  EXPECT_EQ(feed(8, elsewhere, "grok").code, 0) << "read to its end, and not ours";
  EXPECT_EQ(feed(63, here, "devin").code, 2);
  EXPECT_EQ(feed(65, elsewhere, "windsurf").code, 2) << "over the limit nothing is known";
}

// A clock that is wrong moves nothing: neither at the stop nor at the check.
TEST_F(BrakeAttack, TimesAreNotBelieved) {
  for (const char* when : {"1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "", "yesterday"}) {
    const std::string text =
        std::string(R"({"version":1,"scope":"all","reason":"r","who":"","when":")") + when +
        R"(","repo":"x"})";
    write_text(world_.checkout_copy(), text);
    world_.settle();
    expect_refused_in_each_way(std::string("when is ") + when);
  }
}

// 47: memory runs out somewhere in the check. Whatever happens then, the wired command does not say
// yes.
TEST_F(BrakeAttack, WithoutMemoryTheWiredCommandRefuses) {
  stop();
  const std::string command = test::brake_command("claude_code");
  int refused_itself = 0;
  for (int kilobytes = 2000; kilobytes <= 40000; kilobytes += 1900) {
    const Ran ran = world_.command(
        {"/bin/sh", "-c", "ulimit -v " + std::to_string(kilobytes) + " && exec " + command}, {},
        world_.payload());
    EXPECT_NE(ran.code, 0) << kilobytes << " KiB: " << ran.out << ran.err;
    refused_itself += ran.err.rfind("stopped: ", 0) == 0U ? 1 : 0;
  }
  EXPECT_GT(refused_itself, 0);
}

// 47: a disk that hangs. The client gives a hook 5 s and more; the answer is there after 4.
TEST_F(BrakeAttack, AHangingDiskIsRefusedInTime) {
  // One after the other would take minutes: all wait at once.
  std::string line;
  for (const Dialect& dialect : dialects()) {
    const std::string id = dialect.id;
    line +=
        "(strace -f -qq -o /dev/null -P \"$1/_everywhere.json\" -e trace=all -e "
        "inject=all:delay_enter=7000000 \"$0\" "
        "brake-check --client " +
        id + " >\"$2/" + id + ".out\" 2>\"$2/" + id + ".err\" <\"$2/payload\"; echo $? >\"$2/" +
        id + ".code\") & ";
  }
  fs::create_directories(world_.stops());
  const std::string into = world_.folder / "hang";
  write_text(into + "/payload", world_.payload());
  world_.settle();
  base::ChildOptions options;
  options.argv =
      world_.as_user({"/bin/sh", "-c", line + "wait", brake_program(), world_.stops(), into});
  for (const auto& [name, value] : world_.environment()) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = world_.repo;
  const auto began = std::chrono::steady_clock::now();
  base::Result<base::Child> all = base::Child::start(std::move(options));
  ASSERT_TRUE(all.ok());
  // strace itself goes on to the end of the delay; the answers are there before.
  const bool answered = test::wait_until(
      [&into] {
        return std::all_of(dialects().begin(), dialects().end(), [&into](const Dialect& dialect) {
          const std::string text = into + "/" + dialect.id + ".err";
          return fs::exists(text) && fs::file_size(text) > 0;
        });
      },
      base::Milliseconds(10000));
  EXPECT_TRUE(answered);
  EXPECT_GT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3)) << "nothing hung";
  EXPECT_TRUE(all->wait(test::in_time()).ok());
  for (const Dialect& dialect : dialects()) {
    const std::string path = into + "/" + dialect.id;
    Ran one;
    one.code = std::stoi(read_text(path + ".code"));
    one.out = read_text(path + ".out");
    one.err = read_text(path + ".err");
    expect_refused(one, dialect, "a disk that hangs");
    EXPECT_EQ(one.err.rfind("stopped: the stop check could not run; a person must look", 0), 0U)
        << one.err;
  }
}

// 16: each marker, each of the four commands that are a person's
TEST_F(BrakeAttack, NoMarkedProcessLiftsAnything) {
  EXPECT_EQ(world_.council({"brake", "wire", "claude_code"}).code, 0);
  EXPECT_EQ(world_.council({"brake", "git", "install"}).code, 0);
  stop();
  const std::vector<std::pair<std::string, std::string>> markers = {
      {"CLAUDE_CODE_CHILD_SESSION", "1"},
      {"CLAUDECODE", "1"},
      {"CLAUDE_CODE_SESSION_ID", "s"},
      {"CLAUDE_CODE_IS_COWORK", "x"},
      {"CODEX_THREAD_ID", "t"},
      {"CODEX_SANDBOX", "seatbelt"},
      {"CODEX_SANDBOX_NETWORK_DISABLED", "1"},
      {"CODEX_CI", "1"},
      {"CURSOR_AGENT", "1"},
      {"CURSOR_EXTENSION_HOST_ROLE", "agent-exec"},
      {"GEMINI_CLI", "1"},
      {"ANTIGRAVITY_AGENT", "1"},
      {"GROK_AGENT", "1"},
      {"GROK_SESSION_ID", "s"},
      {"COPILOT_CLI", "1"},
      {"COPILOT_AGENT", "1"},
      {"COPILOT_AGENT_SESSION_ID", "s"},
      {"COPILOT_AGENT_JOB_ID", "j"},
      {"GOOSE_TERMINAL", "1"},
      {"AGENT", "goose"},
      {"AGENT_SESSION_ID", "s"},
      {"OPENHANDS_SESSION_ID", "s"},
      {"OPENHANDS_EVENT_TYPE", "e"},
      {"WINDSURF_CASCADE_TERMINAL", "1"},
      {"AI_AGENT", "claude-code_2-1-332_harness"},
      {"AGENT", "amp"},
      {"AGENT", "crush"},
      {"OPENCODE", "1"},
      {"OPENCODE_SESSION_ID", "s"},
      {"QWEN_CODE", "1"},
      {"AUGMENT_AGENT", "1"},
      {"CLINE_ACTIVE", "true"},
      {"AMP_CURRENT_THREAD_ID", "t"},
      {"CRUSH", "1"},
      {"PI_CODING_AGENT", "true"},
      {"KIMI_CODE_CLI", "1"},
      {"ROO_ACTIVE", "true"},
      {"KILOCODE_FEATURE", "cli"},
      {"TRAE_AI_SHELL_ID", "1"},
      {"IFLOW_CLI", "1"}};
  const std::string settings = read_text(world_.home + "/.claude/settings.json");
  const std::string hook = read_text(world_.repo + "/.git/hooks/pre-commit");
  const std::string copy = read_text(world_.checkout_copy());
  for (const auto& [name, value] : markers) {
    const Environment agent = {{name, value}, {"ROBOT_COUNCIL_AGENT_COMMIT", "0"}};
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"stop", "--reason", "other"},
                                               {"resume"},
                                               {"brake", "unwire", "claude_code"},
                                               {"brake", "git", "uninstall"}}) {
      const Ran ran = world_.council(words, agent);
      EXPECT_EQ(ran.code, 1) << name << " " << words.back();
      EXPECT_NE(ran.err.find("only a person may do this (seen: " + name + ")"), std::string::npos)
          << name << " " << words.back() << "\n"
          << ran.err;
    }
  }
  EXPECT_EQ(read_text(world_.home + "/.claude/settings.json"), settings);
  EXPECT_EQ(read_text(world_.repo + "/.git/hooks/pre-commit"), hook);
  EXPECT_EQ(read_text(world_.checkout_copy()), copy);
}

// 58 with real processes
TEST_F(BrakeAttack, TwentyWiresAtOnceLoseNothing) {
  const std::string path = world_.home + "/.claude/settings.json";
  write_text(path, "{\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": []}\n}\n");
  world_.settle();
  std::string line;
  for (int n = 0; n < 20; ++n) {
    line += "\"$0\" brake wire claude_code codex_cli >/dev/null || echo failed & ";
  }
  const Ran ran = world_.command({"/bin/sh", "-c", line + "wait", brake_program()});
  EXPECT_EQ(ran.out, "") << ran.err;
  const std::string text = read_text(path);
  EXPECT_EQ(base::split(text, '\n').size(), 5U) << text;
  EXPECT_NE(text.find("\"model\": \"x\""), std::string::npos);
  EXPECT_EQ(text.find("brake-check"), text.rfind("brake-check")) << text;
  const std::string codex = read_text(world_.home + "/.codex/hooks.json");
  EXPECT_EQ(codex.find("brake-check"), codex.rfind("brake-check")) << codex;
  EXPECT_EQ(world_.council({"brake", "unwire", "claude_code"}).code, 0);
  EXPECT_EQ(read_text(path), "{\n  \"model\": \"x\",\n  \"hooks\": {\"Stop\": []}\n}\n");
}

// 81 with real processes: two logs' worth of lines at the moment of the rotation
TEST_F(BrakeAttack, RefusalsOfManyProcessesAreAllInTheLog) {
  stop();
  const std::string path = world_.home + "/.local/state/robot-council/decisions.jsonl";
  const std::size_t begun = base::split(read_text(path), '\n').size() - 1;
  constexpr std::size_t kLimit = 1048576;
  write_text(path, read_text(path) + std::string(kLimit - 4000, 'x') + "\n");
  world_.settle();
  constexpr int kCallers = 8;
  constexpr int kCalls = 12;
  std::string line;
  for (int n = 0; n < kCallers; ++n) {
    line +=
        "(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do \"$0\" brake-check --client grok <\"$1\" "
        ">/dev/null 2>&1; done) & ";
  }
  write_text(world_.folder / "payload", world_.payload());
  world_.settle();
  EXPECT_EQ(
      world_.command({"/bin/sh", "-c", line + "wait", brake_program(), world_.folder / "payload"})
          .code,
      0);
  std::size_t whole = 0;
  for (const std::string& file :
       {path, world_.home + "/.local/state/robot-council/decisions.1.jsonl"}) {
    for (const std::string& one : base::split(read_text(file), '\n')) {
      if (one.rfind("{\"ts\"", 0) == 0) {
        EXPECT_EQ(one.back(), '}') << one;
        ++whole;
      }
    }
    struct ::stat info {};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0600U);
  }
  EXPECT_EQ(whole, begun + kCallers * kCalls);
}

// 49: checks beside real stops and real resumes
TEST_F(BrakeAttack, FiftyChecksBesideRealStopsAndResumes) {
  write_text(world_.folder / "payload", world_.payload());
  world_.settle();
  std::string line;
  for (int n = 0; n < 5; ++n) {
    line +=
        "(for i in 1 2 3 4 5 6 7 8 9 10; do \"$0\" brake-check --client grok <\"$1\" 2>&1; done) "
        "& ";
  }
  base::ChildOptions options;
  options.argv =
      world_.as_user({"/bin/sh", "-c", line + "wait", brake_program(), world_.folder / "payload"});
  for (const auto& [name, value] : world_.environment()) {
    options.environment.push_back(name + "=" + value);
  }
  options.directory = world_.repo;
  options.standard_out = base::Stdio::pipe;
  base::Result<base::Child> checks = base::Child::start(std::move(options));
  ASSERT_TRUE(checks.ok());
  for (int round = 0; round < 4; ++round) {
    stop({"--reason", "round " + std::to_string(round)});
    Pty terminal(world_.as_user({brake_program(), "resume"}), world_.environment(), world_.repo);
    ASSERT_TRUE(terminal.expect("to lift it")) << terminal.screen();
    terminal.type("shop\n");
    EXPECT_EQ(terminal.finish(), 0) << terminal.screen();
  }
  const base::Result<std::string> said = base::read_all(
      checks->standard_out.get(), 1U << 20U, base::deadline_in(base::Milliseconds(60000)));
  ASSERT_TRUE(said.ok());
  EXPECT_EQ(said.value().find("could not"), std::string::npos) << said.value();
  EXPECT_EQ(checks->wait(test::in_time())->code, 0);
}

// resume leaves nothing of ours in the checkout, and takes nothing of others
TEST_F(BrakeAttack, ResumeTakesTheEmptyFolderAway) {
  const auto lift = [this] {
    Pty terminal(world_.as_user({brake_program(), "resume"}), world_.environment(), world_.repo);
    EXPECT_TRUE(terminal.expect("to lift it")) << terminal.screen();
    terminal.type("shop\n");
    EXPECT_EQ(terminal.finish(), 0) << terminal.screen();
  };
  stop();
  ASSERT_TRUE(fs::exists(world_.repo + "/.robot-council"));
  lift();
  EXPECT_FALSE(fs::exists(world_.repo + "/.robot-council"));
  write_text(world_.repo + "/.robot-council/agent-env", "MY_AGENT\n");
  world_.settle();
  stop();
  lift();
  EXPECT_TRUE(fs::exists(world_.repo + "/.robot-council/agent-env"));
  EXPECT_FALSE(fs::exists(world_.checkout_copy()));
}

}  // namespace
}  // namespace robot_council
