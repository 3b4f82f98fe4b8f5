#include "account/credentials.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "account/enrolments.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tests/account/account_fixture.hpp"

namespace robot_council::test {

using account::Named;

class Credentials : public AccountTest {};

// Account contract, 16.
TEST_F(Credentials, NothingResolvedNamesTheOneThatIsStored) {
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  const auto found = read("", Named::no);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().what,
            "Could not tell which harness this is, and a credential belongs to one. Enrolled here: "
            "claude. Pass "
            "--harness=<name>, or set ROBOT_COUNCIL_HARNESS in this harness's configuration.");
}

// 17.
TEST_F(Credentials, AnotherHarnessesCredentialIsNeverUsed) {
  write_credentials({{"https://fleet.example.test|codex", "t1"},
                     {"https://fleet.example.test|cursor", "t2"},
                     {"https://fleet.example.test|zed", "t3"},
                     {"https://other.example.test|goose", "t4"}});
  const auto found = read("claude", Named::yes);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, base::Errc::not_found);
  EXPECT_EQ(found.error().what,
            "This machine is not enrolled as `claude` against that fleet. Enrolled here: cursor, "
            "codex, zed. Pass "
            "--harness=<name>, or set ROBOT_COUNCIL_HARNESS in this harness's configuration.");
}

TEST_F(Credentials, NothingStoredSaysEnrol) {
  EXPECT_EQ(read("cursor", Named::no).error().what,
            "This machine is not enrolled as `cursor` against that fleet. Run `robot-council "
            "enroll` first.");
  EXPECT_TRUE(names_in(home_ / ".config").empty());  // reading makes nothing
}

// 18.
TEST_F(Credentials, ANamedHarnessClaimsTheLegacyEntryADetectedOneDoesNot) {
  write_credentials({{"https://fleet.example.test", "old"}});
  const auto detected = read("claude", Named::no);
  ASSERT_FALSE(detected.ok());
  EXPECT_NE(detected.error().what.find(
                "A credential stored before harnesses were told apart is here. Pass "
                "--harness=<the harness it was enrolled as> to claim it, or run "
                "`robot-council enroll` again."),
            std::string::npos);
  EXPECT_NE(read_text(config("credentials.json")).find("\"https://fleet.example.test\": \"old\""),
            std::string::npos);
  const auto named = read("claude", Named::yes);
  ASSERT_TRUE(named.ok()) << named.error().what;
  EXPECT_EQ(named->token, "old");
  EXPECT_EQ(read_text(config("credentials.json")),
            "{\n  \"https://fleet.example.test|claude\": \"old\"\n}\n");
  EXPECT_FALSE(read("codex", Named::yes).ok());
  EXPECT_EQ(read("claude", Named::no)->token, "old");
}

// 19.
TEST_F(Credentials, AClaimWhoseOldEntryStaysIsSaidAndKept) {
  add_secret_tool();
  // This one never removes anything.
  add_program("secret-tool", R"(
folder=$HOME/secrets; mkdir -p "$folder"
verb=$1; shift
case $1 in --label=*) shift;; esac
name=$(printf %s "$2" | tr '/:|' '___')
case $verb in
  store) cat >"$folder/$name";;
  lookup) [ -f "$folder/$name" ] && cat "$folder/$name" || exit 1;;
esac
)");
  write_text(home_ / "secrets/https___fleet.example.test", "old");
  const auto claimed = read("claude", Named::yes);
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().what,
            "The credential was claimed for `claude`, but the one stored before harnesses were "
            "told apart could not be "
            "removed from the Secret Service, under the attribute `robot-council`. Remove it by "
            "hand before another "
            "harness claims it too.");
  EXPECT_EQ(read("claude", Named::yes)->token, "old");
}

TEST_F(Credentials, AClaimWhoseOldEntryCannotBeCheckedIsSaid) {
  add_program("secret-tool", R"(
folder=$HOME/secrets; mkdir -p "$folder"
verb=$1; shift
case $1 in --label=*) shift;; esac
name=$(printf %s "$2" | tr '/:|' '___')
case $verb in
  store) cat >"$folder/$name";;
  lookup) [ -f "$folder/broken" ] && [ "$name" = https___fleet.example.test ] && { echo "it broke" >&2; exit 1; }
          [ -f "$folder/$name" ] && cat "$folder/$name" || exit 1;;
  clear) touch "$folder/broken"; exit 0;;
