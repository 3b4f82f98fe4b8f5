#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/names.hpp"
#include "harness/settings_limits.hpp"
#include "stop-hook/scan_collect.hpp"
#include "stop-hook/scan_recorded.hpp"
#include "stop-hook/script.hpp"

namespace robot_council::stop_hook {

namespace {

using harness::Client;
using harness::CommandForm;
using harness::HookEntry;
using harness::WiredValues;

enum class Found : std::uint8_t { yes, no, not_told };

// The values of a script, filled by setup or by hand.
WiredValues values_of_script(const std::string& text) {
  WiredValues values = harness::read_script_values(text);
  const auto ours = read_script(text);
  if (!ours.ok()) {
    return values;
  }
  const auto given = [](const std::string& value) {
    return value.empty() ? std::nullopt : std::optional<std::string>(value);
  };
  values.service = given(ours->service);
  values.harness = given(ours->harness);
  values.project = given(ours->project);
  values.program = ours->program;
  values.unsets_state_home = ours->state_home && ours->state_home->empty();
  values.state_home =
      ours->state_home && !ours->state_home->empty() ? ours->state_home : std::nullopt;
  return values;
}

// Words of the shell that name no program.
bool is_shell_word(std::string_view word) {
  constexpr std::array<std::string_view, 24> kWords = {
      "test", "[",    "[[",    "cd",      "echo",  "exec",   "exit", "export",
      "set",  "true", "false", "command", "eval",  "source", ".",    "printf",
      "type", ":",    "if",    "for",     "while", "{",      "case", "!"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

class Judge {
 public:
  explicit Judge(Collection& found) : found_(found) {}

  void judge() {
    for (FoundEntry& entry : found_.entries()) {
      if (entry.entry.command.delivers() && entry.entry.at_stop) {
        delivering(entry);
      } else if (entry.entry.command.form == CommandForm::wait) {
        waking(entry);
      } else if (!entry.entry.command.ours() && entry.entry.at_stop) {
        foreign(entry);
      }
    }
    wake_pair();
    twice();
    outcome();
  }

 private:
  [[nodiscard]] bool live(const FoundEntry& entry) const {
    return entry.runs || entry.needs_review;
  }

  void add(ScanSeverity severity, std::string_view rule, const FoundEntry& entry, std::string text,
           std::string remedy) {
    found_.add(severity, rule, entry.file, entry.entry.line, std::move(text), std::move(remedy));
  }
  // An error about an entry of ours: it does not run, or what it prints reaches nobody.
  void fail(std::string_view rule, FoundEntry& entry, std::string text, std::string remedy) {
    add(ScanSeverity::error, rule, entry, std::move(text), std::move(remedy));
    entry.runs = false;
    entry.needs_review = false;
  }

  [[nodiscard]] std::string setup() const {
    return "robot-council setup " + std::string(harness::client_name(found_.client()));
  }
  [[nodiscard]] std::string run_setup() const { return "Run " + setup() + "."; }

  // A path as the hook's shell would see it; "" when that cannot be told.
  [[nodiscard]] std::string expanded(const FoundEntry& entry, std::string word) const {
    const std::string home = scan_home(found_.world().environment);
    const auto replace = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) {
        word = base::replace_all(word, "${" + std::string(name) + "}", value);
        word = base::replace_all(word, "$" + std::string(name), value);
      }
    };
    if (word.rfind("~/", 0) == 0 && !home.empty()) {
      word = base::join_path(home, word.substr(2));
    }
    replace("HOME", home);
    replace("CLAUDE_PROJECT_DIR", found_.world().folder);
    replace("CLAUDE_PLUGIN_ROOT", entry.plugin_root);
    replace("PLUGIN_ROOT", entry.plugin_root);
    if (word.find('$') != std::string::npos || word.find('`') != std::string::npos) {
      return {};
    }
    if (word.find('/') != std::string::npos && word.front() != '/') {
      return base::join_path(found_.world().folder, word);
    }
    return word;
  }

  // The program a word names; searched in PATH when it is a bare name.
  [[nodiscard]] Found program(const std::string& word) const {
    if (word.empty()) {
      return Found::not_told;
    }
    if (word.find('/') != std::string::npos) {
      return found_.world().files.executable(word) ? Found::yes : Found::no;
    }
    const auto path = found_.world().environment.nonblank("PATH");
    if (!path) {
      return Found::not_told;
    }
    for (const std::string& folder : base::split(*path, ':')) {
      if (!folder.empty() && found_.world().files.executable(base::join_path(folder, word))) {
        return Found::yes;
      }
    }
    return Found::no;
  }

  // The program that the script starts, as it looks for it.
  [[nodiscard]] bool script_finds_program(const WiredValues& values) const {
    const SettingsFiles& files = found_.world().files;
    if (!values.program.empty() && values.program.front() == '/' &&
        files.executable(values.program)) {
      return true;
    }
    if (program("robot-council") == Found::yes) {
      return true;
    }
    const std::string home = scan_home(found_.world().environment);
    const std::array<std::string, 3> places = {home + "/.local/bin/robot-council",
                                               "/usr/local/bin/robot-council",
                                               "/opt/homebrew/bin/robot-council"};
    return std::any_of(places.begin(), places.end(),
                       [&](const std::string& place) { return files.executable(place); });
  }

  void delivering(FoundEntry& entry) {
    if (!live(entry)) {
      return;
    }
    const HookEntry& hook = entry.entry;
    const std::string path = expanded(entry, hook.command.program);
    if (program(path) == Found::no) {
      fail("command", entry,
           "the command \"" + harness::quoted_text(path) + "\" is missing or not executable.",
           run_setup());
      return;
    }
    old_path(entry);
    timeout(entry);
    WiredValues values;
    if (hook.command.form == CommandForm::pending) {
      if (!pending_form(entry)) {
        return;
      }
      const auto option = [&](std::string_view name) {
        const std::string value = hook.command.option(name);
        return value.empty() ? std::nullopt : std::optional<std::string>(value);
      };
      values.service = option("service");
      values.harness = option("harness");
      values.project = option("project");
    } else {
      const auto script = found_.world().files.read(path);
      if (!script.ok()) {
        return;
      }
      values = values_of_script(*script);
      if (values.calls_format) {
        add(ScanSeverity::warning, "old-form", entry,
            "the script is of an earlier program: it calls pending with --format.", run_setup());
      }
      if (!script_finds_program(values)) {
        fail("command", entry, "the script will not find the program robot-council.",
             "Install robot-council, then run " + setup() + ".");
        return;
      }
    }
    seat(entry, values);
  }

  void old_path(const FoundEntry& entry) {
    const std::string& program = entry.entry.command.program;
    const bool php = program.size() > 4 && program.substr(program.size() - 4) == ".php";
    if (php || program.find("/versions/") != std::string::npos) {
      add(ScanSeverity::warning, "old-form", entry,
          php ? "the command is the earlier program, a .php file."
              : "the command names one version's folder and dies with the next update.",
          run_setup());
    }
  }

  bool pending_form(FoundEntry& entry) {
    const bool hook = entry.entry.command.has_option("hook");
    const bool format = entry.entry.command.has_option("format");
    if (!hook && !format) {
      fail("old-form", entry, "pending without --hook prints plain lines, which reach nobody.",
           run_setup());
      return false;
    }
    if (!hook) {
      add(ScanSeverity::warning, "old-form", entry,
          "pending --format knows neither the payload nor the loop guard of --hook.", run_setup());
    }
    return true;
  }

  void timeout(FoundEntry& entry) {
    const HookEntry& hook = entry.entry;
    if (!hook.timeout) {
      return;
    }
    if (found_.client() == Client::gemini && hook.timeout_ms < harness::kMinGeminiTimeoutMs) {
      fail("timeout", entry,
           "the timeout is " + std::to_string(hook.timeout_ms) +
               " ms: Gemini CLI counts milliseconds and kills the hook at once.",
           "Write \"timeout\": 20000.");
    } else if (hook.timeout_ms < harness::kMinHookTimeoutMs) {
      add(ScanSeverity::warning, "timeout", entry,
          "the timeout is under 10 s; a busy sink alone may take 4 s.",
          found_.client() == Client::gemini ? "Write \"timeout\": 20000." : "Write 20 seconds.");
    }
  }

  static std::string shown(const std::optional<std::string>& value) {
    return value && !value->empty() ? "\"" + harness::quoted_text(*value) + "\""
                                    : std::string("none");
  }

  // Both sides must be told; "" and nothing are the same project and the same state folder.
  void differ(FoundEntry& entry, std::string_view what, const std::optional<std::string>& hook,
              const std::optional<std::string>& other, std::string_view other_name) {
    if (hook.value_or("") == other.value_or("") || seat_said_) {
      return;
    }
    seat_said_ = true;
    fail("seat", entry,
         "the hook has the " + std::string(what) + " " + shown(hook) + ", " +
             std::string(other_name) + " " + shown(other) + ", so it looks into another sink.",
         run_setup());
  }

  void seat(FoundEntry& entry, const WiredValues& values) {
    seat_said_ = false;
    const auto service = [](const std::optional<std::string>& url) {
      return url ? std::optional<std::string>(base::without_trailing(*url, '/')) : std::nullopt;
    };
    const auto name = [](const std::optional<std::string>& text) {
      return text ? std::optional<std::string>(harness::reduce_name(*text)) : std::nullopt;
    };
    // A name beside the six (cowork) runs on another client's files; a script of one of the six
    // answers only that one.
    if (values.harness && harness::parse_client(*name(values.harness))) {
      differ(entry, "harness", name(values.harness),
             std::string(harness::client_name(found_.client())), "this harness is");
    }
    if (found_.server) {
      const WiredValues& server = found_.server->values;
      const std::string where = "the MCP server entry of " + found_.server->file;
      if (values.service && server.service) {
        differ(entry, "service", service(values.service), service(server.service), where);
      }
      if (values.harness && server.harness) {
        differ(entry, "harness", name(values.harness), name(server.harness), where);
      }
      if (values.service && server.service) {
        differ(entry, "project", values.project, server.project, where);
      }
      const bool says_state = values.state_home || values.unsets_state_home || server.state_home;
      if (says_state &&
          (found_.client() != Client::codex || values.state_home || values.unsets_state_home)) {
        differ(entry, "XDG_STATE_HOME", values.state_home, server.state_home, where);
      }
    }
    if (values.service && !found_.seat().service.empty()) {
      differ(entry, "service", service(values.service), service(found_.seat().service),
             "this bridge");
      differ(entry, "project", values.project, found_.seat().project, "this bridge");
    }
  }

  void waking(FoundEntry& entry) {
    const HookEntry& hook = entry.entry;
    if (!entry.runs) {
      return;
    }
    if (hook.at_stop) {
      fail(
          "shape", entry,
          "the waiting command stands at Stop, where it hands nothing over and holds the turn end.",
          run_setup());
      return;
    }
    if (!hook.async_rewake) {
      fail("shape", entry,
           hook.async ? "the entry has async instead of asyncRewake, so it wakes nobody."
                      : "the entry has no asyncRewake, so it holds each prompt for up to 24 h.",
           run_setup());
      return;
    }
    if (hook.timeout_ms < harness::kMinWakeTimeoutMs) {
      add(ScanSeverity::warning, "timeout", entry,
          "the timeout of the waiting entry is under 3,600 s; after it an idle session is not "
          "woken.",
          "Write \"timeout\": 86400.");
    }
    const std::string path = expanded(entry, hook.command.program);
    if (program(path) == Found::no) {
      fail("command", entry,
           "the command \"" + harness::quoted_text(path) + "\" is missing or not executable.",
           run_setup());
    }
  }

  void wake_pair() {
    const FoundEntry* one = nullptr;
    bool start = false;
    bool prompt = false;
    for (const FoundEntry& entry : found_.entries()) {
      if (entry.entry.command.form == CommandForm::wait && entry.runs) {
        one = &entry;
        start = start || entry.entry.event == "SessionStart";
        prompt = prompt || entry.entry.event == "UserPromptSubmit";
      }
    }
    found_.result().wake_wired = start && prompt;
    if (one != nullptr && start != prompt) {
      add(ScanSeverity::warning, "shape", *one,
          std::string("only the waiting entry under ") + one->entry.event +
              " is there; the one under " + (start ? "UserPromptSubmit" : "SessionStart") +
              " is missing.",
          run_setup());
    }
  }

  void foreign(const FoundEntry& entry) {
    if (!live(entry)) {
      return;
    }
    const HookEntry& hook = entry.entry;
    const std::string shown_text = harness::quoted_text(hook.line_text);
    if (unquoted_path(entry)) {
      add(ScanSeverity::error, "command", entry,
          "the path of the script has a blank and is not quoted, so its shell runs another "
          "program.",
          "Put the path in single quotes, or run " + setup() + ".");
      mentioned_entry_ = true;
      return;
    }
    add(ScanSeverity::information, "foreign", entry,
        "another program's hook runs at the turn end: " +
            (shown_text.empty() ? hook.type : shown_text) + ".",
        "Nothing needs to be done.");
    const std::string path = expanded(entry, hook.command.program);
    if (hook.type == "command" && !is_shell_word(path) && plain_word(path) &&
        program(path) == Found::no) {
      add(ScanSeverity::warning, "command", entry,
          "its program \"" + harness::quoted_text(path) +
              "\" is not found, so it fails at every turn end.",
          "Install that program, or remove the entry.");
    }
  }

  // A word that surely names a file or a program.
  static bool plain_word(std::string_view word) {
    return std::all_of(word.begin(), word.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return std::isalnum(byte) != 0 || byte >= 0x80U || c == '/' || c == '.' || c == '_' ||
             c == '-' || c == '+' || c == ' ';
    });
  }

