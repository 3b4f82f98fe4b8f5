#include "tests/e2e/setup_fixture.hpp"

// `setup --local`, `unsetup --local` and `--forget` (account contract, 7; 88, 90). The address of
// the local service is fixed, so everything runs in a network of its own, with a systemctl that
// does what systemd would with the unit that setup wrote.
namespace robot_council::test {

class SetupLocal : public Setup {
 protected:
  void SetUp() override {
    Setup::SetUp();
    for (const std::string flags : {"-n", "-rn"}) {
      if (run({"unshare", flags, "sh", "-c", "ip link set lo up"}, environment_).code == 0) {
        flags_ = flags;
        return;
      }
    }
    GTEST_SKIP() << "no network namespace can be made here";
  }

  void install_systemctl() {
    write_text(dir_ / "bin/systemctl", R"sh(#!/bin/sh
echo "$*" >>"$HOME/../systemctl.log"
pid=$HOME/../unit.pid
[ "$1 $2" = '--user --no-ask-password' ] || exit 9
unit=$HOME/.config/systemd/user/robot-council.service
case $3 in
  restart)
    [ ! -e "$HOME/../broken" ] || exit 0
    eval "setsid $(sed -n 's/^ExecStart=//p' "$unit") >/dev/null 2>&1 &"
    echo $! >"$pid" ;;
  disable) [ ! -e "$pid" ] || kill "$(cat "$pid")"; rm -f "$pid" ;;
esac
)sh");
    ASSERT_EQ(::chmod((dir_ / "bin/systemctl").c_str(), 0755), 0);
  }

  // Runs the lines in one network; "rc WORDS" keeps stdout, stderr and code in <n>.out, .err,
  // .code.
  void together(const std::string& lines) {
    write_text(dir_ / "lines",
               "ip link set lo up\nn=0\nrc() { n=$((n+1)); robot-council \"$@\" >../$n.out "
               "2>../$n.err; echo $? >../$n.code; }\n" +
                   lines);
    const Ran ran = run({"unshare", flags_, "sh", dir_ / "lines"}, environment_, {}, dir_ / "work",
                        base::Milliseconds(60000));
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
  std::string out(int n) { return read_text(dir_ / std::to_string(n) + ".out"); }
  std::string err(int n) { return read_text(dir_ / std::to_string(n) + ".err"); }
  int code(int n) { return std::stoi(read_text(dir_ / std::to_string(n) + ".code")); }

  std::string unit_ = home_ + "/.config/systemd/user/robot-council.service";
  std::string flags_;
};

TEST_F(SetupLocal, TheUnitIsStartedUsedAndTakenOut) {
  install_systemctl();
  together(
      "rc setup gemini --local --dry-run\n"
      "[ ! -e ~/.config/systemd ] || exit 1\n"
      "rc setup gemini --local --yes\n"
      "cp ~/.config/systemd/user/robot-council.service ../unit\n"
      "rc setup gemini --local --yes\n"
      "rc setup copilot --local --yes\n"
      "rc unsetup gemini --local --forget --yes\n"
      "rc unsetup copilot --yes --forget\n");
  EXPECT_EQ(code(1), 0) << err(1);
  EXPECT_NE(out(1).find("+++ " + unit_), std::string::npos) << out(1);
  EXPECT_EQ(code(2), 0) << out(2) << err(2);
  EXPECT_EQ(out(2).find("changed  service: http://127.0.0.1:8787, started by " + unit_), 0U)
      << out(2);
  EXPECT_NE(out(2).find("changed  enrolment: enrolled"), std::string::npos) << out(2);
  EXPECT_EQ(out(2).find("Your code is"), std::string::npos) << out(2);
  const std::string unit = read_text(dir_ / "unit");
  EXPECT_NE(unit.find("ExecStart=\"" + dir_ / "bin/robot-council" +
                      "\" serve --listen 127.0.0.1:8787 --data \"" + home_ +
                      "/.local/share/robot-council/fleet\"\n"),
            std::string::npos)
      << unit;
  EXPECT_EQ(code(3), 0) << out(3) << err(3);
  EXPECT_NE(out(3).find("ok  service: http://127.0.0.1:8787\n"), std::string::npos) << out(3);
  EXPECT_NE(out(3).find("Nothing changed.\n"), std::string::npos) << out(3);
  EXPECT_EQ(code(4), 0) << out(4) << err(4);
  // 90: one credential goes, the other stays.
  EXPECT_EQ(code(5), 0) << out(5) << err(5);
  EXPECT_NE(out(5).find("changed  service: " + unit_), std::string::npos) << out(5);
  EXPECT_NE(out(5).find("changed  credential: that of gemini at http://127.0.0.1:8787 is removed"),
            std::string::npos)
      << out(5);
  EXPECT_FALSE(base::exists(unit_));
  EXPECT_FALSE(base::exists(dir_ / "unit.pid"));
  EXPECT_EQ(code(6), 0) << out(6) << err(6);
  EXPECT_FALSE(base::exists(home_ + "/.config/robot-council/credentials.json"));
  const std::string calls = read_text(dir_ / "systemctl.log");
  EXPECT_NE(calls.find("enable robot-council.service\n"), std::string::npos) << calls;
  EXPECT_NE(calls.find("disable --now robot-council.service\n"), std::string::npos) << calls;
}

