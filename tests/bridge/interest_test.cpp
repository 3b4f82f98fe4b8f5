#include "bridge/interest.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_value.hpp"

namespace robot_council::bridge {
namespace {

enum class As : unsigned char { build, coordinator };

struct Row {
  const char* name;
  const char* event;
  As as;
  std::set<std::int64_t> held;
  bool stored;
  int rule;
};

// Statement 113: each row of the table and its edges. I am session 7.
const std::vector<Row>& table() {
  static const std::vector<Row> kRows = {
      {"own stale", R"({"type":"session.stale","actor":{"session_id":7}})", As::build, {}, true, 1},
      {"own stale as 7.0",
       R"({"type":"session.stale","actor":{"session_id":7.0}})",
       As::build,
       {},
       true,
       1},
      {"another's stale",
       R"({"type":"session.stale","actor":{"session_id":8}})",
       As::build,
       {},
       false,
       10},
      {"stale with a string id",
       R"({"type":"session.stale","actor":{"session_id":"7"}})",
       As::build,
       {},
       false,
       10},
      {"own anything",
       R"({"type":"session.resumed","actor":{"session_id":7}})",
       As::coordinator,
       {},
       false,
       2},
      {"own directive",
       R"({"type":"directive","actor":{"session_id":7}})",
       As::build,
       {},
       false,
       2},
      {"own claim of mine",
       R"({"type":"task.claimed","actor":{"session_id":7},"meta":{"assigned_to":7,"task_id":1}})",
       As::build,
       {},
       false,
       2},
      {"directive to all, no meta",
       R"({"type":"directive","actor":{"session_id":8}})",
       As::build,
       {},
       true,
       3},
      {"directive, null meta", R"({"type":"directive","meta":null})", As::build, {}, true, 3},
      {"directive to me",
       R"({"type":"directive","meta":{"targets":[3,7]}})",
       As::build,
       {},
       true,
       3},
      {"directive to me as 7.0",
       R"({"type":"directive","meta":{"targets":[7.0]}})",
       As::build,
       {},
       true,
       3},
      {"directive to another",
       R"({"type":"directive","meta":{"targets":[3]}})",
       As::build,
       {},
       false,
       3},
      {"directive, empty targets",
       R"({"type":"directive","meta":{"targets":[]}})",
       As::build,
       {},
       true,
       3},
      {"directive, targets a string",
       R"({"type":"directive","meta":{"targets":"3"}})",
       As::build,
       {},
       true,
       3},
      {"directive, a string among targets",
       R"({"type":"directive","meta":{"targets":[3,"7"]}})",
       As::build,
       {},
       true,
       3},
      {"directive, a fraction among targets",
       R"({"type":"directive","meta":{"targets":[3,7.5]}})",
       As::build,
       {},
       true,
       3},
      {"directive to another, coordinator",
       R"({"type":"directive","meta":{"targets":[3]}})",
       As::coordinator,
       {},
       false,
       3},
      {"instruction to me",
       R"({"type":"placement.instruction","meta":{"to":[7]}})",
       As::build,
       {},
       true,
       4},
      {"instruction to another",
       R"({"type":"placement.instruction","meta":{"to":[8]}})",
       As::build,
       {},
       false,
       4},
      {"instruction, to a string",
       R"({"type":"placement.instruction","meta":{"to":"7"}})",
       As::build,
       {},
       false,
       4},
      {"instruction without to",
       R"({"type":"placement.instruction","meta":{}})",
       As::coordinator,
       {},
       false,
       4},
      {"narration plain", R"({"type":"narration","body":"hi"})", As::build, {}, false, 5},
      {"narration plain, coordinator",
       R"({"type":"narration","body":"hi"})",
       As::coordinator,
       {},
       false,
       5},
      {"narration to me", R"({"type":"narration","meta":{"to":[1,7]}})", As::build, {}, true, 5},
      {"narration to me as string",
       R"({"type":"narration","meta":{"to":["7"]}})",
       As::build,
       {},
       false,
       5},
      {"narration to my task",
       R"({"type":"narration","meta":{"to_tasks":[{"task_id":1,"session_id":7}]}})",
       As::build,
       {},
       true,
       5},
      {"narration to another's task",
       R"({"type":"narration","meta":{"to_tasks":[{"task_id":1,"session_id":8}]}})",
       As::build,
       {1},
       false,
       5},
      {"narration, to_tasks of numbers",
       R"({"type":"narration","meta":{"to_tasks":[7]}})",
       As::build,
       {},
       false,
       5},
      {"claimed for me",
       R"({"type":"task.claimed","meta":{"assigned_to":7}})",
       As::build,
       {},
       true,
       6},
      {"reassigned to me",
       R"({"type":"task.reassigned","meta":{"assigned_to":7,"task_id":2}})",
       As::build,
       {},
       true,
       6},
      {"claimed for another",
       R"({"type":"task.claimed","meta":{"assigned_to":8,"task_id":2}})",
       As::build,
       {2},
       false,
       10},
      {"claimed, string id",
       R"({"type":"task.claimed","meta":{"assigned_to":"7"}})",
       As::build,
       {},
       false,
       10},
      {"my task reassigned away",
       R"({"type":"task.reassigned","meta":{"assigned_to":8,"task_id":2}})",
       As::build,
       {2},
       true,
       7},
      {"my task cancelled",
       R"({"type":"task.cancelled","meta":{"task_id":2}})",
       As::build,
       {2},
       true,
       7},
      {"another task cancelled",
       R"({"type":"task.cancelled","meta":{"task_id":3}})",
       As::build,
       {2},
       false,
       10},
      {"cancelled, string task id",
       R"({"type":"task.cancelled","meta":{"task_id":"2"}})",
       As::build,
       {2},
       false,
       10},
      {"my task completed",
       R"({"type":"task.completed","meta":{"task_id":2}})",
       As::build,
       {2},
       false,
       10},
      {"lock taken from me",
       R"({"type":"lock.taken_over","meta":{"taken_from":7}})",
       As::build,
       {},
       true,
       8},
      {"lock forced from me",
       R"({"type":"lock.force_released","meta":{"taken_from":7}})",
       As::build,
       {},
       true,
       8},
      {"lock taken from another",
       R"({"type":"lock.taken_over","meta":{"taken_from":8}})",
       As::build,
       {},
       false,
       10},
      {"lock released from me",
       R"({"type":"lock.released","meta":{"taken_from":7}})",
       As::build,
       {},
       false,
       10},
      {"unknown type", R"({"type":"weather.changed"})", As::coordinator, {}, false, 10},
      {"renewed lock, coordinator", R"({"type":"lock.renewed"})", As::coordinator, {}, false, 10},
      {"joined, coordinator", R"({"type":"session.joined"})", As::coordinator, {}, false, 10},
      {"no type", R"({"id":5})", As::coordinator, {}, false, 10},
      {"type a number", R"({"type":5})", As::coordinator, {}, false, 10},
      {"actor a string", R"({"type":"directive","actor":"7"})", As::build, {}, true, 3},
  };
  return kRows;
}

// 113
TEST(Interest, EachRowOfTheTableAndItsEdges) {
  for (const Row& row : table()) {
    Holder holder;
    holder.session = 7;
    holder.coordinator = row.as == As::coordinator;
    holder.held = &row.held;
    const Verdict verdict = interest(*base::parse_bounded(row.event, 4096), holder);
    EXPECT_EQ(verdict, (Verdict{row.stored, row.rule})) << row.name;
  }
}

TEST(Interest, ACoordinatorIsToldWhatHappensToOthers) {
  const std::set<std::int64_t> none;
  const std::vector<std::string> told = {"session.stale",
                                         "session.gone",
                                         "session.resumed",
                                         "session.role_changed",
                                         "session.role_requested",
                                         "task.created",
                                         "task.claimed",
                                         "task.started",
                                         "task.blocked",
                                         "task.completed",
                                         "task.failed",
                                         "task.released",
                                         "task.reassigned",
                                         "task.cancelled",
                                         "lock.acquired",
                                         "lock.released",
                                         "lock.taken_over",
                                         "lock.force_released",
                                         "session.role_withdrawn",
                                         "lane.quiet",
                                         "lane.condition"};
  for (const std::string& type : told) {
    const base::Json event =
        *base::parse_bounded(R"({"type":")" + type + R"(","actor":{"session_id":8}})", 4096);
    EXPECT_EQ(interest(event, {7, true, &none}), (Verdict{true, 9})) << type;
    EXPECT_EQ(interest(event, {7, false, &none}), (Verdict{false, 10})) << type;
  }
}

TEST(Interest, HeldTasksFollowTheFeed) {
  std::set<std::int64_t> held;
  const auto follow = [&held](const std::string& json) {
    follow_held(*base::parse_bounded(json, 4096), 7, held);
  };
  follow(R"({"type":"task.claimed","meta":{"task_id":1,"assigned_to":7}})");
  follow(R"({"type":"task.reassigned","meta":{"task_id":2,"assigned_to":7}})");
  follow(R"({"type":"task.claimed","meta":{"task_id":3,"assigned_to":8}})");
  follow(R"({"type":"task.claimed","meta":{"task_id":"4","assigned_to":7}})");
  EXPECT_EQ(held, (std::set<std::int64_t>{1, 2}));
  follow(R"({"type":"task.reassigned","meta":{"task_id":2,"assigned_to":8}})");
  EXPECT_EQ(held, (std::set<std::int64_t>{1}));
  for (const char* end : {"released", "cancelled", "completed", "failed"}) {
    held = {1};
    follow(std::string(R"({"type":"task.)") + end + R"(","meta":{"task_id":1}})");
    EXPECT_TRUE(held.empty()) << end;
  }
  held = {1};
  follow(R"({"type":"task.blocked","meta":{"task_id":1}})");
  EXPECT_EQ(held, (std::set<std::int64_t>{1}));
}

// The set that decides is that before the event: my task's reassignment away is told, then
// forgotten.
TEST(Interest, HeldSetBeforeAndAfterTheEvent) {
  std::set<std::int64_t> held = {2};
  const base::Json away = *base::parse_bounded(
      R"({"type":"task.reassigned","meta":{"task_id":2,"assigned_to":8}})", 4096);
  EXPECT_TRUE(interest(away, {7, false, &held}).stored);
  follow_held(away, 7, held);
  EXPECT_FALSE(interest(away, {7, false, &held}).stored);
}

}  // namespace
}  // namespace robot_council::bridge
