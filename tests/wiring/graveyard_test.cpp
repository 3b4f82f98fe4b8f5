#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "tests/lib/support.hpp"
#include "wiring/unsetup.hpp"

// Files that broke installers, times every client: each is either edited so that nothing but our
// entry changes and unsetup gives the old bytes back, or it is not touched and its place is said.
// (account contract, 7; 67, 69-73, 76-78; cases S07, S08, S13, S20, S21, S23, S24, S31.)
namespace robot_council {
namespace {

using harness::Client;
using wiring::Scope;
using wiring::Step;
using wiring::StepResult;
using wiring::Wirer;

constexpr Client kClients[] = {Client::claude, Client::codex,   Client::cursor,
                               Client::gemini, Client::copilot, Client::goose};

struct OddFile {
  const char* name;
  std::string bytes;
};

// A file of 5 MB, as a client's history in its settings makes it.
std::string five_megabytes() {
  std::string text = "{\n  \"history\": [\n";
  const std::string line = "    \"" + std::string(1000, 'h') + "\",\n";
  while (text.size() < 5U * 1024U * 1024U) {
    text += line;
  }
  return text + "    \"end\"\n  ]\n}\n";
}

const std::vector<OddFile>& odd_files() {
  static const std::vector<OddFile> kAll = {
      {"nothing", ""},
      {"blanks", " \t\n"},
      {"null", "null"},
      {"list", "[]"},
      {"number", "42\n"},
      {"word", "\"\""},
      {"cut", "{\"hooks\":{\"Stop\":["},
      {"two values", "{} {}"},
      {"garbage behind", "{\"a\":1}\nx"},
      {"comment", "{\n  // mine\n  \"a\": 1\n}\n"},
      {"block comment", "{ /* mine, {\"hooks\":[]} */ }"},
      {"comment at the end", "{\"a\":1} // mine"},
      {"trailing comma", "{\n  \"a\": 1,\n}\n"},
      {"trailing comma in a list", "{\"a\":[1,2,],\"hooks\":{}}"},
      {"byte order mark", "\xEF\xBB\xBF{\"a\":1}\n"},
      {"utf-16", std::string("\xFF\xFE{\0}\0", 6)},
      {"latin 1", "{\"name\":\"Jos\xE9\"}"},
      {"carriage returns", "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n  }\r\n}\r\n"},
      {"old mac line ends", "{\r\"a\":1\r}"},
      {"tabs", "{\n\t\"a\":\t1,\n\t\"hooks\":\t{}\n}\n"},
      {"one line, no end", "{\"a\":1,\"hooks\":{},\"mcpServers\":{}}"},
      {"wide", "{ \"a\" : 1 , \"hooks\" : { } , \"mcpServers\" : { } }  \n\n"},
      {"numbers", "{\"a\":1e400,\"b\":-0,\"c\":1.0,\"d\":12345678901234567890123,\"e\":1E+2}"},
      {"no number", "{\"a\":01,\"b\":.5}"},
      {"not a number", "{\"a\":NaN}"},
      {"keys twice", "{\"a\":1,\"a\":2}"},
      {"hooks twice", "{\"hooks\":{},\"hooks\":{}}"},
      {"servers twice", "{\"mcpServers\":{},\"mcpServers\":{}}"},
      {"escaped key", "{\"\\u0068ooks\":{},\"mcp\\u0053ervers\":{}}"},
      {"odd strings", "{\"a\":\"\\ud83d\\ude00 \\u2028 \\/ \\b \xE2\x80\xA8 \x7F\"}"},
      {"lone surrogate", "{\"a\":\"\\ud800\"}"},
      {"control byte in a string", "{\"a\":\"x\ny\"}"},
      {"nul", std::string("{\"a\":\"\0\"}", 9)},
      {"hooks is a list", "{\"hooks\":[]}"},
      {"hooks is null", "{\"hooks\":null}"},
      {"hooks is a word", "{\"hooks\":\"on\"}"},
      {"event is an object",
       "{\"hooks\":{\"Stop\":{},\"stop\":{},\"AfterAgent\":{},\"agentStop\":{}}}"},
      {"event is null",
       "{\"hooks\":{\"Stop\":null,\"stop\":null,\"AfterAgent\":null,\"agentStop\":null}}"},
      {"servers is a list", "{\"mcpServers\":[]}"},
      {"server is a word", "{\"mcpServers\":{\"robot-council\":\"x\"}}"},
      {"foreign hooks",
       "{\"version\":1,\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/gone "
       "--robot-council-stop-hook\"}]}],\"stop\":[{\"command\":\"/gone\"}]}}\n"},
      {"an event the client does not know",
       "{\"version\":1,\"hooks\":{\"notification\":[{\"command\":\"/x\"}]}}"},
      {"private keys", "{\"$schema\":\"x\",\"version\":1,\"disableAllHooks\":false}"},
      {"deep", std::string(400, '[') + std::string(400, ']')},
      {"deep inside", "{\"a\":" + std::string(600, '[') + std::string(600, ']') + "}"},
      {"toml", "# mine\nmodel = \"x\"   # which\n\n[a.b]\nc = [ 1, 2,\n  3 ]\n"},
      {"toml without its last line end", "model = \"x\""},
      {"toml with carriage returns", "model = \"x\"\r\n[a]\r\nb = 1\r\n"},
      {"toml that ends in an inline table",
       "[mcp_servers.other]\ncommand = \"x\"\nenv = { A = \"b\" }"},
      {"toml that is none", "model = \n"},
      {"toml with a key twice", "a = 1\na = 2\n"},
      {"toml with a server of ours", "[mcp_servers.robot-council]\ncommand = \"x\"\n"},
      {"toml with servers in line", "mcp_servers = {}\n"},
      {"toml with half a mark", "# >>> robot-council\nmodel = \"x\"\n"},
  };
  return kAll;
}

class Graveyard : public ::testing::Test {
 protected:
  Graveyard() {
    environment.set("HOME", home);
    environment.set("PATH", "/nowhere");  // no `claude` that would write its own file
    test::write_text(project + "/.git/HEAD", "ref: refs/heads/main\n");
  }

