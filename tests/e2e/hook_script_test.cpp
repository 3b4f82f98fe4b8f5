// The stop-hook script with the real executable. Numbers: acceptance of the delivery contract.

#include <string>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/e2e/hook_fixture.hpp"

namespace robot_council::test {
namespace {

std::string script_path() {
  return source_file("resources/stop-hook/robot-council-stop-hook");
}

// The script with lines for values, as setup writes them.
std::string filled_script(const HookSeat& seat, const std::string& lines) {
  std::string text = read_text(script_path());
  const std::string mark = "# <<< robot-council values\n";
  text.insert(text.find(mark), lines);
  const std::string path = seat.home() + "/filled";
  write_text(path, text);
  EXPECT_TRUE(base::set_mode(path, 0755).ok());
  return path;
}

TEST(HookScript, SameBytesAsTheProgram) {  // 124
  for (const char* name :
       {"claude-2.1.332-stop.json", "codex-0.171.0-stop.json", "gemini-0.61.0-after-agent.json",
        "copilot-1.0.102-agent-stop.json", "goose-1.54-stop.json", "cursor-3.17-stop-bom.json"}) {
    const std::string file(name);
    const std::string harness = file.substr(0, file.find('-'));
    HookSeat by_program(harness);
    HookSeat by_script(harness);
    by_program.store_directive("same \xF0\x9F\x98\x80 bytes");
    by_script.store_directive("same \xF0\x9F\x98\x80 bytes");
    const Ran expected = by_program.hook(payload_fixture(name));
    const Ran ran = by_script.script(payload_fixture(name));
    EXPECT_NE(expected.out, "");
    EXPECT_EQ(ran.out, expected.out);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.err, "");
  }
}

TEST(HookScript, ContinuationAndQuietAreEmpty) {  // 125
  const HookSeat seat;
  EXPECT_EQ(seat.script(claude_stop({{"stop_hook_active", "true"}})).out, "");
  EXPECT_EQ(seat.script(claude_stop()).out, "");
}

TEST(HookScript, NoPathWithTheProgramsPath) {  // 126
  HookSeat seat;
  const std::string line = seat.store_directive();
  EXPECT_EQ(seat.script(claude_stop(), {{"PATH", "/nonexistent"}}).out, block_answer({line}));
  const Ran lost =
      seat.script(claude_stop(), {{"PATH", "/nonexistent"}, {"ROBOT_COUNCIL_BIN", ""}});
  EXPECT_EQ(lost.code, 0);
  EXPECT_EQ(lost.out, "");
  EXPECT_EQ(lost.err,
            "robot-council: the stop hook did not find the robot-council program; nothing was "
            "handed over.\n");
}

TEST(HookScript, NoProgramWithStdinOpenDoesNotHang) {  // 127
  const HookSeat seat;
  base::Child child = seat.start({script_path()}, {{"PATH", "/nonexistent"}});
  const base::Result<base::ExitStatus> ended = child.wait(test::in_time());
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->code, 0);
}

TEST(HookScript, StderrOfTheProgramIsPassedOn) {  // 128
  const HookSeat seat;
  const Ran ran = seat.script("words");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(ran.err.starts_with("robot-council: the hook payload could not be read")) << ran.err;
}

TEST(HookScript, InheritedProjectChoosesTheSeat) {  // 131
  HookSeat seat("claude", "org/repo");
  const std::string line = seat.store_directive();
  EXPECT_EQ(seat.script(claude_stop()).out, "");
  EXPECT_EQ(seat.script(claude_stop(), {{"ROBOT_COUNCIL_PROJECT", "org/repo"}}).out,
            block_answer({line}));
}

