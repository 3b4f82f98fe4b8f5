#include "account/stores.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "account/file_store.hpp"
#include "account/private_json.hpp"
#include "account/tool_stores.hpp"
#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "tests/account/account_fixture.hpp"

namespace robot_council::test {

using account::CredentialStore;
using account::StoreKind;

namespace {

base::SteadyTime soon() {
  return test::in_time();
}

// Account contract, 21.
const std::vector<std::string> kTokens = {
    "17|plain",          R"(a "quoted" 'token' "")", "$(id) `id` $HOME", "  padded  ",
    "Büro 東京 🙂", R"(back\slash\n)",          "0xDEADBEEF",       " "};

void expect_round_trips(CredentialStore& store) {
  for (const auto& token : kTokens) {
    const auto written = store.write("https://h|claude", token, soon());
    ASSERT_TRUE(written.ok()) << token << ": " << written.error().what;
    const auto back = store.read("https://h|claude", soon());
    ASSERT_TRUE(back.ok()) << token;
    EXPECT_EQ(back->value_or("(none)"), token);
  }
  // 22: refused before anything is kept.
  for (const char* token : {"", "a\rb", "a\nb"}) {
    EXPECT_EQ(store.write("https://h|empty", token, soon()).error().code, base::Errc::invalid);
  }
  EXPECT_FALSE(store.read("https://h|empty", soon())->has_value());
  for (const char* key : {"https://h\"|c", "https://h\\|c", "https://h\n|c"}) {
    EXPECT_EQ(store.write(key, "t", soon()).error().code, base::Errc::invalid);
  }
  // 23: entries of their own.
  const std::vector<std::string> keys = {"https://h|claude", "https://H|claude", "https://h|codex",
                                         "https://i|claude", "https://h"};
  for (const auto& key : keys) {
    ASSERT_TRUE(store.write(key, "token of " + key, soon()).ok());
  }
  for (const auto& key : keys) {
    EXPECT_EQ(store.read(key, soon())->value_or(""), "token of " + key);
    ASSERT_TRUE(store.remove(key, soon()).ok());
    EXPECT_FALSE(store.read(key, soon())->has_value());
    EXPECT_TRUE(store.remove(key, soon()).ok());  // nothing there: nothing to do
  }
}

// `security` as far as this product calls it, with the real one's output forms.
constexpr const char* kSecurity = R"sh(
folder=$HOME/items; mkdir -p "$folder"
{ tr '\0' ' ' </proc/$$/cmdline; tr '\0' '\n' </proc/$$/environ; } >>"$HOME/tool.log"
name_of() { printf %s "$1" | sha256sum | cut -c1-64; }
case $1 in
  -i) while IFS= read -r line; do
        key=$(printf '%s\n' "$line" | sed -n 's/^add-generic-password -a "\([^"]*\)" -s "robot-council" -U -X [0-9a-f]*$/\1/p')
        hex=$(printf '%s\n' "$line" | sed -n 's/.* -X \([0-9a-f]*\)$/\1/p')
        [ -n "$hex" ] && printf %s "$hex" >"$folder/$(name_of "$key")"
      done;;
  find-generic-password) f=$folder/$(name_of "$3"); [ -f "$f" ] || exit 44
      printf 'keychain: "/x/login.keychain-db"\nclass: "genp"\n'
      hex=$(cat "$f")
      text=$(printf %s "$hex" | sed 's/../\\x&/g'); text=$(/usr/bin/printf "$text.")
      case $text in *[!\ -~]*) printf 'password: 0x%s  "something"\n' "$(printf %s "$hex" | tr a-f A-F)" >&2;;
        *) printf 'password: "%s"\n' "${text%.}" >&2;; esac;;
  delete-generic-password) f=$folder/$(name_of "$3"); [ -f "$f" ] || exit 44; rm "$f";;
esac
)sh";

}  // namespace

class Stores : public AccountTest {};

TEST_F(Stores, FileRoundTrip) {
  const auto store = account::make_file_store(context_, config("credentials.json"));
  expect_round_trips(*store);
  EXPECT_FALSE(base::exists(config("credentials.json")));  // 36: the last entry is gone
}

TEST_F(Stores, KeychainRoundTrip) {
  const auto store = account::make_keychain_store(context_, add_program("security", kSecurity));
  expect_round_trips(*store);
}

TEST_F(Stores, SecretServiceRoundTripWithAFakeTool) {
  add_secret_tool();
  const auto store =
      account::make_secret_service_store(context_, home_ / "bin/secret-tool", home_.path());
  expect_round_trips(*store);
}