  std::vector<Step> wire(const base::Context& with, Client client) const {
    Wirer wirer(with, {client, Scope::user, project}, wiring::DryRun::no);
    stop_hook::ScriptValues values;
    values.service = "https://a.example";
    values.harness = harness::client_name(client);
    values.program = "/opt/robot-council";
    if (client == Client::codex) {
      values.state_home = "";
    }
    std::vector<Step> steps;
    steps.push_back(
        wirer.put_script(test::source_file("resources/stop-hook/robot-council-stop-hook"), values));
    steps.push_back(wirer.put_server({values.program, values.service, "", {}}));
    if (steps.back().result != StepResult::failed) {  // what depends on it is skipped
      steps.push_back(wirer.put_hooks(harness::Wake::yes));
    }
    return steps;
  }
  int unwire(Client client) {
    out.clear();
    return wiring::unsetup(context,
                           {std::string(harness::client_name(client)), Scope::user, project},
                           {[this](std::string_view text) {
                              out += text;
                              return base::Status();
                            },
                            [](base::Milliseconds) {}, [] { return true; }});
  }
  std::set<std::string> files_of(Client client) const {
    const auto places = wiring::wire_places(environment, {client, Scope::user, project});
    return {places.server->path, places.hooks.path};
  }
  // Names beside a file that are not the file: backups and temporary files.
  static std::string beside(const std::string& path) {
    std::string names;
    for (const auto& name : base::list_directory(base::parent_path(path)).value_or({})) {
      const std::string own = base::base_name(path);
      if (name != own && name.find(own) != std::string::npos) {
        names += name + " ";
      }
    }
    return names;
  }

