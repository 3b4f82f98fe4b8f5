// The judge of concurrent histories refuses bad ones.

#include "tests/fleet/linear_history.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/race_models.hpp"

namespace robot_council::fleet::test {
namespace {

using Clients = std::vector<std::vector<Call>>;
using Feed = std::vector<std::string>;

// A call from time `begin` to `end`.
Call call(std::int64_t actor, const std::string& action, int status, int begin, int end,
          std::int64_t fence = 0) {
  Call made;
  made.actor = actor;
  made.action = action;
  made.object = "n";
  made.status = status;
  made.fence = fence;
  made.begin = base::SteadyTime(std::chrono::seconds(begin));
  made.end = base::SteadyTime(std::chrono::seconds(end));
  return made;
}

Call with_answer(Call made, const std::string& answer) {
  made.answer = answer;
  return made;
}

bool good_locks(const Clients& clients, const Feed& feed) {
  return !LinearHistory<LockModel>(clients, feed).refusal(LockModel());
}

const char* const kAcquired1 = "lock.acquired n by 1 fence 1";
const char* const kReleased1 = "lock.released n by 1";
const char* const kAcquired2 = "lock.acquired n by 2 fence 2";

TEST(LinearHistory, TakesAHistoryThatHasAnOrder) {
  // 2 is refused while 1 holds, though its call began first; then it wins.
  EXPECT_TRUE(good_locks({{call(1, "acquire", 200, 1, 4, 1), call(1, "renew", 200, 5, 6, 1),
                           call(1, "release", 200, 7, 9)},
                          {call(2, "acquire", 409, 0, 5), call(2, "acquire", 200, 8, 10, 2)}},
                         {kAcquired1, "lock.renewed n by 1 fence 1", kReleased1, kAcquired2}));
  EXPECT_TRUE(good_locks(
      {{call(1, "renew", 404, 0, 1), call(1, "acquire", 200, 2, 3, 1)},
       {call(0, "lapse", 0, 4, 5)},
       {call(2, "renew", 403, 3, 4), call(2, "acquire", 200, 6, 7, 2),
        call(2, "force-release", 200, 8, 9)},
       {call(1, "renew", 409, 7, 8)}},
      {kAcquired1, "lock.taken_over n by 2 fence 2 from 1", "lock.force_released n by 2 from 2"}));
  EXPECT_TRUE(good_locks({}, {}));
}

TEST(LinearHistory, RefusesTwoWinners) {
  EXPECT_FALSE(good_locks({{call(1, "acquire", 200, 0, 5, 1)}, {call(2, "acquire", 200, 0, 5, 2)}},
                          {kAcquired1, kAcquired2}));
}

TEST(LinearHistory, RefusesAFenceThatDoesNotRise) {
  const Clients clients = {{call(1, "acquire", 200, 0, 1, 2), call(1, "release", 200, 2, 3)},
                           {call(2, "acquire", 200, 4, 5, 2)}};
  EXPECT_FALSE(good_locks(clients, {"lock.acquired n by 1 fence 2", kReleased1, kAcquired2}));
  Clients renewed = {{call(1, "acquire", 200, 0, 1, 1), call(1, "renew", 200, 2, 3, 2)}};
  EXPECT_FALSE(good_locks(renewed, {kAcquired1, "lock.renewed n by 1 fence 2"}));
}

TEST(LinearHistory, RefusesAnOrderAgainstRealTime) {
  // The refusal had ended before anybody took the lock; overlapping it may stand.
  EXPECT_FALSE(good_locks({{call(1, "acquire", 200, 3, 4, 1)}, {call(2, "acquire", 409, 0, 1)}},
                          {kAcquired1}));
  EXPECT_TRUE(good_locks({{call(1, "acquire", 200, 0, 4, 1)}, {call(2, "acquire", 409, 0, 1)}},
                         {kAcquired1}));
  // The feed tells 2 before 1, whose release had ended before 2 began.
  const Clients clients = {{call(1, "acquire", 200, 0, 1, 1), call(1, "release", 200, 2, 3)},
                           {call(2, "acquire", 200, 4, 5, 2), call(2, "release", 200, 6, 7)}};
  EXPECT_TRUE(good_locks(clients, {kAcquired1, kReleased1, kAcquired2, "lock.released n by 2"}));
  EXPECT_FALSE(good_locks(clients, {kAcquired2, "lock.released n by 2", kAcquired1, kReleased1}));
}

TEST(LinearHistory, RefusesAChangeWithoutItsEventAndAnEventWithoutItsChange) {
  const Clients clients = {{call(1, "acquire", 200, 0, 1, 1), call(1, "release", 200, 2, 3)}};
  EXPECT_TRUE(good_locks(clients, {kAcquired1, kReleased1}));
  EXPECT_FALSE(good_locks(clients, {kAcquired1}));
  EXPECT_FALSE(good_locks(clients, {kReleased1}));
  EXPECT_FALSE(good_locks(clients, {kAcquired1, kAcquired1, kReleased1}));
  EXPECT_FALSE(good_locks(clients, {kAcquired1, kReleased1, kReleased1}));
  EXPECT_FALSE(good_locks({{call(1, "renew", 404, 0, 1)}}, {"lock.renewed n by 1 fence 1"}));
}

TEST(LinearHistory, SaysWhereItEnded) {
  const auto why =
      LinearHistory<LockModel>(
          {{call(1, "acquire", 200, 0, 1, 1)}, {call(2, "renew", 200, 2, 3, 1)}}, {kAcquired1})
          .refusal(LockModel());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("after 1 calls and 1 events"), std::string::npos) << *why;
  EXPECT_NE(why->find("session 2 renew n -> 200"), std::string::npos) << *why;
}

TEST(LinearHistory, RefusesTwoHoldersOfATask) {
  const auto good = [](const Clients& clients, const Feed& feed) {
    return !LinearHistory<TaskModel>(clients, feed).refusal(TaskModel(9));
  };
  const Call first = with_answer(call(1, "claim", 200, 0, 3), "claimed");
  const std::string event = "task.claimed n by 1 to claimed";
  EXPECT_TRUE(
      good({{first}, {call(2, "claim", 409, 0, 3), call(2, "release", 403, 4, 5)}}, {event}));
  EXPECT_FALSE(good({{first}, {with_answer(call(2, "claim", 200, 0, 3), "claimed")}},
                    {event, "task.claimed n by 2 to claimed"}));
  EXPECT_FALSE(good({{first}, {call(2, "release", 409, 4, 5)}}, {event})) << "wrong refusal";
  EXPECT_TRUE(good({{first}, {with_answer(call(9, "release", 200, 4, 5), "pending")}},
                   {event, "task.released n by 9 to pending"}));
}

TEST(LinearHistory, RefusesACodeExchangedTwiceOrBeforeItsApproval) {
  const auto good = [](const Clients& clients, const Feed& feed, std::int64_t installed = 0) {
    return !LinearHistory<CodeModel>(clients, feed).refusal(CodeModel(installed));
  };
  const Call approved = call(0, "approve", 200, 2, 3);
  const Call taken = call(0, "exchange", 201, 2, 4, 7);
  EXPECT_TRUE(good({{approved}, {taken}}, {}));
  EXPECT_TRUE(good({{approved}, {taken}}, {"installation.revoked 6"}, 6));
  EXPECT_FALSE(good({{approved}, {taken}}, {}, 6)) << "the event is missing";
  EXPECT_FALSE(
      good({{approved}, {taken}, {call(0, "exchange", 201, 2, 4, 8)}}, {"installation.revoked 7"}));
  EXPECT_FALSE(good({{approved}, {call(0, "exchange", 201, 0, 1, 7)}}, {}));
  EXPECT_FALSE(good({{approved}, {call(0, "deny", 200, 2, 3)}}, {}));
}

// Asking for the role that is asked for already changes nothing; here it has to come later, where
// it does.
TEST(LinearHistory, TriesACallThatMayChangeSomethingInEachPlace) {
  Call early = call(1, "request", 202, 0, 1);
  Call late = call(1, "request", 202, 0, 10);
  early.object = late.object = "ci";
  const Call denied = with_answer(call(1, "deny", 200, 2, 3), "ci");
  const std::string requested = "session.role_requested build to ci";
  const std::string refused = "session.role_requested refused ci stays build";
  const auto good = [&](const Feed& feed) {
    return !LinearHistory<RoleModel>({{early, denied}, {late}}, feed).refusal(RoleModel());
  };
  EXPECT_TRUE(good({requested, refused}));
  EXPECT_TRUE(good({requested, refused, requested}));
  EXPECT_FALSE(good({requested, refused, requested, refused}));
}

TEST(LinearHistory, RefusesADirectiveWithoutTheRole) {
  const auto good = [](const Clients& clients, const Feed& feed) {
    return !LinearHistory<RoleModel>(clients, feed).refusal(RoleModel());
  };
  Call asked = call(1, "request", 202, 0, 1);
  Call approved = with_answer(call(1, "approve", 200, 2, 5), "true");
  asked.object = approved.object = "coordinator";
  const std::string requested = "session.role_requested build to coordinator";
  const std::string changed = "session.role_changed build to coordinator approved";
  EXPECT_TRUE(
      good({{asked, approved}, {call(1, "direct", 403, 3, 4), call(1, "direct", 201, 4, 6)}},
           {requested, changed, "directive"}));
  EXPECT_FALSE(
      good({{asked, approved}, {call(1, "direct", 201, 0, 1)}}, {requested, "directive", changed}));
  EXPECT_FALSE(good({{asked, approved}, {call(1, "direct", 403, 6, 7)}}, {requested, changed}))
      << "the role's abilities are there at once";
  EXPECT_FALSE(good({{asked, approved}, {approved}}, {requested, changed, changed}));
  EXPECT_FALSE(good({{asked}, {with_answer(call(1, "see", 200, 2, 3), "build/")}}, {requested}));
}

}  // namespace
}  // namespace robot_council::fleet::test