// 88.
TEST_F(SetupLocal, AnotherProgramAtTheAddressOrNoSystemd) {
  together(
      "rc setup goose --local --yes\n"
      "python3 -m http.server --bind 127.0.0.1 8787 >/dev/null 2>&1 & server=$!\n"
      "while ! python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 8787))' "
      "2>/dev/null; do :; done\n"
      "rc setup goose --local --yes\n"
      "kill $server\n"
      "rc setup goose --local --yes --service https://other.example\n");
  EXPECT_EQ(code(1), 1) << out(1);
  EXPECT_EQ(out(1).find("by hand  service: run robot-council serve"), 0U) << out(1);
  EXPECT_NE(out(1).find("failed  enrolment: no service answers"), std::string::npos) << out(1);
  EXPECT_EQ(code(2), 1) << out(2);
  EXPECT_EQ(out(2).find("failed  service: another program answers at http://127.0.0.1:8787"), 0U)
      << out(2);
  EXPECT_NE(out(2).find("skipped  enrolment: "), std::string::npos) << out(2);
  EXPECT_EQ(code(3), 2) << out(3);
  EXPECT_FALSE(base::exists(home_ + "/.agents"));
}

// A unit that does not answer is taken out again; one of somebody else is not touched.
TEST_F(SetupLocal, AUnitThatDoesNotStartLeavesNothing) {
  install_systemctl();
  write_text(dir_ / "broken", "");
  together(
      "rc setup goose --local --yes\n"
      "[ ! -e ~/.config/systemd/user/robot-council.service ] || exit 1\n"
      "echo '[Unit]' >~/.config/systemd/user/robot-council.service\n"
      "rc setup goose --local --yes\n"
      "rc unsetup goose --local --yes\n");
  EXPECT_EQ(code(1), 1) << out(1);
  EXPECT_EQ(out(1).find("failed  service: it was started and did not answer"), 0U) << out(1);
  EXPECT_EQ(code(2), 1);
  EXPECT_NE(out(2).find("is a unit that setup did not write"), std::string::npos) << out(2);
  EXPECT_EQ(code(3), 0) << out(3) << err(3);
  EXPECT_EQ(read_text(unit_), "[Unit]\n");
}

TEST_F(Setup, ForgetRemovesOneCredentialOnly) {
  start_service();
  ASSERT_EQ(setup("goose").code, 0);
  ASSERT_EQ(setup("cursor").code, 0);
  const Ran dry = council({"unsetup", "goose", "--forget", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.err.find("changed  credential: would remove that of goose"), std::string::npos)
      << dry.err;
  const std::string path = home_ + "/.config/robot-council/credentials.json";
  EXPECT_NE(read_text(path).find("|goose"), std::string::npos);
  const Ran ran = council({"unsetup", "goose", "--forget", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(read_text(path).find("|goose"), std::string::npos);
  EXPECT_NE(read_text(path).find("|cursor"), std::string::npos);
  const std::string records = read_text(home_ + "/.config/robot-council/enrolments.json");
  EXPECT_EQ(records.find("|goose"), std::string::npos) << records;
  EXPECT_NE(records.find("|cursor"), std::string::npos) << records;
  // Nothing tells the fleet any more.
  const Ran again = council({"unsetup", "goose", "--forget", "--yes"});
  EXPECT_EQ(again.code, 1) << again.out;
  EXPECT_NE(again.out.find("set ROBOT_COUNCIL_SERVICE"), std::string::npos) << again.out;
  environment_["ROBOT_COUNCIL_SERVICE"] = service_;
  const Ran none = council({"unsetup", "goose", "--forget", "--yes"});
  EXPECT_EQ(none.code, 0) << none.out << none.err;
  EXPECT_NE(none.out.find("none of goose at " + service_ + " is stored"), std::string::npos)
      << none.out;
}

}  // namespace robot_council::test
