#include <algorithm>
#include <map>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "harness/names.hpp"
#include "stop-hook/scan_collect.hpp"
#include "stop-hook/scan_recorded.hpp"

// The sources of Cursor, Gemini CLI, Copilot CLI and goose.
namespace robot_council::stop_hook {

namespace {

using harness::HookFileKind;
using harness::SettingsNode;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string home_file(const Collection& found, std::string_view name) {
  const std::string home = scan_home(found.world().environment);
  return home.empty() ? std::string() : base::join_path(home, name);
}

void take(Collection& found, HookFileKind kind, const std::string& file) {
  if (file.empty()) {
    return;
  }
  if (const auto source = found.load(kind, file)) {
    found.add_entries(*source);
  }
}

// The server entry of the last file that has one.
void take_server(Collection& found, const std::string& file) {
  const auto document = file.empty() ? std::nullopt : found.peek(file);
  const SettingsNode* servers = document ? document->root.find("mcpServers") : nullptr;
  if (servers == nullptr) {
    return;
  }
  if (auto values = harness::read_server_values(*document, *servers)) {
    found.server = FoundServer{file, std::move(*values)};
  }
}

// Cursor and Copilot CLI were seen to run the hooks of Claude Code's files too. What is ours there
// answers only Claude Code, unless its script was filled for this client.
void take_claude_files(Collection& found, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const auto bytes = file.empty() || found.seen(file) ? base::Result<std::string>(base::Error{})
                                                        : found.world().files.read(file);
    if (!bytes.ok()) {
      continue;
    }
    const harness::HooksFile hooks =
        harness::read_hooks_file(harness::Client::claude, HookFileKind::settings, *bytes);
    for (const harness::HookEntry& entry : hooks.entries) {
      if (!entry.at_stop || !entry.accepted || !hooks.taken) {
        continue;
      }
      if (entry.command.form == harness::CommandForm::script) {
        const auto script = found.world().files.read(entry.command.program);
        const auto values =
            script.ok() ? harness::read_script_values(*script) : harness::WiredValues();
        if (harness::reduce_name(values.harness.value_or("")) !=
            harness::client_name(found.client())) {
          continue;
        }
      } else if (entry.command.ours() && harness::reduce_name(entry.command.option("harness")) !=
                                             harness::client_name(found.client())) {
        continue;
      }
      FoundEntry taken;
      taken.entry = entry;
      taken.file = file;
      taken.runs = true;
      found.add_entry(std::move(taken));
    }
  }
}

bool runs_ours(Collection& found) {
  return std::any_of(found.entries().begin(), found.entries().end(), [](const FoundEntry& entry) {
    return entry.runs && entry.entry.command.ours();
  });
}

// A folder or a parent of it, in a record of folders; nothing if none is recorded.
std::optional<std::string> recorded_trust(const ScanWorld& world, const SettingsNode& folders) {
  for (const std::string& folder : all_parents(world)) {
    const SettingsNode* value = folders.find(folder);
    if (value != nullptr) {
      return value->text;
    }
  }
  return std::nullopt;
}

}  // namespace

void collect_cursor(Collection& found) {
  const std::string& folder = found.world().folder;
  take(found, HookFileKind::hooks_file, home_file(found, ".cursor/hooks.json"));
  take(found, HookFileKind::hooks_file, base::join_path(folder, ".cursor/hooks.json"));
  take(found, HookFileKind::hooks_file, "/etc/cursor/hooks.json");
  take(found, HookFileKind::hooks_file, "/Library/Application Support/Cursor/hooks.json");
  take_claude_files(found, {home_file(found, ".claude/settings.json"),
                            base::join_path(folder, ".claude/settings.json")});
  take_server(found, home_file(found, ".cursor/mcp.json"));
  take_server(found, base::join_path(folder, ".cursor/mcp.json"));
}

namespace {

class GeminiSources {
 public:
  explicit GeminiSources(Collection& found) : found_(found) {}

  void collect() {
    const std::string user = home_file(found_, ".gemini/settings.json");
    const std::string project = base::join_path(found_.world().folder, ".gemini/settings.json");
    const std::string system = "/etc/gemini-cli/settings.json";
    for (const std::string& file : {user, project, system}) {
      if (file.empty()) {
        continue;
      }
      if (auto source = found_.load(HookFileKind::settings, file)) {
        files_.push_back(std::move(*source));
      }
    }
    read_switches();
    const std::size_t settings = take_all(files_);
    std::vector<SourceFile> extensions;
    const std::string folder = home_file(found_, ".gemini/extensions");
    for (const std::string& name :
         folder.empty() ? std::vector<std::string>() : found_.world().files.list(folder)) {
      if (auto source = found_.load(HookFileKind::hooks_file,
                                    base::join_path(folder, name + "/hooks/hooks.json"))) {
        extensions.push_back(std::move(*source));
      }
    }
    take_all(extensions);
    apply();
    trust(settings);
    take_server(found_, user);
    take_server(found_, project);
    take_server(found_, system);
  }

