#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::SinkHome;

class Gap : public ::testing::Test {
 protected:
  void append(BridgeStore& store, std::int64_t from, std::int64_t to) {
    auto added = store.append({events(from, to), to, {}, Renumber::no});
    ASSERT_TRUE(added.ok()) << added.error().what;
  }
  // What the entry tells to read from; "" if there is no such entry.
  std::string said() {
    for (const Entry& row : home_.rows()) {
      const std::string body = test::body_of(row.json);
      const std::size_t at = body.find("after=");
      if (row.type == "bridge.sink-gap") {
        return at == std::string::npos ? body : body.substr(at, body.find(' ', at) - at);
      }
    }
    return {};
  }
  void spoil() { test::write_text(home_.files().database(), std::string(9000, 'z')); }

  SinkHome home_;
};

// The entry about the first damage goes with the second; what it said is said again.
TEST_F(Gap, ASecondDamageBeforeTheFirstWasReadSaysBoth) {
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  EXPECT_EQ(said(), "after=4");
  spoil();
  append(store, 10, 10);
  EXPECT_EQ(said(), "after=4");
  std::filesystem::remove(home_.files().database());
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=4");
}

TEST_F(Gap, OnceItWasReadALaterDamageSaysOnlyWhatCameSince) {
  BridgeStore store = home_.bridge();
  append(store, 5, 8);
  spoil();
  append(store, 9, 9);
  home_.sql("DELETE FROM entry WHERE type = 'bridge.sink-gap'");
  append(store, 10, 10);
  spoil();
  append(store, 11, 11);
  EXPECT_EQ(said(), "after=8");
}

// Killed after the damaged file was set aside and before the new one was begun.
TEST_F(Gap, ABridgeThatWasKilledWhileHealingIsSpokenForByTheNext) {
  {
    BridgeStore store = home_.bridge();
    append(store, 5, 8);
  }
  const std::string aside = home_.files().key + ".db.corrupt-20261130T060000Z";
  ASSERT_EQ(::rename(home_.files().database().c_str(), (home_.folder() + "/" + aside).c_str()), 0);
  JoinInfo join = home_.join(2);
  join.cursor = 8;
  BridgeStore next = home_.bridge(join);
  ASSERT_EQ(home_.rows().size(), 1U);
  EXPECT_NE(test::body_of(home_.rows()[0].json).find("set aside as " + aside), std::string::npos);
  EXPECT_EQ(said(), "after=8");
}

// An old file that was set aside says nothing at the joins that follow.
TEST_F(Gap, ASinkThatIsThereNeedsNoWordAboutAnOlderOne) {
  { BridgeStore store = home_.bridge(); }
  test::write_text(home_.folder() + "/" + home_.files().key + ".db.corrupt-20260101T060000Z", "x");
  BridgeStore next = home_.bridge();
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace robot_council::sink