  // The whole command is the path of our script with a blank in it, and no quotes.
  [[nodiscard]] bool unquoted_path(const FoundEntry& entry) const {
    const std::string text(base::trim(entry.entry.line_text));
    return !entry.entry.exec_form && text.find(' ') != std::string::npos &&
           text.find_first_of("'\"") == std::string::npos && base::base_name(text) == kScriptName &&
           found_.world().files.exists(text);
  }

  void twice() {
    const FoundEntry* first = nullptr;
    for (const FoundEntry& entry : found_.entries()) {
      if (!entry.entry.command.delivers() || !entry.entry.at_stop || !live(entry)) {
        continue;
      }
      if (first == nullptr) {
        first = &entry;
        continue;
      }
      add(ScanSeverity::warning, "double", entry,
          "this entry and the one of " + first->file + ":" + std::to_string(first->entry.line) +
              " run at the same turn end.",
          "Remove one of the two.");
    }
  }

  void outcome() {
    ScanResult& result = found_.result();
    bool any_runs = false;
    bool any_review = false;
    bool any_ours = found_.mentioned || mentioned_entry_;
    bool any_hidden = found_.cannot_tell;
    for (const FoundEntry& entry : found_.entries()) {
      const bool delivers = entry.entry.command.delivers() && entry.entry.at_stop;
      any_runs = any_runs || (delivers && entry.runs);
      any_review = any_review || (delivers && entry.needs_review);
      any_ours = any_ours || delivers;
      any_hidden = any_hidden || (!entry.entry.command.ours() && entry.entry.at_stop &&
                                  entry.runs && may_call_ours(entry));
      result.entries.push_back(shown_entry(entry));
    }
    if (any_runs) {
      result.outcome = ScanOutcome::runs;
    } else if (any_review) {
      result.outcome = ScanOutcome::needs_review;
    } else if (any_ours) {
      result.outcome = ScanOutcome::will_not_run;
    } else {
      result.outcome = any_hidden ? ScanOutcome::unknown : ScanOutcome::none;
    }
  }