TEST(HookScript, OwnValuesBeatTheEnvironment) {  // 130
  HookSeat seat("claude", "org/re po's");
  const std::string line = seat.store_directive();
  const std::string script =
      filled_script(seat,
                    "ROBOT_COUNCIL_SERVICE='https://"
                    "fleet.example.test'\nROBOT_COUNCIL_HARNESS='claude'\nROBOT_COUNCIL_BIN='" +
                        program("robot-council") + "'\nROBOT_COUNCIL_PROJECT='org/re po'\\''s'\n");
  const Values outer = seat.environment({{"ROBOT_COUNCIL_SERVICE", "https://other.test"},
                                         {"ROBOT_COUNCIL_HARNESS", "codex"},
                                         {"ROBOT_COUNCIL_PROJECT", "other/one"},
                                         {"ROBOT_COUNCIL_BIN", "/bin/false"}});
  EXPECT_EQ(run({script}, outer, claude_stop(), seat.folder()).out, block_answer({line}));
}

TEST(HookScript, CodexScriptFindsTheBridgesSink) {  // 167
  HookSeat seat("codex");
  const std::string payload = payload_fixture("codex-0.171.0-stop.json");
  const std::string script =
      filled_script(seat, "ROBOT_COUNCIL_BIN='" + program("robot-council") +
                              "'\nstate_home_of_server='" + seat.home() + "/state'\n");
  const char* const unset_variable = nullptr;
  for (const char* shell : {"/elsewhere", "", unset_variable}) {
    const std::string line = seat.store_directive(shell == nullptr ? "unset" : shell);
    Values environment = seat.environment();
    environment.erase("XDG_STATE_HOME");
    if (shell != nullptr) {
      environment["XDG_STATE_HOME"] = shell;
    }
    const std::string turn =
        "\"turn_id\":\"" + std::to_string(seat.rows().size()) + line.substr(12, 3) + "\"";
    const Ran ran =
        run({script}, environment,
            "{\"hook_event_name\":\"Stop\",\"session_id\":\"x\"," + turn + "}", seat.folder());
    EXPECT_NE(ran.out.find(line), std::string::npos) << ran.out << ran.err;
  }
  // A server entry without the variable: the sink is below HOME, whatever the shell says.
  const std::string unset = filled_script(
      seat, "ROBOT_COUNCIL_BIN='" + program("robot-council") + "'\nstate_home_of_server=''\n");
  seat.store_directive("below HOME");
  ASSERT_TRUE(base::make_private_directory(seat.home() + "/.local/state").ok());
  ASSERT_TRUE(base::rename_file(seat.home() + "/state/robot-council",
                                seat.home() + "/.local/state/robot-council")
                  .ok());
  EXPECT_NE(
      run({unset}, seat.environment({{"XDG_STATE_HOME", "/elsewhere"}}), payload, seat.folder())
          .out,
      "");
}

TEST(HookScript, EarlierScriptKeepsWorking) {  // 132
  HookSeat seat;
  const std::string line = seat.store_directive();
  // The calls of the earlier program's bash script.
  const std::string earlier = seat.home() + "/earlier";
  write_text(earlier,
             "#!/bin/bash\npayload=$(cat)\n"
             "if answer=$(robot-council pending --format=block \"--project=\" 2>/dev/null); then "
             "printf '%s' \"$answer\"\n"
             "elif [ $? -eq 3 ]; then printf '{\"decision\":\"block\",\"reason\":\"unreadable\"}'; "
             "fi\nexit 0\n");
  ASSERT_TRUE(base::set_mode(earlier, 0755).ok());
  const Values environment =
      seat.environment({{"PATH", base::parent_path(program("robot-council")) + ":/usr/bin:/bin"}});
  EXPECT_EQ(run({earlier}, environment, claude_stop(), seat.folder()).out, block_answer({line}));
  write_text(seat.files().database(), "this is a text file, and no database at all");
  EXPECT_EQ(run({earlier}, environment, claude_stop(), seat.folder()).out,
            R"({"decision":"block","reason":"unreadable"})");
}

}  // namespace
}  // namespace robot_council::test
