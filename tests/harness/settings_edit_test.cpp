#include "harness/settings_edit.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "harness/settings_toml.hpp"
#include "harness/settings_wanted.hpp"

// Edits of client files as text (account contract 7; statements 66, 67, 69-75, 79-81 as far as they
// are text).
namespace robot_council {
namespace {

using harness::Client;
using harness::CommandForm;
using harness::Edited;
using harness::EditFile;
using harness::EditPlan;

const std::string kScript = "/opt/rc/robot-council-stop-hook";

EditPlan setup_plan(Client client, const std::string& script = kScript) {
  EditPlan plan;
  plan.client = client;
  plan.file = client == Client::claude || client == Client::gemini ? EditFile::settings
                                                                   : EditFile::hooks_file;
  plan.script = script;
  plan.hooks = harness::wanted_hooks(client, script, harness::Wake::yes);
  if (client == Client::gemini) {
    plan.touch_server = true;
    plan.server =
        harness::server_entry(client, {"/bin/robot-council", "https://a.example", "", {}});
  }
  return plan;
}

EditPlan unsetup_plan(Client client, const std::set<std::string>& made) {
  EditPlan plan = setup_plan(client);
  plan.hooks = harness::unwanted_hooks(client);
  plan.server.clear();
  plan.removable = made;
  return plan;
}

EditPlan server_plan(Client client) {
  EditPlan plan;
  plan.client = client;
  plan.file = EditFile::servers;
  plan.touch_server = true;
  plan.server = harness::server_entry(client, {"/bin/robot-council", "https://a.example", "", {}});
  return plan;
}

std::string error_of(const base::Result<Edited>& edited) {
  return edited.ok() ? std::string() : edited.error().what;
}

// setup, setup, unsetup: ours is there once, the second run changes nothing, the old bytes come
// back.
void expect_round_trip(const EditPlan& plan, EditPlan undo, const std::string& old) {
  SCOPED_TRACE(old);
  const auto first = harness::edit_settings(old, plan);
  ASSERT_TRUE(first.ok()) << first.error().what;
  EXPECT_TRUE(first->changed);
  EXPECT_TRUE(harness::check_edit(old, first->bytes, plan).ok());
  const auto second = harness::edit_settings(first->bytes, plan);
  ASSERT_TRUE(second.ok()) << second.error().what << "\n" << first->bytes;
  EXPECT_FALSE(second->changed);
  EXPECT_EQ(second->bytes, first->bytes);
  undo.removable = first->made;
  const auto back = harness::edit_settings(first->bytes, undo);
  ASSERT_TRUE(back.ok()) << back.error().what;
  EXPECT_EQ(back->bytes, old) << first->bytes;
}

const std::vector<std::string>& honest_files() {
  static const std::vector<std::string> kFiles = {
      "{}",
      "{ }",
      "{\n}\n",
      "{}\n",
      "\t{\r\n}\r\n",
      R"({"a":1})",
      "{\"a\": 1}\n",
      "{\n  \"a\": 1\n}\n",
      "{\n\t\"a\": {\"b\": []}\n}",
      "{\r\n  \"a\": 12345678901234567890,\r\n  \"b\": 1.0,\r\n  \"z\": {},\r\n  \"c\": "
      "\"\\u00e9\"\r\n}",
      "{\"hooks\":{}}",
      "{\"hooks\": { }}",
      "{\n  \"hooks\": {\n    \"PostToolUse\": []\n  },\n  \"x\": 1\n}\n",
      "{\"mcpServers\":{}}",
      "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}"};
  return kFiles;
}

TEST(SettingsEdit, RoundTripKeepsEveryByte66And67And72) {
  for (const Client client : {Client::claude, Client::gemini, Client::goose}) {
    for (const std::string& old : honest_files()) {
      expect_round_trip(setup_plan(client), unsetup_plan(client, {}), old);
    }
  }
  for (const Client client :
       {Client::claude, Client::cursor, Client::gemini, Client::copilot, Client::goose}) {
    for (const std::string& old : honest_files()) {
      EditPlan undo = server_plan(client);
      undo.server.clear();
      expect_round_trip(server_plan(client), undo, old);
    }
  }
  for (const std::string& old :
       {std::string("{\"hooks\":{}}"), std::string("{\n \"description\": \"x\"\n}")}) {
    expect_round_trip(setup_plan(Client::codex), unsetup_plan(Client::codex, {}), old);
  }
  for (const std::string& old :
       {std::string("{\"version\":1}"),
        std::string("{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [{\"command\": "
                    "\"x\"}]\n  }\n}\n")}) {
    expect_round_trip(setup_plan(Client::cursor), unsetup_plan(Client::cursor, {}), old);
    expect_round_trip(setup_plan(Client::copilot), unsetup_plan(Client::copilot, {}), old);
  }
}

TEST(SettingsEdit, ForeignHooksSurviveBoth73) {
  const std::string old =
      "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"http\", \"url\": "
      "\"http://127.0.0.1:9/\"}]},\n"
      "      {\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": "
      "\"/gone/atuin\"},\n"
      "        {\"type\": \"command\", \"command\": \"cat " +
      kScript + "\"}]}\n    ]\n  }\n}\n";
  expect_round_trip(setup_plan(Client::claude), unsetup_plan(Client::claude, {}), old);
  const auto edited = harness::edit_settings(old, setup_plan(Client::claude));
  const auto file =
      harness::read_hooks_file(Client::claude, harness::HookFileKind::settings, edited->bytes);
  ASSERT_EQ(file.entries.size(), 6U);
  EXPECT_EQ(file.entries[3].command.form, CommandForm::script);
  EXPECT_EQ(file.entries[3].group, 2U) << "ours is a new last group";
}

TEST(SettingsEdit, AForeignEntryWithAKeyTwiceStaysAndIsNoDifference) {
  expect_round_trip(
      setup_plan(Client::claude), unsetup_plan(Client::claude, {}),
      R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a","command":"b"}]}]},"x":1,"x":2})");
}

TEST(SettingsEdit, BrakeAndStopsEntriesStay) {
  const std::string old =
      R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/a/robot-council stops record","async":true}]}],"PreToolUse":[{"hooks":[{"type":"command","command":"robot-council brake-check --client claude"}]}]}})";
  expect_round_trip(setup_plan(Client::claude), unsetup_plan(Client::claude, {}), old);
}

TEST(SettingsEdit, TheRecorderIsWiredOnceAndOnlyWhereItRecords) {
  const harness::RecordValues values{"/bin/robot-council", "https://a.example", "p"};
  EXPECT_EQ(
      harness::record_entry(Client::claude, values),
      R"({"type":"command","command":"/bin/robot-council stops record --deadline 31000 --service https://a.example --harness claude --project p","async":true})");
  EXPECT_EQ(
      harness::record_entry(Client::gemini, values),
      R"({"type":"command","command":"/bin/robot-council stops record --service https://a.example --harness gemini --project p || exit 0","timeout":10000})");
  EXPECT_EQ(harness::record_entry(Client::cursor, values), "");
  EditPlan plan = setup_plan(Client::claude);
  plan.hooks.push_back(
      {"Stop", harness::CommandForm::record, harness::record_entry(Client::claude, values)});
  const auto once = harness::edit_settings(std::nullopt, plan);
  ASSERT_TRUE(once.ok()) << once.error().what;
  EXPECT_NE(once->bytes.find("stops record --deadline"), std::string::npos);
  EXPECT_NE(once->bytes.find(kScript), std::string::npos);
  const auto twice = harness::edit_settings(once->bytes, plan);
  ASSERT_TRUE(twice.ok());
  EXPECT_FALSE(twice->changed);
  // unsetup leaves the record alone.
  const auto undone = harness::edit_settings(once->bytes, unsetup_plan(Client::claude, {}));
  ASSERT_TRUE(undone.ok());
  EXPECT_NE(undone->bytes.find("stops record"), std::string::npos);
  EXPECT_EQ(undone->bytes.find(kScript), std::string::npos);
}

TEST(SettingsEdit, FiveOldEntriesTwoWithBackslashesBecomeOne74) {
  const std::string old = R"({"hooks":{"Stop":[
 {"hooks":[{"type":"command","command":"/old/robot-council-stop-hook"},{"type":"command","command":"foreign"}]},
 {"hooks":[{"type":"command","command":"C:\\Users\\x\\robot-council-stop-hook"}]},
 {"hooks":[{"type":"command","command":"\"D:\\a b\\robot-council-stop-hook\""}]},
 {"type":"command","command":"robot-council pending --format=block"},
 {"hooks":[{"type":"command","command":"test ! -x /o/robot-council-stop-hook || /o/robot-council-stop-hook"}]}
]}})";
  const auto edited = harness::edit_settings(old, setup_plan(Client::claude));
  ASSERT_TRUE(edited.ok()) << edited.error().what;
  const auto file =
      harness::read_hooks_file(Client::claude, harness::HookFileKind::settings, edited->bytes);
  std::vector<std::string> stop;
  for (const auto& entry : file.entries) {
    if (entry.at_stop) {
      stop.push_back(entry.line_text);
    }
  }
  EXPECT_EQ(stop, (std::vector<std::string>{kScript, "foreign"}));
  EXPECT_TRUE(harness::check_edit(old, edited->bytes, setup_plan(Client::claude)).ok());
}

