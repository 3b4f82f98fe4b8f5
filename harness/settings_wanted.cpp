#include "harness/settings_wanted.hpp"

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"

namespace robot_council::harness {

namespace {

constexpr int kHookSeconds = 20;     // a sink may be busy for 2 s, twice
constexpr int kCursorLoops = 10;     // Cursor's own cap of answers in a row is 5
constexpr int kWakeSeconds = 86400;  // the waiter ends by itself before
constexpr int kRecordSeconds = 10;   // the recorder ends by itself after 9

std::vector<std::string> server_arguments(const ServerValues& values) {
  std::vector<std::string> words = {"mcp"};
  if (!values.project.empty()) {
    words.push_back("--project=" + values.project);
  }
  return words;
}

}  // namespace

std::string hook_entry(Client client, const std::string& script) {
  const std::string command = base::shell_quote(script);
  base::OrderedJson entry = base::OrderedJson::object();
  switch (client) {
    case Client::cursor:
      entry["command"] = command;
      entry["timeout"] = kHookSeconds;
      entry["loop_limit"] = kCursorLoops;
      break;
    case Client::gemini:
      // A missing command (127) means "go on" to Gemini CLI, for ever: hence the test.
      entry["name"] = "robot-council";
      entry["type"] = "command";
      entry["command"] = "test ! -x " + command + " || " + command;
      entry["timeout"] = kHookSeconds * 1000;
      break;
    case Client::copilot:
      entry["type"] = "command";
      entry["bash"] = command;
      entry["timeoutSec"] = kHookSeconds;
      break;
    case Client::claude:
    case Client::codex:
    case Client::goose:
      entry["type"] = "command";
      entry["command"] = command;
      entry["timeout"] = kHookSeconds;
      break;
  }
  return base::dump_safe(entry);
}

std::string wake_entry(const std::string& script) {
  base::OrderedJson entry = base::OrderedJson::object();
  entry["type"] = "command";
  entry["command"] = base::shell_quote(script) + " --wait";
  entry["asyncRewake"] = true;
  entry["timeout"] = kWakeSeconds;
  return base::dump_safe(entry);
}

std::string record_entry(Client client, const RecordValues& values) {
  if (client != Client::claude && client != Client::codex && client != Client::gemini) {
    return "";
  }
  std::string command = base::shell_quote(values.program) + " stops record";
  command += client == Client::claude ? " --deadline 31000" : "";
  command += " --service " + base::shell_quote(values.service) + " --harness " +
             std::string(client_name(client));
  if (!values.project.empty()) {
    command += " --project " + base::shell_quote(values.project);
  }
  base::OrderedJson entry = base::OrderedJson::object();
  entry["type"] = "command";
  // A missing command means "go on" to Gemini CLI, for ever.
  entry["command"] = client == Client::gemini ? command + " || exit 0" : command;
  if (client == Client::claude) {
    entry["async"] = true;
  } else {
    entry["timeout"] = client == Client::gemini ? kRecordSeconds * 1000 : kRecordSeconds;
  }
  return base::dump_safe(entry);
}

std::string server_entry(Client client, const ServerValues& values) {
  base::OrderedJson entry = base::OrderedJson::object();
  entry["command"] = values.program;
  entry["args"] = server_arguments(values);
  base::OrderedJson variables = base::OrderedJson::object();
  variables["ROBOT_COUNCIL_SERVICE"] = values.service;
  variables["ROBOT_COUNCIL_HARNESS"] = std::string(client_name(client));
  entry["env"] = std::move(variables);
  if (client == Client::claude) {
    entry["type"] = "stdio";
  } else if (client == Client::copilot) {
    entry["type"] = "local";
    entry["tools"] = base::OrderedJson::array({"*"});
  }
  return base::dump_safe(entry);
}

std::string codex_block(const ServerValues& values) {
  // A JSON string is a TOML basic string, but for DEL.
  const auto quote = [](const std::string& text) {
    return base::replace_all(base::quote_json(text), "\x7F", "\\u007F");
  };
  std::string words;
  for (const std::string& word : server_arguments(values)) {
    words += (words.empty() ? "" : ", ") + quote(word);
  }
  std::string variables =
      "ROBOT_COUNCIL_SERVICE = " + quote(values.service) + ", ROBOT_COUNCIL_HARNESS = \"codex\"";
  for (const auto& [name, value] : values.variables) {
    variables += ", " + name + " = " + quote(value);
  }
  return "[mcp_servers.robot-council]\ncommand = " + quote(values.program) + "\nargs = [" + words +
         "]\nenv = { " + variables + " }";
}

std::vector<WantedHook> wanted_hooks(Client client, const std::string& script, Wake wake) {
  std::vector<WantedHook> hooks = unwanted_hooks(client);
  hooks[0].entry = hook_entry(client, script);
  for (WantedHook& hook : hooks) {
    if (hook.kind == CommandForm::wait && wake == Wake::yes) {
      hook.entry = wake_entry(script);
    }
  }
  return hooks;
}

std::vector<WantedHook> unwanted_hooks(Client client) {
  std::vector<WantedHook> hooks = {{std::string(stop_event_name(client)), CommandForm::script, ""}};
  if (client == Client::claude) {
    hooks.push_back({"SessionStart", CommandForm::wait, ""});
    hooks.push_back({"UserPromptSubmit", CommandForm::wait, ""});
  }
  return hooks;
}

}  // namespace robot_council::harness