esac
)");
  write_text(home_ / "secrets/https___fleet.example.test", "old");
  const auto claimed = read("claude", Named::yes);
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(
      claimed.error().what,
      "The credential was claimed for `claude`, but whether the one stored before harnesses were "
      "told apart is gone "
      "could not be checked: The Secret Service could not be read: `secret-tool` exited 1. it "
      "broke Check the Secret "
      "Service, under the attribute `robot-council` by hand before another harness claims it too.");
}

// `doctor` gives a reading 5 s, however many calls of a store's tool it takes.
class SlowStore : public Credentials {
 protected:
  // The tool's own time is far longer.
  base::Result<account::Credential> read_within(base::Milliseconds time) {
    const account::HarnessChoice choice{"claude", Named::yes, {"cursor", "claude", "codex"}};
    const auto begun = std::chrono::steady_clock::now();
    auto found = account::read_credential(context_, service(), choice, base::Milliseconds(60000),
                                          base::deadline_in(time));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, test::allowed(std::chrono::seconds(20)));
    return found;
  }
  // Each that ever ran is gone.
  void expect_no_tool_left(std::size_t at_least) {
    const auto pids = base::split(base::trim(read_text(home_ / "pids")), '\n');
    EXPECT_GE(pids.size(), at_least);
    for (const auto& pid : pids) {
      EXPECT_NE(::kill(static_cast<pid_t>(base::parse_digits(pid).value_or(0)), 0), 0) << pid;
    }
  }
};

TEST_F(SlowStore, AHangingToolEndsWithTheTimeOfTheReading) {
  add_program("secret-tool", "echo $$ >>\"$HOME/pids\"; exec sleep 600\n");
  const auto found = read_within(base::Milliseconds(300));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, base::Errc::timeout);
  EXPECT_EQ(found.error().what.find("The credential of `claude` could not be read: "), 0U)
      << found.error().what;
  expect_no_tool_left(1);
}

TEST_F(SlowStore, LaterCallsHaveOnlyWhatIsLeft) {
  add_program("secret-tool",
              "echo $$ >>\"$HOME/pids\"\n"
              "[ -f \"$HOME/second\" ] && exec sleep 600\n"
              "touch \"$HOME/second\"; exit 1\n");
  const auto found = read_within(base::Milliseconds(500));
  ASSERT_FALSE(found.ok());
  expect_no_tool_left(2);
}

// 28.
TEST_F(Credentials, AStoreThatFailsIsNotNotEnrolled) {
  add_program("secret-tool", "echo 'cannot unlock the collection' >&2; exit 1\n");
  const auto found = read("claude", Named::yes);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().what,
            "The credential of `claude` could not be read: The Secret Service could not be read: "
            "`secret-tool` exited 1. "
            "cannot unlock the collection");
}

TEST_F(Credentials, AMachineWithoutASessionBusIsNotAFailingStore) {
  add_program("secret-tool",
              "echo 'secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY' >&2; exit 1\n");
  EXPECT_EQ(read("claude", Named::yes).error().code, base::Errc::not_found);
  // But it is one where the record says that the credential is there.
  account::Enrolment record;
  record.store = "secret-service";
  ASSERT_TRUE(account::Enrolments(context_).put("https://fleet.example.test|claude", record).ok());
  EXPECT_NE(read("claude", Named::yes).error().what.find("could not be read"), std::string::npos);
}