TEST(SettingsEdit, AFlatEntryOfOursBecomesAGroup) {
  const auto edited = harness::edit_settings(
      std::string(
          R"({"hooks":{"Stop":[{"type":"command","command":"/x/robot-council-stop-hook"}]}})"),
      setup_plan(Client::claude));
  ASSERT_TRUE(edited.ok());
  EXPECT_EQ(
      edited->bytes.rfind(
          R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/rc/robot-council-stop-hook","timeout":20}]}],)",
          0),
      0U);
}

TEST(SettingsEdit, AnEqualEntryInAnotherSpellingIsLeftAlone) {
  const std::string old =
      "{\"hooks\":{\"Stop\":[{\"hooks\":[ { \"timeout\" : "
      "20,\n\"command\":\"\\/opt/rc/robot-council-stop-hook\", \"type\":\"command\"} ]}]}}";
  EditPlan plan = setup_plan(Client::goose);
  const auto edited = harness::edit_settings(old, plan);
  ASSERT_TRUE(edited.ok());
  EXPECT_FALSE(edited->changed);
}

TEST(SettingsEdit, TakingOutOursFromBetweenForeignOnesKeepsComments70) {
  const std::string old =
      "{\n  // settings of ours\n  \"hooks\": {\n    \"AfterAgent\": [\n      // first\n      "
      "{\"hooks\":[{\"type\":\"command\",\"command\":\"/a/robot-council-stop-hook\"}]}, // of "
      "ours\n"
      "      /* theirs */ {\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]} // end\n    ]\n  "
      "}\n}\n";
  const auto edited = harness::edit_settings(old, unsetup_plan(Client::gemini, {}));
  ASSERT_TRUE(edited.ok()) << edited.error().what;
  for (const char* comment :
       {"// settings of ours", "// first", "// of ours", "/* theirs */", "// end"}) {
    EXPECT_NE(edited->bytes.find(comment), std::string::npos) << edited->bytes;
  }
  EXPECT_EQ(edited->bytes.find("robot-council-stop-hook"), std::string::npos);
  EXPECT_EQ(harness::read_hooks_file(Client::gemini, harness::HookFileKind::settings, edited->bytes)
                .entries.size(),
            1U);
  expect_round_trip(setup_plan(Client::gemini), unsetup_plan(Client::gemini, {}), edited->bytes);
}

