#include "stop-hook/script.hpp"

#include <sys/stat.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stop_hook {
namespace {

using Values = std::map<std::string, std::string>;

std::string script_path() {
  return test::source_file("resources/stop-hook/robot-council-stop-hook");
}

// A program in the place of robot-council that tells how it was called and what it got.
class StubProgram {
 public:
  explicit StubProgram(const std::string& ending = "exit 0",
                       const std::string& name = "robot-council") {
    path_ = folder_ / ("bin/" + name);
    test::write_text(
        path_,
        "#!/bin/sh\n"
        "for word in \"$@\"; do printf '<%s>' \"$word\"; done\n"
        "printf ' service=%s harness=%s project=%s rounds=%s midturn=%s state=%s\\n' "
        "\"$ROBOT_COUNCIL_SERVICE\" \"$ROBOT_COUNCIL_HARNESS\" \"$ROBOT_COUNCIL_PROJECT\" "
        "\"$ROBOT_COUNCIL_ROUNDS\" \"$ROBOT_COUNCIL_MIDTURN\" \"${XDG_STATE_HOME-unset}\"\n"
        "cat\n" +
            ending + "\n");
    EXPECT_TRUE(base::set_mode(path_, 0755).ok());
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string folder() const { return base::parent_path(path_); }

 private:
  test::TempDir folder_;
  std::string path_;
};

class Shells : public testing::TestWithParam<std::vector<std::string>> {
 protected:
  [[nodiscard]] test::Ran run(const std::string& path, const Values& environment,
                              std::string_view input = "payload",
                              const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> argv = GetParam();
    argv.push_back(path);
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return test::run(argv, environment, input);
  }
  // The script with values, as setup writes it.
  std::string filled(const ScriptValues& values) {
    const base::Result<std::string> text = fill_script(test::read_text(script_path()), values);
    EXPECT_TRUE(text.ok());
    const std::string path = folder_ / "robot-council-stop-hook";
    test::write_text(path, *text);
    return path;
  }
  test::TempDir folder_;
};

INSTANTIATE_TEST_SUITE_P(Posix, Shells,
                         testing::Values(std::vector<std::string>{"/usr/bin/dash"},
                                         std::vector<std::string>{"/usr/bin/busybox", "sh"},
                                         std::vector<std::string>{"/bin/bash"},
                                         std::vector<std::string>{"/bin/bash", "--posix"}),
                         [](const auto& shell) {
                           std::string name = base::base_name(shell.param.front());
                           return shell.param.size() > 1 ? name + "_" + std::to_string(shell.index)
                                                         : name;
                         });

TEST_P(Shells, ParsesAndHasModeForExecution) {  // 123
  std::vector<std::string> argv = GetParam();
  argv.insert(argv.end(), {"-n", script_path()});
  const test::Ran ran = test::run(argv, {});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(base::file_info(script_path(), base::Links::dont)->mode & 0111U, 0111U);
}

TEST_P(Shells, CallsPendingHookWithTheValues) {
  const StubProgram program;
  const test::Ran ran = run(script_path(), {{"ROBOT_COUNCIL_BIN", program.path()},
                                            {"ROBOT_COUNCIL_SERVICE", "https://f"},
                                            {"ROBOT_COUNCIL_HARNESS", "claude"},
                                            {"XDG_STATE_HOME", "/s"}});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out,
            "<pending><--hook> service=https://f harness=claude project= rounds= midturn= "
            "state=/s\npayload");
  EXPECT_EQ(ran.err, "");
}

TEST_P(Shells, OwnValuesBeatTheEnvironment) {  // 130
  const StubProgram program("exit 0", "robot council's");
  ScriptValues values;
  values.service = "https://fleet.example.test/it's \"a\" $HOME `x` \\";
  values.harness = "codex";
  values.program = program.path();
  values.project = "org/re po's";
  values.rounds = "3";
  values.midturn = "all";
  const test::Ran ran = run(filled(values), {{"ROBOT_COUNCIL_BIN", "/bin/false"},
                                             {"ROBOT_COUNCIL_SERVICE", "https://other"},
                                             {"ROBOT_COUNCIL_HARNESS", "claude"},
                                             {"ROBOT_COUNCIL_PROJECT", "other/one"},
                                             {"ROBOT_COUNCIL_ROUNDS", "1"}});
  EXPECT_EQ(ran.out,
            "<pending><--hook><--project=org/re po's> service=" + values.service +
                " harness=codex project=org/re po's rounds=3 midturn=all state=unset\npayload");
}

TEST_P(Shells, InheritedProjectIsUsed) {  // 131
  const StubProgram program;
  const test::Ran ran = run(script_path(), {{"ROBOT_COUNCIL_BIN", program.path()},
                                            {"ROBOT_COUNCIL_PROJECT", "org/repo"}});
  EXPECT_TRUE(ran.out.starts_with("<pending><--hook><--project=org/repo> ")) << ran.out;
  const test::Ran empty =
      run(script_path(), {{"ROBOT_COUNCIL_BIN", program.path()}, {"ROBOT_COUNCIL_PROJECT", ""}});
  EXPECT_TRUE(empty.out.starts_with("<pending><--hook> ")) << empty.out;
}

TEST_P(Shells, FindsTheProgramWithoutAPath) {  // 126
  const StubProgram program;
  EXPECT_TRUE(run(script_path(), {{"PATH", "/nonexistent"}, {"ROBOT_COUNCIL_BIN", program.path()}})
                  .out.starts_with("<pending>"));
  EXPECT_TRUE(
      run(script_path(), {{"PATH", program.folder() + ":/bin"}}).out.starts_with("<pending>"));
  const test::TempDir home;
  test::write_text(home / ".local/bin/robot-council", test::read_text(program.path()));
  ASSERT_TRUE(base::set_mode(home / ".local/bin/robot-council", 0755).ok());
  EXPECT_TRUE(run(script_path(), {{"PATH", "/nonexistent"}, {"HOME", home.path()}})
                  .out.starts_with("<pending>"));
}

TEST_P(Shells, NoProgramIsSaidAndStdinIsNotRead) {  // 126, 127
  for (const Values& environment :
       {Values{{"PATH", "/nonexistent"}},
        Values{{"PATH", "/nonexistent"}, {"ROBOT_COUNCIL_BIN", "/nonexistent/x"}},
        Values{
            {"PATH", "/nonexistent"}, {"ROBOT_COUNCIL_BIN", "/tmp"}, {"HOME", "/nonexistent"}}}) {
    const test::Ran ran = run(script_path(), environment);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err,
              "robot-council: the stop hook did not find the robot-council program; nothing was "
              "handed over.\n");
  }
}