  // A foreign command that names us, or a script of its own whose text does.
  [[nodiscard]] bool may_call_ours(const FoundEntry& entry) const {
    if (entry.entry.command.names_us) {
      return true;
    }
    const std::string path = expanded(entry, entry.entry.command.program);
    const auto script = path.empty() || path.front() != '/'
                            ? base::Result<std::string>(base::Error{})
                            : found_.world().files.read(path);
    return script.ok() && script->rfind("#!", 0) == 0 &&
           script->find("robot-council") != std::string::npos;
  }

  static ScanEntry shown_entry(const FoundEntry& entry) {
    ScanEntry shown;
    switch (entry.entry.command.form) {
      case CommandForm::script:
      case CommandForm::pending:
        shown.kind = ScanEntryKind::deliver;
        break;
      case CommandForm::wait:
        shown.kind = ScanEntryKind::wake;
        break;
      case CommandForm::record:
        shown.kind = ScanEntryKind::record;
        break;
      case CommandForm::brake:
      case CommandForm::other:
        shown.kind = ScanEntryKind::foreign;
        break;
    }
    shown.file = entry.file;
    shown.line = entry.entry.line;
    shown.event = entry.entry.event;
    shown.command = entry.entry.line_text;
    shown.timeout_ms = entry.entry.timeout_ms;
    shown.runs = entry.runs;
    return shown;
  }

  Collection& found_;
  bool seat_said_ = false;
  bool mentioned_entry_ = false;
};

}  // namespace

void judge(Collection& found) {
  Judge(found).judge();
}

}  // namespace robot_council::stop_hook
