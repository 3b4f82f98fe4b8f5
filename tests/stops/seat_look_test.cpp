#include "stops/seat_look.hpp"

#include <sys/stat.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kTurnEnd = 1796018400000;

class LookAtSeat : public ::testing::Test {
 protected:
  SeatLook look(const std::string& session = "s") {
    SeatOptions names;
    names.service = test::kService;
    names.project = "org/repo";  // with the client's name: the seat of SinkHome
    return look_at_seat(names, seat_.environment, "claude", seat_.dir.path(), session, kTurnEnd);
  }
  void store(std::int64_t from, std::int64_t to) {
    auto bridge = seat_.bridge();
    sink::Page page;
    page.events = test::events(from, to);
    page.cursor = to;
    test::must_append(bridge, page);
  }
  // What `pending` does with a row.
  void printed(std::int64_t event, const std::string& session, std::int64_t at_ms) {
    seat_.sql("UPDATE entry SET state = 2, to_session = '" + session + "', printed_ms = " +
              std::to_string(at_ms) + " WHERE event_id = " + std::to_string(event));
  }
  test::SinkHome seat_;
};

TEST_F(LookAtSeat, CountsWhatWaitsAndWhatWasHandedOverAtThisTurnEnd) {
  SeatLook found = look();
  EXPECT_EQ(found.seat, seat_.files().key);
  EXPECT_FALSE(found.waiting);
  store(1, 5);
  EXPECT_EQ(look().waiting, 5);
  printed(1, "s", kTurnEnd - 2000);  // both hooks ran at once
  EXPECT_EQ(look().waiting, 5);
  printed(2, "s", kTurnEnd - 2001);  // it belongs to an earlier turn end
  EXPECT_EQ(look().waiting, 4);
  printed(3, "other", kTurnEnd);
  EXPECT_EQ(look().waiting, 3);
}

// 104: not a byte, mode or file of the sink changes.
TEST_F(LookAtSeat, ChangesNothing) {
  store(1, 1);
  const std::string database = seat_.files().database();
  ASSERT_EQ(::chmod(database.c_str(), 0640), 0);
  const std::string bytes = test::read_text(database);
  const auto files = base::list_directory(seat_.folder()).value_or({});
  EXPECT_EQ(look().waiting, 1);
  EXPECT_EQ(test::mode_of(database), 0640U);
  EXPECT_EQ(test::read_text(database), bytes);
  EXPECT_EQ(base::list_directory(seat_.folder()).value_or({}), files);
}

}  // namespace
}  // namespace robot_council::stops