TEST(SettingsEdit, CopilotServersWithCommentsTrailingCommaAndMark70) {
  EditPlan undo = server_plan(Client::copilot);
  undo.server.clear();
  for (const std::string& old :
       {std::string("{ // x\n  \"mcpServers\": {\n    \"a\": {}, // b\n  },\n}\n"),
        std::string("\xEF\xBB\xBF{\"mcpServers\":{}}"),
        std::string("{\"mcpServers\":{/* none */}}")}) {
    expect_round_trip(server_plan(Client::copilot), undo, old);
  }
}

TEST(SettingsEdit, ByteOrderMarkIsKeptForClaudeAndRefusedElsewhere71) {
  expect_round_trip(setup_plan(Client::claude), unsetup_plan(Client::claude, {}),
                    "\xEF\xBB\xBF{\"a\":1}");
  for (const Client client :
       {Client::codex, Client::gemini, Client::cursor, Client::copilot, Client::goose}) {
    EXPECT_EQ(error_of(harness::edit_settings(std::string("\xEF\xBB\xBF{}"), setup_plan(client))),
              "1:1: the file begins with a byte order mark");
  }
}

TEST(SettingsEdit, HostileClaudeFilesAreNamedAndNotWritten69) {
  struct Row {
    std::string old;
    const char* why;
  };
  for (const Row& row :
       {Row{"{\n  // x\n}", "2:3: a comment is no JSON"},
        Row{"{\"a\":1,\n}", "1:7: a comma before the closing bracket is no JSON"},
        Row{"", "1:1: the file is empty"}, Row{" \n", "1:1: the file is empty"},
        Row{"null", "1:1: the file holds no object"}, Row{"[]", "1:1: the file holds no object"},
        Row{"{\"hooks\":[]}", "1:10: \"hooks\" is no object"},
        Row{"{\"hooks\":{\"Stop\":{}}}", "1:18: \"Stop\" is no list"},
        Row{"{\"hooks\":{},\n\"hooks\":{}}", "2:1: \"hooks\" is there twice"},
        Row{"{\"hooks\":{\"Stop\":[],\"Stop\":[]}}", "1:21: \"Stop\" is there twice"},
        Row{std::string("{\0}\0", 4), "1:1: the file is UTF-16"},
        Row{std::string("\xFF\xFE{\0}\0", 6), "1:1: the file is UTF-16"},
        Row{"{\"a\":\"B\xFC\"}", "1:8: the file is no UTF-8"},
        Row{"{\"a\":1", "1:7: the text ends inside an object"}}) {
    EXPECT_EQ(error_of(harness::edit_settings(row.old, setup_plan(Client::claude))), row.why)
        << row.old;
  }
  EXPECT_NE(error_of(harness::edit_settings(
                std::string("{\"mcpServers\":{\"robot-council\":{},\"robot-council\":{}}}"),
                server_plan(Client::claude))),
            "");
  EXPECT_NE(error_of(harness::edit_settings(std::string("{\"mcpServers\":[]}"),
                                            server_plan(Client::claude))),
            "");
}

