#include "stop-hook/scan_recorded.hpp"

#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/settings_json.hpp"
#include "harness/settings_limits.hpp"

namespace robot_council::stop_hook {

namespace {

using harness::SettingsKind;
using harness::SettingsNode;

// Why a file's content is no settings object, in the words of its line; "" if it is one.
std::string unreadable_because(const harness::SettingsDocument& document) {
  const auto error =
      harness::strict_error(document, harness::Comments::refused, harness::TrailingCommas::refused);
  if (error) {
    return harness::describe_error(document, *error);
  }
  if (document.depth > harness::kRecordedSettingsDepth) {
    return "nested deeper than " + std::to_string(harness::kRecordedSettingsDepth) + " levels";
  }
  return document.root.is(SettingsKind::object) ? std::string() : std::string("not a JSON object");
}

bool is_command_entry(const SettingsNode& entry) {
  return entry.string_at("type") == "command" && !base::is_blank(entry.string_at("command"));
}

bool has_stop_command(const SettingsNode& root) {
  const SettingsNode* hooks = root.find("hooks");
  const SettingsNode* stop = hooks == nullptr ? nullptr : hooks->find("Stop");
  if (stop == nullptr) {
    return false;
  }
  for (const SettingsNode& group : stop->elements) {
    const SettingsNode* entries = group.find("hooks");
    if (entries == nullptr) {
      continue;
    }
    for (const SettingsNode& entry : entries->elements) {
      if (is_command_entry(entry)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string scan_home(const base::Environment& environment) {
  const auto home = environment.nonblank("HOME");
  return home ? *home : environment.nonblank("USERPROFILE").value_or("");
}

std::string claude_user_folder(const base::Environment& environment) {
  if (const auto folder = environment.nonblank("CLAUDE_CONFIG_DIR")) {
    return *folder;
  }
  const std::string home = scan_home(environment);
  return home.empty() ? std::string() : base::join_path(home, ".claude");
}

RecordedScan scan_recorded(const ScanWorld& world) {
  RecordedScan scan;
  const std::string user = claude_user_folder(world.environment);
  std::vector<std::string> files;
  if (!user.empty()) {
    files = {base::join_path(user, "settings.json"), base::join_path(user, "settings.local.json")};
  }
  files.push_back(base::join_path(world.folder, ".claude/settings.json"));
  files.push_back(base::join_path(world.folder, ".claude/settings.local.json"));

  std::set<std::string> seen;
  std::optional<std::string> found;
  std::optional<std::string> disabled_by;
  for (const std::string& file : files) {
    const auto bytes = world.files.read(file);
    if (!bytes.ok() && bytes.error().code == base::Errc::not_found) {
      continue;
    }
    if (!seen.insert(world.files.real_path(file).value_or(file)).second) {
      continue;
    }
    std::string why = "could not be read";
    harness::SettingsDocument document;
    if (bytes.ok()) {
      document = harness::read_settings(*bytes);
      why = unreadable_because(document);
    }
    if (!why.empty()) {
      scan.unreadable.push_back(std::string("stop hook: could not read ")
                                    .append(file)
                                    .append(" (")
                                    .append(why)
                                    .append("); treated as naming no hook."));
      continue;
    }
    if (const auto off = document.root.boolean_at("disableAllHooks")) {
      disabled_by = *off ? std::optional<std::string>(file) : std::nullopt;
    }
    if (!found && has_stop_command(document.root)) {
      found = file;
    }
  }
  if (disabled_by) {
    scan.verdict = RecordedScan::Verdict::disabled;
    scan.file = *disabled_by;
  } else if (found) {
    scan.verdict = RecordedScan::Verdict::found;
    scan.file = *found;
  }
  return scan;
}

}  // namespace robot_council::stop_hook
