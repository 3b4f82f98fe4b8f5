#include "wiring/online/doctor_stops.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/lib/support.hpp"
#include "wiring/online/doctor_seat.hpp"

namespace robot_council::wiring::online {
namespace {

class DoctorStops : public ::testing::Test {
 protected:
  DoctorStops() {
    seat_.harness = "claude";
    seat_.folder = home_ / "repo";
    environment_.set("HOME", home_.path());
    test::write_text(seat_.folder + "/.git/HEAD", "ref: refs/heads/main\n");
  }
  [[nodiscard]] std::string told() {
    const base::Context context{clock_, environment_, log_};
    const Check check = check_stops(
        {context, seat_, "/bin/robot-council", base::deadline_in(base::Milliseconds(30000))});
    EXPECT_EQ(check.id, "stops");
    EXPECT_EQ(check.remedy.empty(), check.state == CheckState::ok);
    return std::string(to_text(check.state)) + ": " + check.text;
  }
  void policy(const std::string& judge) {
    test::write_text(
        home_ / ".robot-council/stop.yaml",
        base::replace_all(test::read_text(test::source_file("resources/policy/stop.yaml")),
                          "judge: local", "judge: " + judge));
  }

  test::TempDir home_;
  base::SystemClock clock_;
  base::MapEnvironment environment_;
  base::MemoryLog log_;
  DoctorSeat seat_;
};

TEST_F(DoctorStops, SaysWhichPolicyCountsAndWhereTheTextGoes) {
  EXPECT_EQ(told(), "ok: off: there is no stop policy");
  policy("local");
  const std::string path = home_ / ".robot-council/stop.yaml";
  EXPECT_EQ(told(), "ok: " + path + ", judge local, sends nothing");
  policy("openai");
  EXPECT_EQ(told().substr(0, 8), "warning:");
  environment_.set("ROBOT_COUNCIL_STOP_OPENAI_URL", "https://models.example.org/x");
  environment_.set("ROBOT_COUNCIL_STOP_OPENAI_MODEL", "m");
  environment_.set("ROBOT_COUNCIL_STOP_OPENAI_KEY", "planted-key");
  EXPECT_EQ(told(), "ok: " + path + ", judge openai, sends to models.example.org");
  policy("gpt");
  EXPECT_NE(told().find("is broken: line"), std::string::npos);
  test::write_text(seat_.folder + "/.robot-council.stop.yaml", "version: 1\nenabled: false\n");
  EXPECT_EQ(told(), "ok: off: " + seat_.folder + "/.robot-council.stop.yaml says enabled: false");
}

TEST_F(DoctorStops, SaysAllThatHasNoEffectAlsoBesideAJudgeThatCannotBeAsked) {
  policy("local\nurl: https://models.example.org\nkey: x");
  const std::string path = home_ / ".robot-council/stop.yaml";
  const std::string warnings =
      "; line 8: \"url\" is no setting of a stop policy; it has no effect"
      "; line 9: \"key\" is no setting of a stop policy; it has no effect";
  EXPECT_EQ(told(), "warning: " + path + ", judge local, sends nothing" + warnings);
  environment_.set("ROBOT_COUNCIL_STOP_JUDGE", "anthropic");
  const std::string unusable = told();
  EXPECT_EQ(unusable.rfind("warning: " + path + ", judge anthropic: ", 0), 0U) << unusable;
  EXPECT_NE(unusable.find(warnings), std::string::npos) << unusable;
  environment_.set("ROBOT_COUNCIL_STOP_JUDGE", "gpt");
  const std::string unknown = told();
  EXPECT_EQ(unknown.rfind("warning: " + path + ": ROBOT_COUNCIL_STOP_JUDGE names no judge", 0), 0U)
      << unknown;
  EXPECT_NE(unknown.find(warnings), std::string::npos) << unknown;
  test::write_text(path, "version: 1\nenabled: false\nurl: x\n");
  EXPECT_EQ(told(), "warning: off: " + path +
                        " says enabled: false; line 3: \"url\" is no setting of a stop policy; it "
                        "has no effect");
}

}  // namespace
}  // namespace robot_council::wiring::online