// 31: in no argv and no child's environment.
TEST_F(Stores, TheTokenIsInNoArgumentAndNoEnvironment) {
  add_secret_tool();
  const std::string token = "17|verysecretvalue";
  const auto secrets =
      account::make_secret_service_store(context_, home_ / "bin/secret-tool", home_.path());
  const auto keychain = account::make_keychain_store(context_, add_program("security", kSecurity));
  for (CredentialStore* store : {secrets.get(), keychain.get()}) {
    ASSERT_TRUE(store->write("https://h|claude", token, soon()).ok());
    ASSERT_EQ(store->read("https://h|claude", soon())->value_or(""), token);
    ASSERT_TRUE(store->remove("https://h|claude", soon()).ok());
  }
  const std::string seen = read_text(home_ / "tool.log");
  EXPECT_NE(seen.find("https://h|claude"), std::string::npos);  // the log does hold the calls
  EXPECT_EQ(seen.find("verysecret"), std::string::npos);
  EXPECT_EQ(seen.find("31377c7665727973"), std::string::npos);  // nor its hex
}

TEST_F(Stores, KeychainOutputForms) {
  using account::keychain_password;
  EXPECT_EQ(keychain_password("password: \"abc\"\n"), "abc");
  EXPECT_EQ(keychain_password("password: \"a\"b\"\n"), "a\"b");
  EXPECT_EQ(keychain_password("class\npassword: 0x42C3BC  \"B\\303\\274\"\n"), "Bü");
  EXPECT_EQ(keychain_password("password: 0x4142\n"), "AB");
  EXPECT_EQ(keychain_password("password: \"0xDEADBEEF\"\n"), "0xDEADBEEF");
  EXPECT_EQ(keychain_password("password: \n"), std::nullopt);
  EXPECT_EQ(keychain_password("password: 0x414\n"), std::nullopt);
  EXPECT_EQ(keychain_password("nothing"), std::nullopt);
}

TEST_F(Stores, KeychainErrorsAreNotAbsence) {
  const auto store = account::make_keychain_store(
      context_, add_program("security", "echo 'User interaction is not allowed.' >&2; exit 36\n"));
  const auto found = store->read("https://h|claude", soon());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().what,
            "The macOS Keychain could not be read: `security` exited 36. User interaction is not "
            "allowed.");
  EXPECT_EQ(store->write("https://h|claude", "t", soon()).error().what,
            "The credential could not be stored in the macOS Keychain.");
}

// 24: no bus. The real tool on this machine, an environment without one.
TEST_F(Stores, ARealToolWithoutABusFallsBackToTheFile) {
  if (!base::exists("/usr/bin/secret-tool")) {
    GTEST_SKIP() << "secret-tool is not installed";
  }
  environment_.set("PATH", "/usr/bin:/bin");
  auto places = account::store_places(context_);
  places.run_folder = home_.path();
  account::CredentialStores all(context_, places);
  auto chosen = all.choose(std::nullopt);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ((*chosen)->kind(), StoreKind::file);
  ASSERT_EQ(log_.lines().size(), 1U);
  EXPECT_EQ(log_.lines()[0].find("secret-service did not answer a test entry ("), 0U)
      << log_.lines()[0];
  EXPECT_NE(log_.lines()[0].find("); using file."), std::string::npos);
}

