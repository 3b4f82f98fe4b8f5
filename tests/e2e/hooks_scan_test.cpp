// `robot-council hooks scan` as a person calls it.

#include <string>

#include <gtest/gtest.h>

#include "tests/lib/support.hpp"

namespace robot_council {
namespace {

using test::program;
using test::run;
using test::TempDir;
using test::write_text;

TEST(HooksScan, SaysWhichHookRunsAndWhatVoidsAFile) {
  const TempDir home;
  const std::string script = home / "robot-council-stop-hook";
  write_text(script, "#!/bin/sh\nexit 0\n");
  ASSERT_EQ(run({"/bin/chmod", "755", script}, {}).code, 0);
  const std::string settings = home / ".claude/settings.json";
  write_text(settings, R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":")" + script +
                           R"(","timeout":20}]}]}})");
  // The script must find the program, or its hook would hand nothing over.
  const std::string path =
      test::program("").substr(0, test::program("").size() - 1) + ":/usr/bin:/bin";
  const auto good = run({program("robot-council"), "hooks", "scan", "--harness=claude"},
                        {{"HOME", home.path()}, {"PATH", path}}, {}, home.path());
  EXPECT_NE(good.out.find("claude: runs\n"), std::string::npos) << good.out << good.err;
  EXPECT_EQ(good.code, 0);
  write_text(settings, "{\n  // a comment\n  \"hooks\": {}\n}\n");
  const auto broken = run({program("robot-council"), "hooks", "scan", "--harness=claude"},
                          {{"HOME", home.path()}, {"PATH", path}}, {}, home.path());
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.out.find("error " + settings + ":2 syntax: "), std::string::npos) << broken.out;
  const auto json = run({program("robot-council"), "hooks", "scan", "--json"},
                        {{"HOME", home.path()}, {"PATH", path}}, {}, home.path());
  EXPECT_NE(json.out.find(R"("rule":"syntax")"), std::string::npos) << json.out;
}

}  // namespace
}  // namespace robot_council
