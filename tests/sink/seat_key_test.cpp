#include "sink/seat_key.hpp"

#include <gtest/gtest.h>

#include "base/environment.hpp"

namespace robot_council::sink {
namespace {

constexpr const char* kFleet = "https://fleet.example.test";

// 1
TEST(SeatKey, S001GoldenVectors) {
  EXPECT_EQ(seat_key({kFleet, "claude", "org/repo", ""}), "7496bacc869b71b2e3a0d2b12c73bd5f");
  EXPECT_EQ(seat_key({kFleet, "cursor", "", ""}), "102d55458e1726c3f6b02defe552f2f6");
  EXPECT_EQ(seat_key({kFleet, "claude", "", "/home/u/repo/.git"}),
            "021736fbab0a32b28ddead64a490e2f6");
  EXPECT_EQ(seat_key({kFleet, "codex", "", "/home/u/repo/.git/worktrees/slot"}),
            "10f6150a8b7bfd692c933239566d5a8a");
  EXPECT_EQ(seat_key({kFleet, "claude", "", "/home/u/repo/.git/modules/modules/foo"}),
            "05fbe2d2dc75f92ed1b267519c8c5dc3");
  EXPECT_EQ(seat_key({kFleet, "claude", "", "/home/u/plain"}), "29560239b4dc7875a6048056bdba4297");
  EXPECT_EQ(seat_key({kFleet, "claude", "", "/home/u/B\xc3\xbcro repo/.git"}),
            "fe2efa994555a0c1194543b06d3f1817");
  EXPECT_EQ(seat_key({kFleet, "claude", "", ""}), "6767fe3181c81080f91ab02c9242cd62");
  EXPECT_EQ(record_name(kFleet, "claude", "/home/u/repo"), "6adef7470103031de6d8086c07e6a1a1");
}

// 10: a key of three parts was shared by every checkout of a harness once.
TEST(SeatKey, S010TheOldSharedKeyIsNeverMade) {
  constexpr const char* kOld = "9a0028dba8e8d2b3177b9c98bd8d40d7";
  EXPECT_NE(seat_key({kFleet, "claude", "", ""}), kOld);
  EXPECT_NE(seat_key({kFleet, "claude", "", "/home/u/repo/.git"}), kOld);
}

TEST(SeatKey, ACheckoutDoesNotMatterToAProjectOrToCursor) {
  EXPECT_EQ(seat_key({kFleet, "claude", "org/repo", "/a"}),
            seat_key({kFleet, "claude", "org/repo", "/b"}));
  EXPECT_EQ(seat_key({kFleet, "cursor", "", "/a"}), seat_key({kFleet, "cursor", "", ""}));
  EXPECT_NE(seat_key({kFleet, "cursors", "", "/a"}), seat_key({kFleet, "cursors", "", "/b"}));
}

// 2
TEST(SeatKey, S002TrailingSlashesGoAndCaseStays) {
  EXPECT_EQ(reduce_service("https://h//"), "https://h");
  EXPECT_EQ(seat_key({reduce_service("https://h//"), "claude", "p", ""}),
            seat_key({"https://h", "claude", "p", ""}));
  EXPECT_NE(seat_key({"https://H", "claude", "p", ""}), seat_key({"https://h", "claude", "p", ""}));
}

// 4
TEST(SeatKey, S004AnEmptyServiceOptionIsNotGiven) {
  base::MapEnvironment environment;
  environment.set("ROBOT_COUNCIL_SERVICE", "https://h/");
  EXPECT_EQ(service_from("", environment), "https://h");
  EXPECT_EQ(service_from("https://other///", environment), "https://other");
  EXPECT_EQ(service_from("", base::MapEnvironment()), "");
}

TEST(SeatKey, KindsOfKeys) {
  EXPECT_EQ(key_kind("cursor", ""), KeyKind::cursor);
  EXPECT_EQ(key_kind("cursor", "p"), KeyKind::project);
  EXPECT_EQ(key_kind("claude", ""), KeyKind::checkout);
}

}  // namespace
}  // namespace robot_council::sink