  test::TempDir dir{test::TempDir::Place::memory};
  std::string home = dir / "home";
  std::string project = dir / "project";
  base::MapEnvironment environment;
  base::SystemClock clock;
  base::MemoryLog log;
  base::Context context{clock, environment, log};
  std::string out;
};

TEST_F(Graveyard, EachOddFileIsEditedAndGivenBackOrNotTouchedAndNamed) {
  std::size_t edited = 0;
  std::size_t refused = 0;
  for (const Client client : kClients) {
    for (const std::string& path : files_of(client)) {
      for (const OddFile& odd : odd_files()) {
        SCOPED_TRACE(path + " holds " + odd.name);
        (void)test::run({"rm", "-rf", home}, {});
        test::write_text(path, odd.bytes);
        ASSERT_TRUE(base::set_mode(path, 0640).ok());
        std::string said;
        bool failed = false;
        for (const Step& step : wire(context, client)) {
          if (step.result == StepResult::failed) {
            failed = true;
            said += step.text;
          }
        }
        const std::string wired = test::read_text(path);
        if (failed) {
          ++refused;
          // "<file>:<line>:<column>: <why>; nothing was written"
          EXPECT_EQ(said.rfind(path + ":", 0), 0U) << said;
          const std::string place = said.substr(std::min(said.size(), path.size() + 1));
          EXPECT_TRUE(!place.empty() && place.front() >= '1' && place.front() <= '9') << said;
          EXPECT_NE(said.find("; nothing was written"), std::string::npos) << said;
        } else {
          ++edited;
          EXPECT_NE(wired.find("robot-council"), std::string::npos);
          // A second run finds all as it should be.
          for (const Step& step : wire(context, client)) {
            EXPECT_EQ(step.result, StepResult::ok) << step.text;
          }
        }
        const int code = unwire(client);
        EXPECT_TRUE(code == 0 || failed) << out;
        EXPECT_EQ(test::read_text(path), odd.bytes) << wired;
        EXPECT_EQ(beside(path), "");
        EXPECT_EQ(base::file_info(path, base::Links::dont)->mode, 0640U);
      }
    }
  }
  // The corpus has both, for files of every kind.
  EXPECT_GT(edited, 100U);
  EXPECT_GT(refused, 100U);
}

// A client's history makes such files.
TEST_F(Graveyard, FiveMegabytesAreEditedToo) {
  const std::string path = home + "/.copilot/mcp-config.json";
  const std::string old = five_megabytes();
  test::write_text(path, old);
  for (const Step& step : wire(context, Client::copilot)) {
    EXPECT_EQ(step.result, StepResult::changed) << step.text;
  }
  EXPECT_EQ(test::read_text(path).size() > old.size(), true);
  EXPECT_EQ(unwire(Client::copilot), 0) << out;
  EXPECT_TRUE(test::read_text(path) == old);
}

TEST_F(Graveyard, WhatIsNoFileIsRefusedAndStays) {
  const std::string path = home + "/.gemini/settings.json";
  ASSERT_TRUE(base::make_private_directory(path).ok());  // a folder of that name
  EXPECT_EQ(wire(context, Client::gemini).back().result, StepResult::failed);
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(wire(context, Client::gemini).back().result, StepResult::failed);
  ASSERT_TRUE(base::remove_file(path).ok());
  ASSERT_EQ(::symlink("settings.json", path.c_str()), 0);  // a link to itself
  EXPECT_EQ(wire(context, Client::gemini).back().result, StepResult::failed);
  EXPECT_EQ(base::file_info(path, base::Links::dont)->kind, base::FileKind::symlink);
}

// A link whose target is not there yet, as dotfile managers leave it: the target is made.
TEST_F(Graveyard, ALinkToNothingIsKept) {
  const std::string path = home + "/.gemini/settings.json";
  ASSERT_TRUE(base::make_private_directory(home + "/dotfiles").ok());
  ASSERT_TRUE(base::make_private_directory(home + "/.gemini").ok());
  ASSERT_EQ(::symlink("../dotfiles/gemini.json", path.c_str()), 0);
  for (const Step& step : wire(context, Client::gemini)) {
    EXPECT_EQ(step.result, StepResult::changed) << step.text;
  }
  EXPECT_EQ(base::file_info(path, base::Links::dont)->kind, base::FileKind::symlink);
  EXPECT_NE(test::read_text(home + "/dotfiles/gemini.json").find("robot-council"),
            std::string::npos);
  EXPECT_EQ(unwire(Client::gemini), 0) << out;
  EXPECT_EQ(base::file_info(path, base::Links::dont)->kind, base::FileKind::symlink);
  EXPECT_FALSE(base::exists(home + "/dotfiles/gemini.json"));
}

// 78: a killed setup or unsetup leaves the old bytes or the new ones.
TEST_F(Graveyard, AKilledSetupLeavesAWholeFile) {
  const std::string path = home + "/.gemini/settings.json";
  const std::string old = "{\n  // mine\n  \"theme\": \"x\"\n}\n";
  test::write_text(path, old);
  std::set<std::string> whole = {old};
  {
    Wirer wirer(context, {Client::gemini, Scope::user, project}, wiring::DryRun::no);
    (void)wire(context, Client::gemini);
    whole.insert(test::read_text(path));
    ASSERT_EQ(unwire(Client::gemini), 0) << out;
    (void)wirer.put_server({"/opt/robot-council", "https://a.example", "", {}});
    whole.insert(test::read_text(path));  // after the first of its two steps
    ASSERT_EQ(unwire(Client::gemini), 0) << out;
    ASSERT_EQ(test::read_text(path), old);
  }
  std::mt19937 random(std::random_device{}());
  const auto seed = random();
  RecordProperty("seed", std::to_string(seed));
  random.seed(seed);
  constexpr int kKills = 40;
  for (int i = 0; i < kKills; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      while (true) {
        (void)wire(context, Client::gemini);
        (void)unwire(Client::gemini);
      }
    }
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 20000);
    while (std::chrono::steady_clock::now() < until) {
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::string now = test::read_text(path);
    ASSERT_EQ(whole.count(now), 1U) << "seed " << seed << ", kill " << i << "\n" << now;
  }
  for (const Step& step : wire(context, Client::gemini)) {
    EXPECT_NE(step.result, StepResult::failed) << step.text;
  }
  EXPECT_EQ(unwire(Client::gemini), 0) << out;
  EXPECT_EQ(test::read_text(path), old);
}

// 76, S31: two setups and another program's writer, all at once.
TEST_F(Graveyard, TwoSetupsAndAForeignWriterLoseNothing) {
  const std::string path = home + "/.gemini/settings.json";
  constexpr int kKeys = 40;
  test::write_text(path, "{\n  \"theme\": \"x\"\n}\n");
  std::atomic<bool> over{false};
  std::atomic<int> broken{0};
  const auto holds = [&](int key) {
    const auto now = base::parse_bounded(test::read_text(path), std::size_t{1} << 20U);
    if (!now.ok() || !now->is_object()) {
      ++broken;
      return true;
    }
    return now->contains("k" + std::to_string(key));
  };
  std::vector<std::thread> setups;
  for (int i = 0; i < 2; ++i) {
    setups.emplace_back([&] {
      while (!over) {
        base::MemoryLog quiet;
        (void)wire(base::Context{clock, environment, quiet}, Client::gemini);
      }
    });
  }
  // As a client writes its settings: read, change, temporary file, rename, under no lock. It is
  // repeated until its key is there, since nobody can keep two such writers apart.
  for (int key = 0; key < kKeys; ++key) {
    for (int back = std::max(0, key - 3); back <= key; ++back) {
      while (!holds(back)) {
        auto now = base::parse_bounded(test::read_text(path), std::size_t{1} << 20U);
        ASSERT_TRUE(now.ok());
        (*now)["k" + std::to_string(back)] = back;
        test::write_text(path + ".new", base::dump_safe(*now));
        ASSERT_TRUE(base::rename_file(path + ".new", path).ok());
      }
    }
  }
  over = true;
  for (auto& setup : setups) {
    setup.join();
  }
  for (const Step& step : wire(context, Client::gemini)) {
    EXPECT_NE(step.result, StepResult::failed) << step.text;
  }
  EXPECT_EQ(broken, 0);
  const std::string last = test::read_text(path);
  EXPECT_TRUE(holds(kKeys - 1));
  EXPECT_NE(last.find("\"robot-council\""), std::string::npos) << last;
  const auto hook = last.find("/robot-council-stop-hook");
  ASSERT_NE(hook, std::string::npos) << last;
  EXPECT_EQ(last.find("AfterAgent", last.find("AfterAgent") + 1), std::string::npos) << last;
}

}  // namespace
}  // namespace robot_council
