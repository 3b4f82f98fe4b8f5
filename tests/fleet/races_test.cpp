// Many clients at once against a real service: each call's answer and the feed are judged together
// (service contract, 9: checks 9, 21 to 23, 29, 30, 37, 45).

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "tests/fleet/fleet_fixture.hpp"
#include "tests/fleet/race_models.hpp"

namespace robot_council::fleet::test {
namespace {

using robot_council::test::Gate;
using robot_council::test::Seeded;

// One client's next call: what it will be and how it is made. It fills in the answer.
struct Step {
  Call call;
  std::function<void(Call&)> make;
};
using Plan = std::vector<Step>;
using Histories = std::vector<std::vector<Call>>;

// Every client makes its calls in its own thread; all begin together.
void race(std::vector<Plan> plans, Histories& histories) {
  histories.resize(std::max(histories.size(), plans.size()));
  Gate gate;
  std::vector<std::thread> threads;
  for (std::size_t client = 0; client < plans.size(); ++client) {
    threads.emplace_back([&gate, &plan = plans[client], &history = histories[client]] {
      EXPECT_TRUE(gate.wait());
      for (Step& step : plan) {
        step.call.begin = std::chrono::steady_clock::now();
        step.make(step.call);
        step.call.end = std::chrono::steady_clock::now();
        history.push_back(step.call);
      }
    });
  }
  gate.open();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

std::size_t won(const Histories& histories, const std::string& action) {
  std::size_t count = 0;
  for (const auto& history : histories) {
    for (const Call& call : history) {
      count += call.action == action && call.status / 100 == 2 ? 1U : 0U;
    }
  }
  return count;
}

std::size_t overlaps(const Histories& histories) {
  std::size_t count = 0;
  for (std::size_t one = 0; one < histories.size(); ++one) {
    for (std::size_t two = one + 1; two < histories.size(); ++two) {
      for (const Call& a : histories[one]) {
        for (const Call& b : histories[two]) {
          count += a.begin < b.end && b.begin < a.end ? 1U : 0U;
        }
      }
    }
  }
  return count;
}

template <typename Model>
void expect_linear(const Histories& histories, const std::vector<base::Json>& feed, Model start) {
  EXPECT_GT(overlaps(histories), 0U) << "nothing raced";
  LinearHistory<Model> judge(histories, words_of(feed));
  const std::optional<std::string> refusal = judge.refusal(std::move(start));
  EXPECT_FALSE(refusal) << refusal.value_or("");
}

Call call_of(std::int64_t actor, std::string action, std::string object) {
  Call call;
  call.actor = actor;
  call.action = std::move(action);
  call.object = std::move(object);
  return call;
}

std::vector<Agent> join_many(Fleet& fleet, int count) {
  std::vector<Agent> agents;
  for (int i = 0; i < count; ++i) {
    agents.push_back(fleet.join("m" + std::to_string(i)));
  }
  return agents;
}

// Leases of 30 s; between the rounds time passes and what is still held lapses, so that the next
// round begins with takeovers.
TEST(Races, LocksHaveOneHolderAndFencesThatRise) {
  Fleet fleet;
  Seeded random;
  SCOPED_TRACE(random.words());
  const std::vector<Agent> agents = join_many(fleet, 5);
  const Agent boss = fleet.coordinator();
  const std::int64_t head = fleet.head();
  const auto step = [&fleet](const Agent& agent, const std::string& action,
                             const std::string& name) {
    return Step{call_of(agent.id, action, name), [&fleet, &agent](Call& call) {
                  const bool leases = call.action == "acquire" || call.action == "renew";
                  const Answer answer = fleet.post(
                      api("locks/" + call.action), agent.token,
                      R"({"name":")" + call.object + "\"" + (leases ? R"(,"ttl":30})" : "}"));
                  call.status = answer.status;
                  call.fence = answer.integer("fence");
                }};
  };
  const std::vector<std::string> actions = {"acquire", "acquire", "acquire", "renew", "release"};
  const std::vector<std::string> names = {"a", "b"};
  Histories histories;
  Call lapse = call_of(0, "lapse", "");
  std::vector<Call> lapses;
  for (int round = 0; round < 6; ++round) {
    std::vector<Plan> plans;
    for (const Agent& agent : agents) {
      Plan plan;
      for (int i = 0; i < 7; ++i) {
        plan.push_back(
            step(agent, i == 0 ? "acquire" : actions[random.below(5)], names[random.below(2)]));
      }
      plans.push_back(std::move(plan));
    }
    plans.push_back({step(boss, "force-release", names[random.below(2)]),
                     step(boss, "force-release", names[random.below(2)])});
    race(std::move(plans), histories);
    lapse.begin = std::chrono::steady_clock::now();
    fleet.clock.advance(std::chrono::seconds(31));
    lapse.end = std::chrono::steady_clock::now();
    lapses.push_back(lapse);
  }
  EXPECT_GT(won(histories, "acquire"), 11U) << "each round has a winner for each name";
  histories.push_back(std::move(lapses));
  expect_linear(histories, fleet.feed(head), LockModel());
}

TEST(Races, TasksHaveOneHolder) {
  Fleet fleet;
  Seeded random;
  SCOPED_TRACE(random.words());
  const std::vector<Agent> agents = join_many(fleet, 6);
  const Agent boss = fleet.coordinator();
  std::vector<std::string> tasks;
  for (int i = 0; i < 4; ++i) {
    const Answer made = fleet.post(api("tasks"), agents[0].token, R"({"title":"t"})");
    ASSERT_EQ(made.status, 201);
    tasks.push_back(std::to_string(made.integer("task_id")));
  }
  const std::int64_t head = fleet.head();
  const auto step = [&fleet](const Agent& agent, const std::string& action,
                             const std::string& task) {
    return Step{call_of(agent.id, action, task), [&fleet, &agent](Call& call) {
                  const Answer answer =
                      fleet.post(api("tasks/" + call.object + "/" + call.action), agent.token);
                  call.status = answer.status;
                  call.answer = answer.text("status");
                }};
  };
  const std::vector<std::string> actions = {"claim", "claim", "start", "block", "release"};
  std::vector<Plan> plans;
  for (const Agent& agent : agents) {
    Plan plan;
    for (int i = 0; i < 40; ++i) {
      // A task for ten calls: all are after the same one at about the same time.
      const std::string& task = tasks[static_cast<std::size_t>(i) / 10];
      const bool last = i % 10 == 9;
      plan.push_back(step(agent, last ? "complete" : actions[random.below(5)], task));
    }
    plans.push_back(std::move(plan));
  }
  Plan releases;
  for (int i = 0; i < 20; ++i) {
    releases.push_back(step(boss, "release", tasks[static_cast<std::size_t>(i) / 5]));
  }
  plans.push_back(std::move(releases));
  Histories histories;
  race(std::move(plans), histories);
  EXPECT_GE(won(histories, "claim"), tasks.size());
  expect_linear(histories, fleet.feed(head), TaskModel(boss.id));
}

TEST(Races, ACodeIsDecidedOnceAndExchangedOnce) {
  Fleet fleet;
  const std::string verifier(43, 'v');
  const std::string ask = R"({"harness":"claude","machine_label":"m","requested_abilities":)"
                          R"(["tasks:create"],"code_challenge":")" +
                          base::sha256_hex(verifier) + "\"}";
  std::int64_t installed = 0;
  std::size_t exchanged = 0;
  for (int round = 0; round < 6; ++round) {
    const Answer code = fleet.post(api("device/code"), "", ask);
    ASSERT_EQ(code.status, 201);
    const std::int64_t head = fleet.head();
    const Step exchange{call_of(0, "exchange", ""), [&](Call& call) {
                          const Answer answer =
                              fleet.post(api("device/token"), "",
                                         R"({"device_code":")" + code.text("device_code") +
                                             R"(","code_verifier":")" + verifier + "\"}");
                          call.status = answer.status;
                          call.fence = answer.integer("installation_id");
                          call.answer = answer.text("error");
                        }};
    const auto decide = [&](const char* decision) {
      return Step{
          call_of(0, decision, ""), [&](Call& call) {
            call.status =
                fleet.act("enrolments/" + code.text("user_code") + "/" + call.action).status;
          }};
    };
    std::vector<Plan> plans(8, Plan(3, exchange));
    plans.push_back({decide("approve"), decide("approve")});
    plans.push_back({decide("approve")});
    if (round % 3 == 2) {
      plans.push_back({decide("deny")});
    }
    Histories histories;
    race(std::move(plans), histories);
    // All have decided: whatever the threads' luck was, this one meets the final state.
    histories.emplace_back();
    Step last = exchange;
    last.call.begin = std::chrono::steady_clock::now();
    last.make(last.call);
    last.call.end = std::chrono::steady_clock::now();
    histories.back().push_back(last.call);
    EXPECT_LE(won(histories, "exchange"), 1U);
    exchanged += won(histories, "exchange");
    expect_linear(histories, fleet.feed(head), CodeModel(installed));
    for (const auto& history : histories) {
      for (const Call& call : history) {
        installed = std::max(installed, call.action == "exchange" ? call.fence : 0);
      }
    }
  }
  EXPECT_GE(exchanged, 4U);
}