 private:
  // The number of entries after it.
  std::size_t take_all(const std::vector<SourceFile>& files) {
    for (const SourceFile& source : files) {
      found_.add_entries(source);
    }
    return found_.entries().size();
  }

  // The last file that says something wins: system over project over user. What is disabled adds
  // up.
  void read_switches() {
    for (const SourceFile& source : files_) {
      const auto& document = source.hooks.document;
      const SettingsNode* config =
          document.has_root() && source.hooks.taken ? document.root.find("hooksConfig") : nullptr;
      if (config == nullptr) {
        continue;
      }
      if (const auto enabled = config->boolean_at("enabled")) {
        off_file_ = *enabled ? std::string() : source.file;
        off_line_ =
            harness::settings_place(document.text, config->find_member("enabled")->key_begin).line;
      }
      if (const SettingsNode* disabled = config->find("disabled")) {
        for (const SettingsNode& name : disabled->elements) {
          disabled_[name.text] = {source.file,
                                  harness::settings_place(document.text, name.begin).line};
        }
      }
    }
  }

  void apply() {
    bool any_off = false;
    for (FoundEntry& entry : found_.entries()) {
      const auto by_name = disabled_.find(entry.entry.name);
      const auto by_command = disabled_.find(entry.entry.line_text);
      const auto& disabled =
          by_name != disabled_.end() && !entry.entry.name.empty() ? by_name : by_command;
      entry.runs = entry.runs && !found_.client_stopped;
      if (!off_file_.empty()) {
        any_off = any_off || entry.entry.command.ours();
        entry.runs = false;
      } else if (disabled != disabled_.end()) {
        entry.runs = false;
        if (entry.entry.command.ours()) {
          found_.add(ScanSeverity::error, "off", disabled->second.first, disabled->second.second,
                     "hooksConfig.disabled names this hook, so it does not run.",
                     "Remove it from that list.");
        }
      }
    }
    if (any_off) {
      found_.add(ScanSeverity::error, "off", off_file_, off_line_,
                 "hooksConfig.enabled is false, so Gemini CLI runs no hook.",
                 "Remove it, or set it to true.");
    }
  }

  void trust(std::size_t settings_entries) {
    bool needs = false;
    for (std::size_t i = 0; i < settings_entries; ++i) {
      const FoundEntry& entry = found_.entries()[i];
      needs = needs || (entry.runs && entry.entry.command.ours());
    }
    const std::string file = home_file(found_, ".gemini/trustedFolders.json");
    if (!needs || found_.world().environment.get_or_empty("GEMINI_CLI_TRUST_WORKSPACE") == "true") {
      return;
    }
    const auto folders = file.empty() ? std::nullopt : found_.peek(file);
    const auto level = folders ? recorded_trust(found_.world(), folders->root) : std::nullopt;
    if (level && *level != "DO_NOT_TRUST") {
      return;
    }
    found_.add(ScanSeverity::warning, "trust", file, 0,
               "the folder " + found_.world().folder +
                   " is not recorded as trusted; Gemini CLI runs no hook of a settings file in an "
                   "untrusted folder.",
               "Start gemini there once and trust the folder.");
  }

  Collection& found_;
  std::vector<SourceFile> files_;
  std::string off_file_;
  std::size_t off_line_ = 0;
  std::map<std::string, std::pair<std::string, std::size_t>> disabled_;
};

class CopilotSources {
 public:
  explicit CopilotSources(Collection& found) : found_(found) {
    const auto folder = found.world().environment.nonblank("COPILOT_HOME");
    user_ = folder ? *folder : home_file(found, ".copilot");
  }

  void collect() {
    const std::string& folder = found_.world().folder;
    if (!user_.empty()) {
      take_folder(base::join_path(user_, "hooks"), Place::user);
      take_settings(base::join_path(user_, "settings.json"), Place::user);
    }
    take_folder(base::join_path(folder, ".github/hooks"), Place::project);
    take_settings(base::join_path(folder, ".github/copilot/settings.json"), Place::project);
    take_settings(base::join_path(folder, ".github/copilot/settings.local.json"), Place::project);
    take_folder("/etc/github-copilot/policy.d", Place::policy);
    take_claude_files(found_, {base::join_path(folder, ".claude/settings.json"),
                               base::join_path(folder, ".claude/settings.local.json")});
    apply();
    if (!user_.empty()) {
      found_.misplaced(
          base::join_path(user_, "config.json"), "Copilot CLI reads no hooks from its config.json.",
          "Move them into " + base::join_path(user_, "hooks/robot-council.json") + ".");
      trust();
      take_server(found_, base::join_path(user_, "mcp-config.json"));
    }
    take_server(found_, base::join_path(folder, ".github/mcp.json"));
  }