TEST(SettingsEdit, AFaultThatVoidsTheFileStopsTheEdit75) {
  EXPECT_EQ(error_of(harness::edit_settings(
                std::string("{\"hooks\":{\"PreToolUse\":[{\"hooks\":[\n {\"command\":\"x\"}]}]}}"),
                setup_plan(Client::claude))),
            "2:2: an entry of PreToolUse has no \"type\"; Claude Code drops the whole file");
  EXPECT_NE(
      error_of(harness::edit_settings(std::string("{\"model\":5}"), setup_plan(Client::claude))),
      "");
  EXPECT_NE(error_of(harness::edit_settings(
                std::string("{\"version\":1,\"hooks\":{\"notification\":[]}}"),
                setup_plan(Client::cursor))),
            "");
  EXPECT_NE(error_of(harness::edit_settings(std::string("{\"$schema\":\"x\"}"),
                                            setup_plan(Client::codex))),
            "");
}

TEST(SettingsEdit, ANewFileIsWholeAndEmptyAfterUnsetup) {
  for (const Client client : {Client::claude, Client::codex, Client::cursor, Client::gemini,
                              Client::copilot, Client::goose}) {
    const auto made = harness::edit_settings(std::nullopt, setup_plan(client));
    ASSERT_TRUE(made.ok());
    const auto file = harness::read_hooks_file(client,
                                               client == Client::claude || client == Client::gemini
                                                   ? harness::HookFileKind::settings
                                                   : harness::HookFileKind::hooks_file,
                                               made->bytes);
    EXPECT_TRUE(file.faults.empty()) << made->bytes;
    ASSERT_EQ(file.entries.size(), client == Client::claude ? 3U : 1U) << made->bytes;
    EXPECT_TRUE(file.entries[0].accepted && file.entries[0].at_stop);
    EXPECT_FALSE(harness::is_empty_settings(made->bytes));
    EXPECT_TRUE(harness::check_edit(std::nullopt, made->bytes, setup_plan(client)).ok());
    const auto left = harness::edit_settings(made->bytes, unsetup_plan(client, made->made));
    ASSERT_TRUE(left.ok());
    EXPECT_TRUE(harness::is_empty_settings(left->bytes)) << left->bytes;
    EXPECT_FALSE(harness::edit_settings(std::nullopt, unsetup_plan(client, {}))->changed);
  }
}