TEST(Races, ARoleIsDecidedOnceAndItsAbilitiesFollow) {
  Fleet fleet;
  Seeded random;
  SCOPED_TRACE(random.words());
  const Agent agent = fleet.join();
  const std::string path = "sessions/" + std::to_string(agent.id) + "/role";
  const std::int64_t head = fleet.head();
  const std::vector<std::string> roles = {"coordinator", "build", "ci"};
  const auto step = [&](const std::string& action, const std::string& role) {
    return Step{
        call_of(agent.id, action, role), [&](Call& call) {
          Answer answer;
          if (call.action == "request") {
            answer =
                fleet.post(api("agent/role"), agent.token, R"({"role":")" + call.object + "\"}");
          } else if (call.action == "direct") {
            answer = fleet.post(api("directives"), agent.token, R"({"body":"go"})");
          } else if (call.action == "see") {
            answer = fleet.get(api("agent/session"), agent.token);
            call.answer = answer.text("role") + "/" + answer.text("requested_role");
          } else if (call.action == "deny") {
            answer = fleet.act(path + "/deny");
            call.answer = answer.text("refused");
          } else {
            answer =
                fleet.act(path, R"({"role":")" + call.object + R"(","how":")" +
                                    (call.action == "impose" ? "imposed" : "approved") + "\"}");
            call.answer = base::get_bool(answer.json, "applied").value_or(false) ? "true" : "false";
          }
          call.status = answer.status;
        }};
  };
  const auto many = [&](int count, const std::string& action) {
    Plan plan;
    for (int i = 0; i < count; ++i) {
      plan.push_back(step(action, roles[random.below(3)]));
    }
    return plan;
  };
  std::vector<Plan> plans = {many(40, "request"), many(40, "request"), many(30, "approve"),
                             many(30, "approve"), many(10, "deny"),    many(10, "impose"),
                             many(40, "direct"),  many(40, "see")};
  Histories histories;
  race(std::move(plans), histories);
  EXPECT_GT(won(histories, "approve"), 0U);
  expect_linear(histories, fleet.feed(head), RoleModel());
}

