#include "account/identity.hpp"

#include <gtest/gtest.h>

#include "base/environment.hpp"

namespace robot_council::account {

// Account contract, 12.
TEST(Label, KeepsWhatTheServiceTakes) {
  EXPECT_EQ(machine_label("Josh laptop!!.local", {}), "Joshlaptop");
  EXPECT_EQ(machine_label("Workbench_01.local2", {}), "Workbench_01.local2");
  EXPECT_EQ(machine_label("!!!", {}), "unknown-machine");
  EXPECT_EQ(machine_label(std::string(100, 'a'), {}), std::string(64, 'a'));
  EXPECT_EQ(machine_label("a.local.local", {}), "a.local");
}

// 13.
TEST(Label, DefaultsTellTwoMachinesOfOneNameApart) {
  const std::string one = machine_label("", {"localhost", "11111111111111111111111111111111"});
  const std::string two = machine_label("", {"localhost", "22222222222222222222222222222222"});
  EXPECT_NE(one, two);
  EXPECT_EQ(one.substr(0, 10), "localhost-");
  EXPECT_EQ(one.size(), 18U);
  EXPECT_NE(machine_label("", {"", "1"}), machine_label("", {"", "2"}));
  EXPECT_EQ(machine_label("", {"", "1"}).substr(0, 16), "unknown-machine-");
  EXPECT_EQ(machine_label("", {std::string(100, 'h'), "1"}).size(), 64U);
  EXPECT_EQ(machine_label("", {"plain.local", ""}), "plain");
}

TEST(Label, AGivenOneStaysAsItIs) {
  EXPECT_EQ(machine_label("bench", {"localhost", "11111111111111111111111111111111"}), "bench");
}

TEST(Label, ThisMachineHasOne) {
  EXPECT_FALSE(machine_label("", this_machine()).empty());
}

TEST(ServiceUrl, FlagBeatsVariableAndTrailingSlashesGo) {
  base::MapEnvironment environment;
  environment.set("ROBOT_COUNCIL_SERVICE", "https://b.example.test//");
  EXPECT_EQ(service_text("https://a.example.test/x/", environment), "https://a.example.test/x");
  EXPECT_EQ(service_text("", environment), "https://b.example.test");
  EXPECT_EQ(service_text("", base::MapEnvironment()), "");
}

// 20.
TEST(ServiceUrl, PlainHttpOnlyToThisMachine) {
  const auto far = check_service("http://fleet.example.test");
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.error().what,
            "The service must be reached over https. Only a loopback address may use http.");
  EXPECT_TRUE(check_service("http://[::1]:1").ok());
  EXPECT_TRUE(check_service("http://localhost:1/base").ok());
  EXPECT_TRUE(check_service("https://fleet.example.test").ok());
}

TEST(ServiceUrl, WhatIsNoUrlIsRefusedWithItsReason) {
  for (const char* text :
       {"fleet", "https://", "https://u@h", "https://h?q=1", "https://h#f", "https://h/\x01"}) {
    const auto checked = check_service(text);
    ASSERT_FALSE(checked.ok()) << text;
    EXPECT_EQ(checked.error().what.substr(0, 33), "The service is not a usable URL: ") << text;
    EXPECT_EQ(checked.error().what.back(), '.') << text;
  }
  EXPECT_EQ(check_service("").error().what,
            "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet.");
}

TEST(ServiceUrl, TargetsKeepTheServicesOwnPath) {
  EXPECT_EQ(check_service("https://h.example.test/team/a")->target("/robot-council/api/tasks"),
            "/team/a/robot-council/api/tasks");
}

}  // namespace robot_council::account
