// Options and the folder of `serve` (service contract, 8.1, 8.2, 8.6).

#include "fleet/serve_options.hpp"

#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "fleet/data_directory.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::fleet {
namespace {

using robot_council::test::TempDir;

base::Result<ServeOptions> read(const ServeWords& words) {
  base::MapEnvironment environment;
  environment.set("HOME", "/home/ana");
  return read_serve_options(words, environment);
}

TEST(ServeOptions, HasTheDefaultsOfTheContract) {
  const auto options = read({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->host, "127.0.0.1");
  EXPECT_EQ(options->port, 8787);
  EXPECT_EQ(options->data, "/home/ana/.local/share/robot-council/fleet");
  EXPECT_FALSE(options->settings.login.empty());
  EXPECT_EQ(options->settings.tasks_at_once, 1);
  EXPECT_EQ(options->settings.max_held, 2048U);
  EXPECT_EQ(options->settings.keep_events, 30);
  EXPECT_EQ(options->settings.keep_tasks, 90);
  EXPECT_EQ(options->settings.keep_locks, 7);
  EXPECT_EQ(options->settings.keep_sessions, 30);
}

TEST(ServeOptions, ANetworkAddressNeedsAProxy) {  // acceptance 55
  for (const char* listen : {"0.0.0.0:0", "192.168.1.2:80", "[::]:80"}) {
    ServeWords words;
    words.listen = listen;
    const auto refused = read(words);
    ASSERT_FALSE(refused.ok()) << listen;
    EXPECT_EQ(refused.error().code, base::Errc::refused);
    words.behind_proxy = true;
    words.public_url = "https://fleet.example.org/";
    const auto taken = read(words);
    ASSERT_TRUE(taken.ok()) << listen;
    EXPECT_EQ(taken->settings.public_url, "https://fleet.example.org");
    EXPECT_EQ(taken->public_host, "fleet.example.org");
  }
  for (const char* listen : {"127.0.0.1:0", "localhost:1", "[::1]:2"}) {
    ServeWords words;
    words.listen = listen;
    EXPECT_TRUE(read(words).ok()) << listen;
  }
}

TEST(ServeOptions, BehindAProxyExcludesWhatTrustsLoopback) {  // acceptance 55
  ServeWords words;
  words.behind_proxy = true;
  EXPECT_EQ(read(words).error().code, base::Errc::invalid) << "it needs the public URL";
  words.public_url = "https://fleet.example.org";
  ASSERT_TRUE(read(words).ok());
  ServeWords approving = words;
  approving.auto_approve = true;
  EXPECT_EQ(read(approving).error().code, base::Errc::invalid);
  ServeWords unlimited = words;
  unlimited.no_rate_limit = true;
  EXPECT_EQ(read(unlimited).error().code, base::Errc::invalid);
}

TEST(ServeOptions, ValuesOutOfRangeAreUsageErrorsThatNameTheOption) {
  const auto error = [](auto set) {
    ServeWords words;
    set(words);
    const auto options = read(words);
    return options.ok() ? std::string("ok") : options.error().what;
  };
  EXPECT_NE(error([](ServeWords& w) { w.tasks_at_once = "17"; }).find("--tasks-at-once"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.tasks_at_once = "0"; }).find("--tasks-at-once"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.keep_events = "-1"; }).find("--keep-events"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.max_held = "many"; }).find("--max-held"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.rate_limits = {"tasks=3"}; }).find("device-token-ip"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.rate_limits = {"agent"}; }).find("NAME=N"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.listen = "127.0.0.1"; }).find("HOST:PORT"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.listen = "127.0.0.1:70000"; }).find("HOST:PORT"),
            std::string::npos);
  EXPECT_NE(error([](ServeWords& w) { w.store = "mysql"; }).find("--store"), std::string::npos);
  for (const std::string& login :
       std::vector<std::string>{"a b", "x\n", "ü", std::string(65, 'a')}) {
    EXPECT_NE(error([&](ServeWords& w) { w.login = login; }).find("--login takes"),
              std::string::npos)
        << login;
  }
  EXPECT_EQ(error([](ServeWords& w) { w.login = "octo-cat_2@corp.example"; }), "ok");
  EXPECT_EQ(error([](ServeWords& w) { w.rate_limits = {"agent=3", "operator=5"}; }), "ok");
  EXPECT_EQ(error([](ServeWords& w) { w.keep_events = "0"; }), "ok");
}

TEST(DataDirectory, TheTokenIsMadeOnceForItsOwnerOnly) {  // acceptance 59
  const TempDir folder;
  std::string first;
  {
    auto data = DataDirectory::open(folder / "fleet");
    ASSERT_TRUE(data.ok()) << data.error().what;
    auto token = data->operator_token();
    ASSERT_TRUE(token.ok());
    first = *token;
    EXPECT_EQ(first.size(), 64U);
    EXPECT_EQ(first.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
  EXPECT_EQ(base::file_info(folder / "fleet/operator.token", base::Links::dont)->mode, 0600U);
  EXPECT_EQ(base::file_info(folder / "fleet", base::Links::dont)->mode, 0700U);
  auto data = DataDirectory::open(folder / "fleet");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(*data->operator_token(), first);
  ASSERT_TRUE(base::set_mode(folder / "fleet/operator.token", 0640).ok());
  const auto refused = data->operator_token();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, base::Errc::refused);
  EXPECT_NE(refused.error().what.find("chmod 600"), std::string::npos);
  EXPECT_EQ(refused.error().what.find(first), std::string::npos);
}

// A project or home folder that was named by mistake is not made private behind its owner's back.
TEST(DataDirectory, AnOpenFolderWithOtherFilesIsRefused) {
  const TempDir folder;
  const std::string path = folder / "project";
  robot_council::test::write_text(path + "/README", "x");
  ASSERT_TRUE(base::set_mode(path, 0755).ok());
  const auto refused = DataDirectory::open(path);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, base::Errc::refused);
  EXPECT_NE(refused.error().what.find("chmod 700 " + path), std::string::npos)
      << refused.error().what;
  EXPECT_EQ(base::file_info(path, base::Links::dont)->mode, 0755U);
  // An empty one was made for this.
  ASSERT_TRUE(base::remove_file(path + "/README").ok());
  EXPECT_TRUE(DataDirectory::open(path).ok());
  EXPECT_EQ(base::file_info(path, base::Links::dont)->mode, 0700U);
}

TEST(DataDirectory, ASecondOwnerIsToldThePid) {  // acceptance 55
  const TempDir folder;
  auto data = DataDirectory::open(folder / "fleet");
  ASSERT_TRUE(data.ok());
  const auto second = DataDirectory::open(folder / "fleet");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, base::Errc::busy);
  EXPECT_NE(second.error().what.find("pid " + std::to_string(::getpid())), std::string::npos)
      << second.error().what;
}

TEST(DataDirectory, ATokenFileWithOtherContentIsNotTaken) {
  const TempDir folder;
  auto data = DataDirectory::open(folder / "fleet");
  ASSERT_TRUE(data.ok());
  robot_council::test::write_text(folder / "fleet/operator.token", "");
  ASSERT_TRUE(base::set_mode(folder / "fleet/operator.token", 0600).ok());
  EXPECT_EQ(data->operator_token().error().code, base::Errc::corrupt);
}

}  // namespace
}  // namespace robot_council::fleet
