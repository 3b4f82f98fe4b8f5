// The whole check of a sink, as the doctor asks for it: it changes nothing and says in one line
// what is wrong.

#include "sink/check.hpp"

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "sink/store.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::sink {
namespace {

using test::events;
using test::must_append;
using test::SinkHome;

std::string check_says(const SeatFiles& files) {
  const base::Status good = check_file(files, WaitBudget());
  return good ? "good" : good.error().what;
}

TEST(SinkCheck, WithoutAFileNothingIsWrongAndNoneIsMade) {
  SinkHome home;
  EXPECT_EQ(check_says(home.files()), "good");
  EXPECT_FALSE(std::filesystem::exists(home.folder()));
  test::write_text(home.files().database(), "");
  EXPECT_EQ(check_says(home.files()), "good");
}

TEST(SinkCheck, AGoodFileIsGoodAndLeftAsItIs) {
  SinkHome home;
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 50), 50, {}, Renumber::no});
  }
  const std::string bytes = test::read_text(home.files().database());
  EXPECT_EQ(check_says(home.files()), "good");
  EXPECT_EQ(test::read_text(home.files().database()), bytes);
}

// Damage in a table that a look at the schema does not meet.
TEST(SinkCheck, ADamagedPageIsSaidInOneLine) {
  SinkHome home;
  {
    BridgeStore store = home.bridge();
    must_append(store, {events(1, 3), 3, {}, Renumber::no});
  }
  const std::string page = home.spoil_entries();
  const std::string said = check_says(home.files());
  EXPECT_NE(said.find("age " + page), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_EQ(check_file(home.files(), WaitBudget()).error().code, base::Errc::corrupt);
}

TEST(SinkCheck, WhatIsNoDatabaseDoesNotParse) {
  SinkHome home;
  test::write_text(home.files().database(), std::string(8192, 'x'));
  EXPECT_EQ(check_says(home.files()),
            "The sink `" + home.files().database() +
                "` does not parse: file is not a database. It was left as it was; move it aside "
                "to let delivery resume.");
}

TEST(SinkCheck, WhatIsNotOursToOpenIsNotGood) {
  SinkHome home;
  { BridgeStore store = home.bridge(); }
  std::filesystem::rename(home.files().database(), home.dir / "elsewhere");
  std::filesystem::create_symlink(home.dir / "elsewhere", home.files().database());
  EXPECT_EQ(check_says(home.files()),
            "Could not open the sink `" + home.files().database() + "` to read it.");
  std::filesystem::remove(home.files().database());
  std::filesystem::rename(home.dir / "elsewhere", home.files().database());
  if (::chown(home.files().database().c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "cannot give a file away (needs root)";
  }
  EXPECT_NE(check_says(home.files()), "good") << "another user's";
}

TEST(SinkCheck, TheVersionIsThatOfTheLibraryInUse) {
  EXPECT_EQ(sqlite_version(), SQLITE_VERSION);
}

}  // namespace
}  // namespace robot_council::sink