// While sessions post, readers that only follow their cursor get what was committed, in its order.
TEST(Races, CursorReadersMissNothingThatWasCommitted) {  // acceptance 29
  Fleet fleet;
  const std::vector<Agent> writers = join_many(fleet, 8);
  const std::int64_t head = fleet.head();
  constexpr std::int64_t kPosts = 8 * 12;
  std::vector<std::vector<std::int64_t>> read(4);
  std::vector<std::thread> readers;
  for (auto& ids : read) {
    readers.emplace_back([&fleet, &ids, &reader = writers[0], head] {
      std::int64_t after = head;
      EXPECT_TRUE(robot_council::test::wait_until([&] {
        const Answer page = fleet.read(reader, after, "&limit=7");
        for (const auto& event : page.json["events"]) {
          ids.push_back(base::get_integer(event, "id").value_or(-1));
        }
        after = page.integer("cursor");
        return after >= head + kPosts;
      }));
    });
  }
  std::vector<Plan> plans;
  for (const Agent& writer : writers) {
    const Step post{call_of(writer.id, "post", ""), [&fleet, &writer](Call& call) {
                      const Answer answer =
                          fleet.post(api("events"), writer.token, R"({"body":"b"})");
                      call.status = answer.status;
                      call.fence = answer.integer("event_id");
                    }};
    plans.emplace_back(12, post);
  }
  Histories histories;
  race(std::move(plans), histories);
  for (std::thread& reader : readers) {
    reader.join();
  }
  std::set<std::int64_t> told;
  for (const auto& history : histories) {
    for (std::size_t i = 0; i < history.size(); ++i) {
      EXPECT_EQ(history[i].status, 201);
      EXPECT_TRUE(told.insert(history[i].fence).second);
      EXPECT_TRUE(i == 0 || history[i].fence > history[i - 1].fence) << "one client's own order";
    }
  }
  const std::vector<std::int64_t> committed(told.begin(), told.end());
  EXPECT_EQ(ids_of(fleet.feed(head)), committed);
  for (const auto& ids : read) {
    EXPECT_EQ(ids, committed);
  }
}

}  // namespace
}  // namespace robot_council::fleet::test