 private:
  enum class Place : std::uint8_t { user, project, policy };
  struct PlacedFile {
    Place place = Place::user;
    bool settings = false;
    SourceFile source;
  };

  void take_folder(const std::string& folder, Place place) {
    for (const std::string& name : found_.world().files.list(folder)) {
      if (ends_with(name, ".json")) {
        if (auto source = found_.load(HookFileKind::hooks_file, base::join_path(folder, name))) {
          files_.push_back({place, false, std::move(*source)});
        }
      }
    }
  }

  void take_settings(const std::string& file, Place place) {
    if (auto source = found_.load(HookFileKind::settings, file)) {
      files_.push_back({place, true, std::move(*source)});
    }
  }

  // In a settings file disableAllHooks is for all files but policies, in a hook file for that file.
  void apply() {
    const auto all_off = std::find_if(files_.begin(), files_.end(), [](const PlacedFile& file) {
      return file.settings && file.source.hooks.taken &&
             file.source.hooks.disable_all.value_or(false);
    });
    bool any_off = false;
    for (const PlacedFile& file : files_) {
      const bool own_off =
          file.place != Place::policy && file.source.hooks.disable_all.value_or(false);
      const bool off = all_off != files_.end() && file.place != Place::policy;
      const std::size_t first = found_.entries().size();
      found_.add_entries(file.source);
      for (std::size_t i = first; i < found_.entries().size(); ++i) {
        FoundEntry& entry = found_.entries()[i];
        project_entries_ =
            project_entries_ || (file.place == Place::project && entry.entry.command.ours());
        any_off = any_off || (off && entry.entry.command.ours());
        entry.runs = entry.runs && !off && !own_off;
      }
      if (own_off && !file.settings && !file.source.hooks.entries.empty()) {
        found_.add(ScanSeverity::error, "off", file.source.file, file.source.hooks.disable_all_line,
                   "disableAllHooks is true, so no hook of this file runs.",
                   "Remove it, or set it to false.");
      }
    }
    if (any_off) {
      found_.add(ScanSeverity::error, "off", all_off->source.file,
                 all_off->source.hooks.disable_all_line,
                 "disableAllHooks is true, so Copilot CLI runs no hook.",
                 "Remove it, or set it to false.");
    }
  }

  void trust() {
    if (!project_entries_ || !runs_ours(found_)) {
      return;
    }
    const std::string file = base::join_path(user_, "config.json");
    const auto config = found_.peek(file);
    const std::vector<std::string> parents = all_parents(found_.world());
    for (const std::string_view key : {"trusted_folders", "trustedFolders"}) {
      const SettingsNode* folders = config ? config->root.find(key) : nullptr;
      if (folders == nullptr) {
        continue;
      }
      for (const SettingsNode& folder : folders->elements) {
        if (std::find(parents.begin(), parents.end(), folder.text) != parents.end()) {
          return;
        }
      }
    }
    found_.add(ScanSeverity::warning, "trust", file, 0,
               "the folder " + found_.world().folder +
                   " is not recorded as trusted; Copilot CLI runs no hook of a project's files in "
                   "an untrusted folder.",
               "Start copilot there once and trust the folder.");
  }

  Collection& found_;
  std::string user_;
  std::vector<PlacedFile> files_;
  bool project_entries_ = false;
};

}  // namespace

void collect_gemini(Collection& found) {
  GeminiSources(found).collect();
}

void collect_copilot(Collection& found) {
  CopilotSources(found).collect();
}

void collect_goose(Collection& found) {
  const std::vector<std::string> folders = {
      home_file(found, ".agents/plugins"),
      base::join_path(found.world().folder, ".agents/plugins")};
  for (const std::string& folder : folders) {
    for (const std::string& name :
         folder.empty() ? std::vector<std::string>() : found.world().files.list(folder)) {
      const std::string plugin = base::join_path(folder, name);
      take(found, HookFileKind::hooks_file, base::join_path(plugin, "hooks/hooks.json"));
      take_server(found, base::join_path(plugin, ".mcp.json"));
    }
  }
}

}  // namespace robot_council::stop_hook