TEST(SettingsEdit, NoWakeTakesTheTwoEntriesOut) {
  const auto with = harness::edit_settings(std::string("{}"), setup_plan(Client::claude));
  EditPlan plan = setup_plan(Client::claude);
  plan.hooks = harness::wanted_hooks(Client::claude, kScript, harness::Wake::no);
  plan.removable = {"hooks.SessionStart", "hooks.UserPromptSubmit"};
  EXPECT_EQ(
      harness::edit_settings(with->bytes, plan)->bytes,
      R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/opt/rc/robot-council-stop-hook","timeout":20}]}]}})");
}

TEST(SettingsEdit, AWakeEntryWithoutAsyncRewakeIsRepaired113) {
  const std::string old =
      R"({"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/opt/rc/robot-council-stop-hook --wait"}]}]}})";
  const auto edited = harness::edit_settings(old, setup_plan(Client::claude));
  const auto file =
      harness::read_hooks_file(Client::claude, harness::HookFileKind::settings, edited->bytes);
  ASSERT_EQ(file.entries.size(), 3U);
  EXPECT_TRUE(file.entries[0].async_rewake);
  EXPECT_EQ(file.entries[0].timeout, 86400.0);
}

TEST(SettingsEdit, ExactTextsOfTheEntries) {
  EXPECT_EQ(harness::hook_entry(Client::claude, "/a b/it's"),
            R"({"type":"command","command":"'/a b/it'\\''s'","timeout":20})");
  EXPECT_EQ(harness::hook_entry(Client::cursor, "/s"),
            R"({"command":"/s","timeout":20,"loop_limit":10})");
  EXPECT_EQ(
      harness::hook_entry(Client::gemini, "/s"),
      R"({"name":"robot-council","type":"command","command":"test ! -x /s || /s","timeout":20000})");
  EXPECT_EQ(harness::hook_entry(Client::copilot, "/s"),
            R"({"type":"command","bash":"/s","timeoutSec":20})");
  EXPECT_EQ(harness::wake_entry("/s"),
            R"({"type":"command","command":"/s --wait","asyncRewake":true,"timeout":86400})");
  EXPECT_EQ(
      harness::server_entry(Client::goose, {"/b", "https://a", "o/r", {}}),
      R"({"command":"/b","args":["mcp","--project=o/r"],"env":{"ROBOT_COUNCIL_SERVICE":"https://a","ROBOT_COUNCIL_HARNESS":"goose"}})");
  EXPECT_EQ(harness::read_command(
                harness::read_settings(
                    harness::hook_entry(Client::gemini, "/a 'b/robot-council-stop-hook"))
                    .root.string_at("command"))
                .program,
            "/a 'b/robot-council-stop-hook");
}

TEST(SettingsEditToml, BlockIsAppendedAndGoesWithoutATrace79) {
  const std::string block = harness::codex_block(
      {"/bin/robot-council", "https://a.example", "", {{"XDG_STATE_HOME", "/s \"x\""}}});
  for (const std::string& old :
       {std::string(), std::string("# mine\nmodel = \"x\" # why\n"),
        std::string("model = \"x\"  # no last line end"),
        std::string("[mcp_servers.other]\ncommand = \"y\"\r\n"),
        std::string("[hooks.state.\"/f:stop:0:0\"]\ntrusted_hash = \"sha256:00\"\n")}) {
    SCOPED_TRACE(old);
    const auto first = harness::edit_codex_block(old, block);
    ASSERT_TRUE(first.ok()) << first.error().what;
    EXPECT_EQ(first->bytes.rfind(old, 0), 0U);
    const auto config = harness::read_codex_config(first->bytes);
    ASSERT_TRUE(config.server);
    EXPECT_EQ(config.server->env.at("XDG_STATE_HOME"), "/s \"x\"");
    EXPECT_FALSE(harness::edit_codex_block(first->bytes, block)->changed);
    const auto other =
        harness::edit_codex_block(first->bytes, harness::codex_block({"/c", "https://b", "p", {}}));
    ASSERT_TRUE(other.ok());
    EXPECT_EQ(harness::read_codex_config(other->bytes).server->args,
              (std::vector<std::string>{"mcp", "--project=p"}));
    EXPECT_EQ(harness::edit_codex_block(other->bytes, "")->bytes, old);
  }
  const std::string behind =
      harness::edit_codex_block(std::string("a = 1\n"), block)->bytes + "[after]\nb = 2\n";
  EXPECT_EQ(harness::edit_codex_block(behind, "")->bytes, "a = 1\n[after]\nb = 2\n");
}

TEST(SettingsEditToml, ServerElsewhereAndOtherTablesAreRefused80) {
  const std::string block = harness::codex_block({"/b", "https://a", "", {}});
  EXPECT_EQ(error_of(harness::edit_codex_block(
                std::string("x = 1\n[mcp_servers.robot-council]\ncommand = \"y\"\n"), block)),
            "2:1: a server robot-council stands outside our block");
  EXPECT_NE(error_of(harness::edit_codex_block(std::string("mcp_servers = {}\n"), block)), "");
  EXPECT_NE(error_of(harness::edit_codex_block(std::string("mcp_servers = 1\n"), block)), "");
  EXPECT_NE(error_of(harness::edit_codex_block(std::string("a = 1\na = 2\n"), block)), "");
  EXPECT_NE(error_of(harness::edit_codex_block(std::string("# >>> robot-council\na = 1\n"), block)),
            "");
  EXPECT_NE(error_of(harness::edit_codex_block(
                std::string("# <<< robot-council\n# >>> robot-council\n"), block)),
            "");
  EXPECT_NE(error_of(harness::edit_codex_block(
                std::string("[\"mcp_servers\".\"robot-council\"]\ncommand = \"y\"\n"), block)),
            "");
}

TEST(SettingsEditToml, LettersOutsideAsciiOnlyInStringsAndComments) {
  for (const char* text :
       {"gr\u00f6\u00dfe = 1", "a = 1\u00a0", "robot\u0492 = 1", "a = \"x\"\u0492", "[\u00e9]"}) {
    EXPECT_TRUE(harness::read_codex_config(text).error) << text;
  }
  for (const char* text : {"a = \"gr\u00f6\u00dfe\" # B\u00fcro", "a = 'it\u00e9'",
                           "a = \"\"\"x\n\"\u00e9\" y\"\"\"\n", "\"\u00e9\" = 1",
                           "a = '''\u00e9\n''' # \u00e9\nb = \"q\\\"\u00e9\""}) {
    EXPECT_FALSE(harness::read_codex_config(text).error) << text;
  }
}

TEST(SettingsEditToml, LettersOutsideAsciiComeBackAsTheyAre) {
  const auto config = harness::read_codex_config(
      "[projects.\"/h/B\u00fcro\u20ac\U0001F600\"]\ntrust_level = "
      "\"trusted\"\n[hooks.state.\"/\u0492:stop:0:0\"]\ntrusted_hash = \"x\"\n");
  ASSERT_FALSE(config.error);
  EXPECT_EQ(config.project_trust.count("/h/B\u00fcro\u20ac\U0001F600"), 1U);
  EXPECT_EQ(config.hook_trust.count("/\u0492:stop:0:0"), 1U);
}

TEST(SettingsEditToml, IllFormedTextsAreErrorsAndNoAbort) {
  for (const char* text : {"[{", "[{\"a\"", "[[{", "[", "[a.", "a.{", "= 1", "a = [{", "a = \"\\u",
                           "[hooks", "[[hooks.Stop", "\xFF", "a=1979-", "[\n"}) {
    EXPECT_TRUE(harness::read_codex_config(text).error) << text;
  }
}

TEST(SettingsEdit, EveryCutOfAFileIsRefusedOrEditedWhole) {
  const std::string whole =
      harness::edit_settings(
          std::string(
              "{\n  \"a\": [1, {\"b\": \"c\"}],\n  \"hooks\": {\"Stop\": [{\"hooks\": []}]}\n}\n"),
          setup_plan(Client::gemini))
          ->bytes;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto edited = harness::edit_settings(whole.substr(0, size), setup_plan(Client::gemini));
    if (edited.ok()) {
      EXPECT_TRUE(
          harness::check_edit(whole.substr(0, size), edited->bytes, setup_plan(Client::gemini))
              .ok());
    }
  }
}

}  // namespace
}  // namespace robot_council