TEST_P(Shells, RelativeProgramIsNotTaken) {
  const test::Ran ran =
      run(script_path(), {{"PATH", "/nonexistent"}, {"ROBOT_COUNCIL_BIN", "bin/true"}});
  EXPECT_NE(ran.err.find("did not find"), std::string::npos);
}

TEST_P(Shells, AnyStatusOfTheProgramBecomesZero) {  // 128
  for (const char* ending : {"exit 1", "exit 2", "exit 3", "exit 10", "kill -9 $$", "exit 126"}) {
    const StubProgram program(std::string("echo words >&2; ") + ending);
    const test::Ran ran = run(script_path(), {{"ROBOT_COUNCIL_BIN", program.path()}});
    EXPECT_EQ(ran.code, 0) << ending;
    EXPECT_TRUE(ran.err.starts_with("words\n")) << ran.err;
  }
}

TEST_P(Shells, WaitExitsTwoOnlyForTen) {  // wake 10
  for (const auto& [ending, code] : std::map<std::string, int>{{"exit 10", 2},
                                                               {"exit 0", 0},
                                                               {"exit 1", 0},
                                                               {"exit 2", 0},
                                                               {"exit 3", 0},
                                                               {"kill -9 $$", 0}}) {
    const StubProgram program(ending);
    const test::Ran ran = run(
        script_path(), {{"ROBOT_COUNCIL_BIN", program.path()}, {"ROBOT_COUNCIL_PROJECT", "o/r"}},
        "payload", {"--wait"});
    EXPECT_EQ(ran.code, code) << ending;
    EXPECT_TRUE(ran.out.starts_with("<wait><--hook><--project=o/r> ")) << ran.out;
  }
}