// 32.
TEST_F(Credentials, AFileOthersMayReadIsRefusedWithTheRemedy) {
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  const std::string path = config("credentials.json");
  ASSERT_TRUE(base::set_mode(path, 0640).ok());
  const std::string head = "The credential of `claude` could not be read: ";
  EXPECT_EQ(
      read("claude", Named::yes).error().what,
      head + "`" + path + "` is readable by more than its owner. Run: chmod 600 '" + path + "'");
  ASSERT_TRUE(base::set_mode(path, 0600).ok());
  const std::string folder = home_ / ".config/robot-council";
  ASSERT_TRUE(base::set_mode(folder, 0755).ok());
  EXPECT_EQ(read("claude", Named::yes).error().what,
            head + "`" + folder + "` is readable by more than its owner. Run: chmod 700 '" +
                folder + "'");
  ASSERT_TRUE(base::set_mode(folder, 0700).ok());
  ASSERT_TRUE(base::rename_file(path, home_ / "elsewhere").ok());
  ASSERT_EQ(::symlink((home_ / "elsewhere").c_str(), path.c_str()), 0);
  EXPECT_EQ(read("claude", Named::yes).error().code, base::Errc::refused);
  ASSERT_TRUE(base::remove_file(path).ok());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read("claude", Named::yes).error().code, base::Errc::refused);
}

TEST_F(Credentials, AnotherUsersFileIsRefused) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "giving a file to another user needs root";
  }
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  ASSERT_EQ(::chown(config("credentials.json").c_str(), 65534, 65534), 0);
  EXPECT_NE(read("claude", Named::yes).error().what.find("belongs to another user (uid 65534)"),
            std::string::npos);
}

TEST_F(Credentials, TheRecordsFileIsHeldToTheSameRules) {
  ASSERT_TRUE(account::Enrolments(context_).put("https://fleet.example.test|claude", {}).ok());
  ASSERT_TRUE(base::set_mode(config("enrolments.json"), 0644).ok());
  EXPECT_EQ(read("claude", Named::yes).error().code, base::Errc::refused);
}

// 35, the reader's half.
TEST_F(Credentials, ABrokenFileIsReadByNobodyAndLeft) {
  write_credentials({});
  write_text(config("credentials.json"), "{\"a\": ");
  const auto found = read("claude", Named::yes);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, base::Errc::corrupt);
  EXPECT_EQ(read_text(config("credentials.json")), "{\"a\": ");
  write_text(config("credentials.json"), "");
  EXPECT_EQ(read("claude", Named::yes).error().code, base::Errc::not_found);
}

// 37.
TEST_F(Credentials, APlainFileIsReadAndItsExpiryIsUnknown) {
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  const auto found = read("claude", Named::no);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->token, "t1");
  EXPECT_EQ(found->store, "file");
  EXPECT_FALSE(found->expires_ms.has_value());
}

TEST_F(Credentials, TheRecordedExpiryComesWithTheToken) {
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  account::Enrolment record;
  record.store = "file";
  record.machine_label = "bench";
  record.installation_id = 7;
  record.enrolled_ms = 1796018400000;
  record.expires_ms = 1798610400000;
  const account::Enrolments records(context_);
  ASSERT_TRUE(records.put("https://fleet.example.test|claude", record).ok());
  EXPECT_EQ(read("claude", Named::no)->expires_ms, 1798610400000);
  EXPECT_EQ(
      read_text(records.path()),
      "{\n  \"entries\": {\n    \"https://fleet.example.test|claude\": {\n      \"enrolled_at\": "
      "\"2026-11-30T06:00:00Z\",\n      \"expires_at\": \"2026-12-30T06:00:00Z\",\n      "
      "\"installation_id\": 7,\n      "
      "\"machine_label\": \"bench\",\n      \"store\": \"file\"\n    }\n  },\n  \"version\": "
      "1\n}\n");
  EXPECT_EQ(mode_of(records.path()), 0600U);
}

TEST_F(Credentials, ABrokenOrNewerRecordsFileOnlyHidesTheExpiry) {
  write_credentials({{"https://fleet.example.test|claude", "t1"}});
  for (const char* text : {"nonsense", R"({"version":2,"entries":{}})"}) {
    write_text(config("enrolments.json"), text);
    ASSERT_TRUE(base::set_mode(config("enrolments.json"), 0600).ok());
    const auto found = read("claude", Named::no);
    ASSERT_TRUE(found.ok()) << text;
    EXPECT_FALSE(found->expires_ms.has_value());
    EXPECT_EQ(read_text(config("enrolments.json")), text);
  }
  EXPECT_EQ(account::Enrolments(context_).put("k", {}).error().code, base::Errc::unsupported);
  EXPECT_TRUE(log_.contains("newer robot-council"));
}

}  // namespace robot_council::test
