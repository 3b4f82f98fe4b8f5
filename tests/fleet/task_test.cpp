// Tasks (service contract, 5.2, 5.3).

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/fleet_fixture.hpp"

namespace robot_council::fleet::test {
namespace {

std::int64_t create(Fleet& fleet, const Agent& agent,
                    const std::string& body = R"({"title":"t"})") {
  const Answer made = fleet.post(api("tasks"), agent.token, body);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.text("status"), "pending");
  return made.integer("task_id");
}

Answer act_on(Fleet& fleet, const Agent& agent, std::int64_t id, const std::string& action,
              const std::string& body = "{}") {
  return fleet.post(api("tasks/" + std::to_string(id) + "/" + action), agent.token, body);
}

base::Json task(Fleet& fleet, const Agent& agent, std::int64_t id) {
  const Answer list = fleet.get(api("tasks"), agent.token);
  for (const auto& one : list.json["tasks"]) {
    if (one["id"] == id) {
      return one;
    }
  }
  return {};
}

std::string reassign_body(std::int64_t session, const std::string& more = "") {
  return R"({"session_id":)" + std::to_string(session) + R"(,"directive":"do it")" + more + "}";
}

// Brings a new task of `holder` into the status.
std::int64_t in_status(Fleet& fleet, const Agent& holder, const Agent& boss,
                       const std::string& status) {
  const std::int64_t id = create(fleet, holder);
  const std::map<std::string, std::vector<std::string>> ways = {{"pending", {}},
                                                                {"claimed", {"claim"}},
                                                                {"in_progress", {"claim", "start"}},
                                                                {"blocked", {"claim", "block"}},
                                                                {"done", {"claim", "complete"}},
                                                                {"failed", {"claim", "fail"}}};
  if (status == "cancelled") {
    EXPECT_EQ(act_on(fleet, boss, id, "cancel").status, 200);
    return id;
  }
  for (const std::string& action : ways.at(status)) {
    EXPECT_EQ(act_on(fleet, holder, id, action).status, 200);
  }
  return id;
}

TEST(Tasks, EachTransitionFromEachStatusOfTheTableAndNoOther) {  // acceptance 36
  Settings settings = Fleet::default_settings();
  settings.tasks_at_once = 16;
  Fleet fleet(settings);
  const Agent holder = fleet.join("one", R"({"capacity":16})");
  const Agent boss = fleet.coordinator();
  struct Rule {
    std::string action;
    std::vector<std::string> from;
    std::string to;
    std::string event;
  };
  const std::vector<std::string> held = {"claimed", "in_progress", "blocked"};
  std::vector<std::string> open = held;
  open.insert(open.begin(), "pending");
  const std::vector<Rule> rules = {
      {"claim", {"pending"}, "claimed", "task.claimed"},
      {"start", {"claimed", "blocked"}, "in_progress", "task.started"},
      {"block", {"claimed", "in_progress"}, "blocked", "task.blocked"},
      {"complete", {"claimed", "in_progress"}, "done", "task.completed"},
      {"fail", held, "failed", "task.failed"},
      {"release", held, "pending", "task.released"},
      {"reassign", open, "claimed", "task.reassigned"},
      {"cancel", open, "cancelled", "task.cancelled"}};
  const std::vector<std::string> statuses = {"pending", "claimed", "in_progress", "blocked",
                                             "done",    "failed",  "cancelled"};
  const Agent assignee = fleet.join("two", R"({"capacity":16})");
  for (const Rule& rule : rules) {
    for (const std::string& status : statuses) {
      const std::int64_t id = in_status(fleet, holder, boss, status);
      const std::int64_t head = fleet.core().window.head();
      const bool director = rule.action == "reassign" || rule.action == "cancel";
      const Answer answer = act_on(fleet, director ? boss : holder, id, rule.action,
                                   rule.action == "reassign" ? reassign_body(assignee.id) : "{}");
      const bool allowed = std::find(rule.from.begin(), rule.from.end(), status) != rule.from.end();
      if (!allowed) {
        EXPECT_EQ(answer.status, 409) << rule.action << " from " << status;
        EXPECT_EQ(answer.body,
                  R"({"task_id":)" + std::to_string(id) + R"(,"status":null,"applied":false})");
        EXPECT_EQ(fleet.core().window.head(), head);
        continue;
      }
      EXPECT_EQ(answer.status, 200) << rule.action << " from " << status << answer.body;
      EXPECT_EQ(answer.text("status"), rule.to);
      EXPECT_EQ(answer.json["applied"], true);
      const auto event = fleet.feed(head).front();
      EXPECT_EQ(type_of(event), rule.event);
      EXPECT_EQ(event["meta"]["to"], rule.to);
      if (rule.action == "reassign") {
        EXPECT_EQ(act_on(fleet, boss, id, "cancel").status,
                  200);  // the assignee's lane is free again
      }
    }
  }
}

TEST(Tasks, OfTwoClaimsAtOnceOneWins200Times) {  // acceptance 37
  Fleet fleet;
  const Agent one = fleet.join("one");
  const Agent two = fleet.join("two");
  constexpr int kRounds = 200;
  (void)fleet.core().write([&](Unit& unit) {
    for (int i = 0; i < kRounds; ++i) {
      unit.tx.insert(
          "INSERT INTO tasks(developer_id, title, created_at) VALUES(?, 't', ?) RETURNING id",
          {fleet.core().developer_id(), unit.now});
    }
    return ok({});
  });
  const std::int64_t head = fleet.head();
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  std::atomic<int> at_gate{0};
  const auto race = [&](const Agent& agent) {
    for (int round = 1; round <= kRounds; ++round) {
      ++at_gate;
      while (at_gate < 2 * round) {
        std::this_thread::yield();
      }
      const int status = act_on(fleet, agent, round, "claim").status;
      won += status == 200 ? 1 : 0;
      lost += status == 409 ? 1 : 0;
    }
  };
  std::thread first([&] { race(one); });
  race(two);
  first.join();
  EXPECT_EQ(won, kRounds);
  EXPECT_EQ(lost, kRounds);
  EXPECT_EQ(fleet.head() - head, kRounds) << "one event a round";
}

TEST(Tasks, RefusalsComeInTheirOrder) {  // acceptance 38
  Fleet fleet;
  const Agent holder = fleet.join("one");
  const Agent other = fleet.join("two");
  const Agent boss = fleet.coordinator();
  const std::int64_t id = in_status(fleet, holder, boss, "claimed");
  EXPECT_EQ(act_on(fleet, other, id, "complete").status, 403);
  EXPECT_EQ(act_on(fleet, other, id, "release").status, 403);
  EXPECT_EQ(act_on(fleet, other, 999, "complete").status, 404);
  EXPECT_EQ(act_on(fleet, other, id, "frobnicate").status, 404);
  EXPECT_EQ(act_on(fleet, holder, id, "cancel").status, 403) << "the ability is missing";
  EXPECT_EQ(act_on(fleet, boss, id, "complete").status, 403);
  EXPECT_EQ(act_on(fleet, boss, id, "release").status, 200) << "a coordinator may release";
  EXPECT_EQ(fleet.last_event()["actor"]["session_id"], boss.id);
  const std::int64_t done = in_status(fleet, holder, boss, "done");
  EXPECT_EQ(act_on(fleet, other, done, "complete").status, 409)
      << "the status comes before the holder";
}

TEST(Tasks, AnotherDevelopersTaskIsClosedUnlessACoordinatorMadeIt) {  // acceptance 39
  Fleet fleet;
  const Agent ana = fleet.join();
  const Agent boss = fleet.coordinator();
  const Agent bea = fleet.foreign();
  const std::int64_t closed = create(
      fleet, ana,
      R"({"title":"words","description":"d","issue":"o/n#7","project_id":"p","payload":{"a":1},"priority":3,"parent_task_id":null})");
  const std::int64_t open = create(fleet, boss, R"({"title":"for all"})");
  const base::Json seen = task(fleet, bea, closed);
  EXPECT_EQ(seen["readable"], false);
  for (const char* word :
       {"title", "description", "payload", "result", "issue", "branch", "sub_label"}) {
    EXPECT_TRUE(seen[word].is_null()) << word;
  }
  EXPECT_EQ(seen["project_id"], "p");
  EXPECT_EQ(seen["priority"], 3);
  EXPECT_EQ(task(fleet, ana, closed)["payload"], base::Json::parse(R"({"a":1})"));
  EXPECT_EQ(task(fleet, boss, closed)["title"], "words");
  EXPECT_EQ(task(fleet, bea, open)["title"], "for all");
  EXPECT_EQ(act_on(fleet, bea, closed, "claim").status, 403);
  EXPECT_EQ(act_on(fleet, bea, open, "claim").status, 200);
}

TEST(Tasks, ReassignWritesThreeEventsInOrder) {  // acceptance 40
  Fleet fleet;
  const Agent worker = fleet.join("one");
  const Agent boss = fleet.coordinator();
  const std::int64_t id = create(fleet, worker);
  const std::int64_t head = fleet.head();
  const Answer placed =
      act_on(fleet, boss, id, "reassign",
             reassign_body(worker.id, R"(,"hand_back":true,"expect":"pending","meta":{"k":1})"));
  EXPECT_EQ(placed.status, 200) << placed.body;
  EXPECT_TRUE(placed.json["warnings"].empty());
  auto events = fleet.feed(head);
  ASSERT_EQ(types_of(events),
            (std::vector<std::string>{"task.reassigned", "placement.instruction", "directive"}));
  EXPECT_EQ(events[0]["meta"]["assigned_to"], worker.id);
  EXPECT_EQ(events[1]["body"], "do it");
  EXPECT_EQ(events[1]["meta"]["to"], base::Json::array({worker.id}));
  EXPECT_EQ(events[1]["meta"]["task_id"], id);
  EXPECT_EQ(events[1]["meta"]["hand_back"], true);
  EXPECT_EQ(events[2]["meta"]["instruction_id"], events[1]["id"]);
  EXPECT_EQ(events[2]["meta"]["targets"], base::Json::array({worker.id}));
  EXPECT_NE(events[2]["body"].get<std::string>().find("after=" + std::to_string(head + 1)),
            std::string::npos);
  const base::Json now = task(fleet, worker, id);
  EXPECT_EQ(now["placed_by"], "coordinator");
  EXPECT_EQ(now["hand_back"], true);
  EXPECT_EQ(now["claimed_by"]["session_id"], worker.id);
  const std::int64_t before = fleet.head();
  EXPECT_EQ(act_on(fleet, boss, id, "reassign", reassign_body(worker.id, R"(,"expect":"pending")"))
                .status,
            409);
  const std::int64_t second = create(fleet, worker);
  const Answer full = act_on(fleet, boss, second, "reassign", reassign_body(worker.id));
  EXPECT_EQ(full.status, 422);
  EXPECT_EQ(full.json["refused"][0]["rule"], "lane_free");
  EXPECT_EQ(full.json["applied"], false);
  EXPECT_EQ(task(fleet, worker, second)["status"], "pending");
  EXPECT_EQ(fleet.head(), before + 1) << "no trace but the creation";
  EXPECT_EQ(act_on(fleet, boss, id, "reassign", reassign_body(999)).status, 422);
  EXPECT_EQ(act_on(fleet, boss, id, "reassign", with_id("session_id", worker.id)).status, 422)
      << "the directive is missing";
  EXPECT_EQ(act_on(fleet, worker, id, "reassign", reassign_body(worker.id)).status, 403);
}

TEST(Tasks, FieldsOfAnotherTransitionAndHalfACursorAre422) {  // acceptance 41
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t id = create(fleet, agent);
  EXPECT_EQ(act_on(fleet, agent, id, "claim", R"({"result":{"a":1}})").status, 422);
  EXPECT_EQ(act_on(fleet, agent, id, "claim").status, 200);
  EXPECT_EQ(act_on(fleet, agent, id, "complete", R"({"branch":"b"})").status, 422);
  EXPECT_EQ(fleet.get(api("tasks?after_id=3"), agent.token).status, 422);
  EXPECT_EQ(fleet.get(api("tasks?after_priority=3"), agent.token).status, 422);
  EXPECT_EQ(fleet.get(api("tasks?status=open"), agent.token).status, 422);
  EXPECT_EQ(fleet.get(api("tasks?limit=101"), agent.token).status, 422);
}

TEST(Tasks, PagingGivesEachTaskOnceHighestPriorityFirst) {  // acceptance 41
  Fleet fleet;
  const Agent agent = fleet.join();
  for (int i = 0; i < 11; ++i) {
    create(fleet, agent, R"({"title":"t","priority":)" + std::to_string(i % 3) + "}");
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> seen;
  std::string cursor;
  for (;;) {
    const Answer page = fleet.get(api("tasks?limit=3" + cursor), agent.token);
    ASSERT_EQ(page.status, 200);
    if (page.json["tasks"].empty()) {
      EXPECT_TRUE(page.json["cursor"].is_null());
      break;
    }
    for (const auto& one : page.json["tasks"]) {
      seen.emplace_back(-one["priority"].get<std::int64_t>(), one["id"].get<std::int64_t>());
    }
    cursor =
        "&after_priority=" +
        std::to_string(base::get_integer(page.json["cursor"], "priority").value_or(-1)) +
        "&after_id=" + std::to_string(base::get_integer(page.json["cursor"], "id").value_or(-1));
  }
  EXPECT_EQ(seen.size(), 11U);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_LT(seen[i - 1], seen[i]);
  }
}

TEST(Tasks, BranchesAreKeptAndCleared) {  // acceptance 42
  Fleet fleet;
  const Agent agent = fleet.join();
  const Agent other = fleet.join("two");
  const std::int64_t id = create(fleet, agent);
  ASSERT_EQ(act_on(fleet, agent, id, "claim").status, 200);
  EXPECT_EQ(act_on(fleet, agent, id, "branch", R"({"branch":"early"})").status, 409)
      << "claimed is too early";
  ASSERT_EQ(
      act_on(fleet, agent, id, "start", R"({"branch":"feature/x","sub_label":"part-1"})").status,
      200);
  EXPECT_EQ(fleet.last_event()["meta"]["sub_label"], "part-1");
  ASSERT_EQ(act_on(fleet, agent, id, "block").status, 200);
  ASSERT_EQ(act_on(fleet, agent, id, "start").status, 200);
  EXPECT_EQ(task(fleet, agent, id)["branch"], "feature/x") << "a start without branch keeps it";
  const std::int64_t head = fleet.head();
  const Answer named = act_on(fleet, agent, id, "branch", R"({"sub_label":"part-2"})");
  EXPECT_EQ(named.body, R"({"task_id":)" + std::to_string(id) +
                            R"(,"branch":"feature/x","sub_label":"part-2","applied":true})");
  EXPECT_EQ(fleet.head(), head) << "the branch call writes no event";
  EXPECT_EQ(act_on(fleet, other, id, "branch", R"({"branch":"b"})").status, 403);
  EXPECT_EQ(act_on(fleet, other, 99, "branch", R"({"branch":"b"})").status, 404);
  EXPECT_EQ(act_on(fleet, agent, id, "branch").status, 422);
  EXPECT_EQ(act_on(fleet, agent, id, "branch", R"({"branch":"a..b"})").status, 422);
  ASSERT_EQ(act_on(fleet, agent, id, "release").status, 200);
  const base::Json released = task(fleet, agent, id);
  for (const char* field : {"branch", "sub_label", "claimed_by", "claimed_at", "placed_by"}) {
    EXPECT_TRUE(released[field].is_null()) << field;
  }
}

TEST(Tasks, ReassigningToTheHolderKeepsItsSubLabel) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const Agent boss = fleet.coordinator();
  const std::int64_t id = create(fleet, agent);
  ASSERT_EQ(act_on(fleet, agent, id, "claim").status, 200);
  ASSERT_EQ(act_on(fleet, agent, id, "start", R"({"branch":"b","sub_label":"l"})").status, 200);
  ASSERT_EQ(act_on(fleet, boss, id, "reassign", reassign_body(agent.id)).status, 200);
  EXPECT_EQ(task(fleet, agent, id)["sub_label"], "l");
  EXPECT_TRUE(task(fleet, agent, id)["branch"].is_null());
}

TEST(Tasks, AFinishedTaskKeepsItsResultAndItsHolder) {
  Fleet fleet;
  const Agent agent = fleet.join();
  const std::int64_t id = create(fleet, agent);
  ASSERT_EQ(act_on(fleet, agent, id, "claim").status, 200);
  ASSERT_EQ(act_on(fleet, agent, id, "complete", R"({"result":{"z":1.0,"a":{}}})").status, 200);
  const Answer list = fleet.get(api("tasks?status=done"), agent.token);
  EXPECT_NE(list.body.find(R"("result":{"z":1.0,"a":{}})"), std::string::npos);
  EXPECT_EQ(list.json["tasks"][0]["claimed_by"]["session_id"], agent.id);
  EXPECT_EQ(list.json["tasks"][0]["created_by"],
            base::Json::parse(R"({"session_id":)" + std::to_string(agent.id) +
                              R"(,"github_login":"ana","coordinator_direct":false})"));
}

TEST(Tasks, CreatingChecksItsFields) {
  Fleet fleet;
  const Agent agent = fleet.join();
  for (const char* body :
       {"{}", R"({"title":" "})", R"({"title":"t","priority":10})", R"({"title":"t","issue":"#7"})",
        R"({"title":"t","parent_task_id":99})", R"({"title":"t","payload":[1]})"}) {
    EXPECT_EQ(fleet.post(api("tasks"), agent.token, body).status, 422) << body;
  }
  const std::int64_t parent = create(fleet, agent);
  const std::int64_t child =
      create(fleet, agent, R"({"title":"c","parent_task_id":")" + std::to_string(parent) + "\"}");
  EXPECT_EQ(task(fleet, agent, child)["parent_task_id"], parent);
}

}  // namespace
}  // namespace robot_council::fleet::test