TEST_P(Shells, CodexTakesTheServersStateFolder) {  // 167
  const StubProgram program;
  ScriptValues values;
  values.harness = "codex";
  values.program = program.path();
  values.state_home = "/of/the server";
  for (const Values& shell :
       {Values{}, Values{{"XDG_STATE_HOME", "/other"}}, Values{{"XDG_STATE_HOME", ""}}}) {
    EXPECT_NE(run(filled(values), shell).out.find("state=/of/the server\n"), std::string::npos);
  }
  values.state_home = "";
  for (const Values& shell : {Values{}, Values{{"XDG_STATE_HOME", "/other"}}}) {
    EXPECT_NE(run(filled(values), shell).out.find("state=unset\n"), std::string::npos);
  }
  EXPECT_NE(
      run(filled(values), {{"ROBOT_COUNCIL_PROOF_STATE", "/proof"}}).out.find("state=/proof\n"),
      std::string::npos);
}

TEST_P(Shells, OtherHarnessesKeepTheStateFolder) {
  const StubProgram program;
  ScriptValues values;
  values.harness = "claude";
  values.program = program.path();
  const Values shell = {{"XDG_STATE_HOME", "/mine"},
                        {"ROBOT_COUNCIL_PROOF_STATE", "/proof"},
                        {"state_home_of_server", "/x"}};
  EXPECT_NE(run(filled(values), shell).out.find("state=/mine\n"), std::string::npos);
}

TEST(Script, ShellcheckFindsNothing) {
  const test::Ran ran = test::run({"/usr/bin/shellcheck", "-s", "sh", script_path()}, {});
  EXPECT_EQ(ran.code, 0) << ran.out;
}

TEST(Script, ValuesRoundTrip) {
  const std::string script = test::read_text(script_path());
  const base::Result<ScriptValues> bare = read_script(script);
  ASSERT_TRUE(bare.ok());
  EXPECT_EQ(*bare, ScriptValues{});
  ScriptValues values;
  values.version = "v1.2.3";
  values.service = "https://f/it's";
  values.harness = "codex";
  values.program = "/opt/a b/robot-council";
  values.state_home = "";
  const base::Result<std::string> once = fill_script(script, values);
  ASSERT_TRUE(once.ok());
  EXPECT_EQ(*read_script(*once), values);
  const base::Result<std::string> twice = fill_script(*once, values);
  EXPECT_EQ(*twice, *once);
  EXPECT_EQ(*fill_script(*once, ScriptValues{}), script);
}

TEST(Script, AValueOfTwoLinesIsRefused) {
  ScriptValues values;
  values.service = "https://f\nrm -rf x";
  EXPECT_FALSE(fill_script(test::read_text(script_path()), values).ok());
  values.service.clear();
  values.state_home = "a\rb";
  EXPECT_FALSE(fill_script(test::read_text(script_path()), values).ok());
}

TEST(Script, AScriptWithoutMarksIsNotOurs) {
  EXPECT_FALSE(read_script("#!/bin/sh\n").ok());
  EXPECT_FALSE(fill_script("#!/bin/sh\n", ScriptValues{}).ok());
}

TEST(Script, ValuesOfAPersonsHandAreRead) {
  const base::Result<ScriptValues> read = read_script(
      "# >>> robot-council values\nROBOT_COUNCIL_SERVICE=https://f # "
      "mine\nROBOT_COUNCIL_HARNESS=\"claude\"\n"
      "ROBOT_COUNCIL_BIN=$HOME/x\nROBOT_COUNCIL_PROJECT=a\\ b\n# <<< robot-council values\n");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->service, "https://f");
  EXPECT_EQ(read->harness, "claude");
  EXPECT_EQ(read->program, "");
  EXPECT_EQ(read->project, "a b");
}

}  // namespace
}  // namespace robot_council::stop_hook