// 25, 27.
TEST_F(Stores, AHangingToolIsLeftWithinThreeSecondsAndItsChildIsGone) {
  add_program("secret-tool", "echo $$ >\"$HOME/pid\"; exec sleep 600\n");
  const auto begin = std::chrono::steady_clock::now();
  auto all = stores();
  auto chosen = all.choose(std::nullopt);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ((*chosen)->kind(), StoreKind::file);
  EXPECT_LT(took, test::allowed(std::chrono::milliseconds(4000)));
  EXPECT_TRUE(log_.contains(
      "secret-service did not answer a test entry (no answer within 3 s); using file."));
  const int pid = std::stoi(read_text(home_ / "pid"));
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(Stores, TheTestEntryIsGoneAfterwards) {
  add_secret_tool();
  auto all = stores();
  ASSERT_EQ((*all.choose(std::nullopt))->kind(), StoreKind::secret_service);
  EXPECT_TRUE(names_in(home_ / "secrets").empty());
  EXPECT_NE(read_text(home_ / "tool.log").find("robot-council-probe|"), std::string::npos);
  EXPECT_TRUE(log_.lines().empty());
  EXPECT_TRUE(names_in(home_ / ".config").empty());
}

TEST_F(Stores, AToolThatForgetsIsNotChosen) {
  add_program("secret-tool", "[ \"$1\" = lookup ] && exit 1; cat >/dev/null; exit 0\n");
  auto all = stores();
  EXPECT_EQ((*all.choose(std::nullopt))->kind(), StoreKind::file);
}

// 26.
TEST_F(Stores, ANamedStoreThatIsNotUsableIsAnError) {
  auto all = stores();
  EXPECT_EQ(
      all.choose(StoreKind::secret_service).error().what,
      "The credential store \"secret-service\" is not usable here: secret-tool is not on PATH.");
  add_program("secret-tool", "echo broken >&2; exit 1\n");
  auto with_tool = stores();
  EXPECT_EQ(with_tool.choose(StoreKind::secret_service).error().what,
            "The credential store \"secret-service\" is not usable here: The credential could not "
            "be stored in the Secret "
            "Service. broken.");
  EXPECT_EQ(all.choose(StoreKind::keychain).error().code, base::Errc::unsupported);
}

// 30.
TEST_F(Stores, AKeyIsInOneStoreOnly) {
  write_credentials({{"https://h|claude", "old"}, {"https://h|codex", "other"}});
  add_secret_tool();
  auto all = stores();
  auto chosen = all.choose(std::nullopt);
  ASSERT_TRUE(all.put(**chosen, "https://h|claude", "new").ok());
  EXPECT_EQ(read_text(config("credentials.json")), "{\n  \"https://h|codex\": \"other\"\n}\n");
  auto found = all.find("https://h|claude", std::nullopt);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->token, "new");
  // And back: the keyring's entry goes when the file takes over.
  ASSERT_TRUE(all.put(**all.choose(StoreKind::file), "https://h|claude", "newest").ok());
  EXPECT_TRUE(names_in(home_ / "secrets").empty());
}

TEST_F(Stores, ARemovalThatFailedIsSaid) {
  write_credentials({{"https://h|claude", "old"}});
  ASSERT_TRUE(base::set_mode(config("credentials.json"), 0640).ok());
  add_secret_tool();
  auto all = stores();
  auto chosen = all.choose(StoreKind::secret_service);
  ASSERT_TRUE(chosen.ok());
  ASSERT_TRUE(all.put(**chosen, "https://h|claude", "new").ok());
  EXPECT_TRUE(log_.contains("An older credential of this machine could not be removed from `" +
                            config("credentials.json")));
}

// 33: a writer killed anywhere leaves the old file or the new one.
TEST_F(Stores, AKilledWriterLeavesAWholeFile) {
  const std::string path = config("credentials.json");
  const std::string old_token(400, 'o');
  const std::string new_token(700, 'n');
  ASSERT_TRUE(
      account::make_file_store(context_, path)->write("https://h|claude", old_token, soon()).ok());
  Seeded random;
  SCOPED_TRACE(random.words());
  for (int round = 0; round < 20; ++round) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const auto store = account::make_file_store(context_, path);
      while (true) {
        (void)store->write("https://h|claude", new_token, soon());
        (void)store->write("https://h|claude", old_token, soon());
      }
    }
    ASSERT_TRUE(runs_for(pid, std::chrono::microseconds(1000 + random.below(15000))));
    ::kill(pid, SIGKILL);
    ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
    const auto back = account::make_file_store(context_, path)->read("https://h|claude", soon());
    ASSERT_TRUE(back.ok()) << back.error().what;
    ASSERT_TRUE(*back == old_token || *back == new_token);
    ASSERT_EQ(mode_of(path), 0600U);
  }
}

// 34.
TEST_F(Stores, TwentyWritersAtOnceLoseNoKey) {
  const std::string path = config("credentials.json");
  std::vector<pid_t> children;
  for (int i = 0; i < 20; ++i) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const auto store = account::make_file_store(context_, path);
      ::_exit(store->write("https://h|agent" + std::to_string(i), "token", soon()).ok() ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  const auto object = account::PrivateJson(path).read();
  ASSERT_TRUE(object.ok() && object->has_value());
  EXPECT_EQ((*object)->size(), 20U);
  EXPECT_EQ(mode_of(config("")), 0700U);
}

// 35, the writer's half.
TEST_F(Stores, AWriterSetsABrokenFileAside) {
  write_credentials({});
  write_text(config("credentials.json"), "{\"a\": ");
  ASSERT_TRUE(account::make_file_store(context_, config("credentials.json"))
                  ->write("https://h|claude", "t", soon())
                  .ok());
  const std::string aside = config("credentials.json.corrupt-20261130T060000Z");
  EXPECT_EQ(read_text(aside), "{\"a\": ");
  EXPECT_TRUE(log_.contains("it was set aside as `" + aside + "`"));
  EXPECT_EQ(read_text(config("credentials.json")), "{\n  \"https://h|claude\": \"t\"\n}\n");
}

TEST_F(Stores, AFolderThatCannotBeMadeIsSaid) {
  write_text(home_ / ".config", "a file");
  EXPECT_EQ(
      account::make_file_store(context_, config("credentials.json"))
          ->write("https://h|c", "t", soon())
          .error()
          .what,
      "Could not create `" + (home_ / ".config/robot-council") + "` to store the credential in.");
}

// A bus and a keyring of our own, as a desktop has them.
class RealKeyring : public AccountTest {
 protected:
  void SetUp() override {
    for (const char* path :
         {"/usr/bin/dbus-daemon", "/usr/bin/gnome-keyring-daemon", "/usr/bin/secret-tool"}) {
      if (!base::exists(path)) {
        GTEST_SKIP() << path << " is not installed";
      }
    }
    environment_.set("PATH", "/usr/bin:/bin");
    // The daemon now and then comes up without the collection that takes new entries, and then
    // never makes it: all is started afresh until an entry can be stored.
    bool ready = false;
    for (int attempt = 0; attempt < 6 && !ready; ++attempt) {
      ready = start_afresh();
    }
    if (!ready) {
      GTEST_SKIP() << "gnome-keyring-daemon made no collection for new entries in 6 starts";
    }
  }

  bool start_afresh() {
    const std::string address = "unix:path=" + (home_ / "bus");
    keyring_.reset();
    bus_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(home_ / ".local", ignored);
    std::filesystem::remove(home_ / "bus", ignored);
    base::ChildOptions bus;
    bus.argv = {"/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile",
                "--address=" + address};
    bus.environment = environment_.all();
    bus.standard_out = base::Stdio::null;
    bus.standard_err = base::Stdio::null;
    auto started = base::Child::start(bus);
    if (!started || !wait_until([this] { return base::exists(home_ / "bus"); }) ||
        !base::make_private_directory(home_ / "run")) {
      return false;
    }
    bus_.emplace(std::move(*started));
    base::ChildOptions keyring;
    keyring.argv = {"/usr/bin/gnome-keyring-daemon", "--unlock", "--foreground",
                    "--components=secrets"};
    keyring.environment = {"HOME=" + home_.path(), "PATH=/usr/bin:/bin",
                           "XDG_RUNTIME_DIR=" + (home_ / "run"),
                           "DBUS_SESSION_BUS_ADDRESS=" + address};
    keyring.standard_in = base::Stdio::pipe;
    keyring.standard_err = base::Stdio::null;
    auto daemon = base::Child::start(keyring);
    if (!daemon || !base::write_all(daemon->standard_in.get(), "\n", soon())) {
      return false;
    }
    daemon->standard_in.reset();
    keyring_.emplace(std::move(*daemon));
    const std::map<std::string, std::string> with_bus = {{"HOME", home_.path()},
                                                         {"DBUS_SESSION_BUS_ADDRESS", address}};
    const auto stored = [&] {
      return run({"/usr/bin/secret-tool", "store", "--label=ready", "robot-council", "ready"},
                 with_bus, "x")
                 .code == 0;
    };
    return wait_until(stored, base::Milliseconds(2000)) &&
           run({"/usr/bin/secret-tool", "clear", "robot-council", "ready"}, with_bus).code == 0;
  }

  std::optional<base::Child> bus_;
  std::optional<base::Child> keyring_;
};

// 21, 27, 29: the environment is bare; the bus is found by its place.
TEST_F(RealKeyring, IsFoundWithoutAVariableAndRoundTrips) {
  auto places = account::store_places(context_);
  places.run_folder = home_.path();
  account::CredentialStores all(context_, places);
  auto chosen = all.choose(std::nullopt);
  ASSERT_TRUE(chosen.ok());
  ASSERT_EQ((*chosen)->kind(), StoreKind::secret_service)
      << (log_.lines().empty() ? "" : log_.lines()[0]);
  expect_round_trips(**chosen);
  const Ran left =
      run({"/usr/bin/secret-tool", "search", "--all", "robot-council", "x"},
          {{"HOME", home_.path()}, {"DBUS_SESSION_BUS_ADDRESS", "unix:path=" + (home_ / "bus")}});
  EXPECT_EQ(left.out.find("robot-council-probe"), std::string::npos);
}

}  // namespace robot_council::test
