#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "stop-hook/scan_collect.hpp"
#include "stop-hook/scan_recorded.hpp"

namespace robot_council::stop_hook {

namespace {

using harness::HookFileKind;
using harness::SettingsKind;
using harness::SettingsNode;

enum class Scope : std::uint8_t { user, project, local, managed, plugin };

struct ScopedFile {
  Scope scope = Scope::user;
  SourceFile source;
  std::string plugin_root;
};

// Claude Code's sources, read once in order; then what they say together.
class ClaudeSources {
 public:
  explicit ClaudeSources(Collection& found)
      : found_(found),
        user_(claude_user_folder(found.world().environment)),
        home_(scan_home(found.world().environment)) {}

  void collect() {
    read_settings_files();
    read_managed();
    read_plugins();
    misplaced_files();
    apply();
    trust();
    server();
  }

 private:
  [[nodiscard]] std::string in_project(std::string_view name) const {
    return base::join_path(found_.world().folder, ".claude/" + std::string(name));
  }

  void take(Scope scope, HookFileKind kind, const std::string& file,
            const std::string& plugin_root = {}) {
    if (auto source = found_.load(kind, file)) {
      files_.push_back({scope, std::move(*source), plugin_root});
    }
  }

  void read_settings_files() {
    if (!user_.empty()) {
      take(Scope::user, HookFileKind::settings, base::join_path(user_, "settings.json"));
    }
    take(Scope::project, HookFileKind::settings, in_project("settings.json"));
    // Started below a repository's root, Claude Code reads the local file there too, but not its
    // settings.json.
    const std::vector<std::string> folders = folders_to_root(found_.world());
    if (folders.size() > 1) {
      take(Scope::local, HookFileKind::settings,
           base::join_path(folders.back(), ".claude/settings.local.json"));
    }
    take(Scope::local, HookFileKind::settings, in_project("settings.local.json"));
  }

  void read_managed() {
    for (const std::string folder :
         {"/etc/claude-code", "/Library/Application Support/ClaudeCode"}) {
      take(Scope::managed, HookFileKind::managed, base::join_path(folder, "managed-settings.json"));
      const std::string drop_ins = base::join_path(folder, "managed-settings.d");
      for (const std::string& name : found_.world().files.list(drop_ins)) {
        if (name.size() > 5 && name.front() != '.' && name.substr(name.size() - 5) == ".json") {
          take(Scope::managed, HookFileKind::managed, base::join_path(drop_ins, name));
        }
      }
    }
  }

  // Files from the one of the highest rank down: managed (the last drop-in first), local, project,
  // user.
  [[nodiscard]] std::vector<const ScopedFile*> by_rank() const {
    std::vector<const ScopedFile*> ranked;
    for (const Scope scope : {Scope::managed, Scope::local, Scope::project, Scope::user}) {
      std::for_each(files_.rbegin(), files_.rend(), [&](const ScopedFile& file) {
        if (file.scope == scope && file.source.hooks.taken) {
          ranked.push_back(&file);
        }
      });
    }
    return ranked;
  }

  [[nodiscard]] bool plugin_enabled(const std::string& name) const {
    for (const ScopedFile* file : by_rank()) {
      const auto& document = file->source.hooks.document;
      const SettingsNode* plugins =
          document.has_root() ? document.root.find("enabledPlugins") : nullptr;
      const auto enabled = plugins == nullptr ? std::nullopt : plugins->boolean_at(name);
      if (enabled) {
        return *enabled;
      }
    }
    return false;
  }

  void read_plugins() {
    if (user_.empty()) {
      return;
    }
    const auto installed = found_.peek(base::join_path(user_, "plugins/installed_plugins.json"));
    const SettingsNode* plugins = installed ? installed->root.find("plugins") : nullptr;
    if (plugins == nullptr) {
      return;
    }
    for (const auto& plugin : plugins->members) {
      if (!plugin_enabled(plugin.key)) {
        continue;
      }
      // Version 1 of the file holds an object for each plugin, version 2 a list of them.
      read_plugin(plugin.value.string_at("installPath"));
      for (const SettingsNode& place : plugin.value.elements) {
        read_plugin(place.string_at("installPath"));
      }
    }
  }

  void read_plugin(const std::string& root) {
    if (root.empty()) {
      return;
    }
    take(Scope::plugin, HookFileKind::hooks_file, base::join_path(root, "hooks/hooks.json"), root);
    for (const std::string name : {".claude-plugin/plugin.json", "plugin.json"}) {
      const std::string file = base::join_path(root, name);
      const auto manifest = found_.peek(file);
      const SettingsNode* hooks = manifest ? manifest->root.find("hooks") : nullptr;
      if (hooks == nullptr) {
        continue;
      }
      if (hooks->is(SettingsKind::string)) {
        take(Scope::plugin, HookFileKind::hooks_file, base::join_path(root, hooks->text), root);
      } else if (hooks->is(SettingsKind::object)) {
        read_inline(file, *manifest, *hooks, root);
      }
    }
  }

  void read_inline(const std::string& file, const harness::SettingsDocument& manifest,
                   const SettingsNode& hooks, const std::string& root) {
    const SettingsNode* inner = hooks.find("hooks");
    ScopedFile scoped;
    scoped.scope = Scope::plugin;
    scoped.plugin_root = root;
    scoped.source.file = file;
    scoped.source.hooks.taken = true;
    scoped.source.hooks.entries = harness::read_hook_events(harness::Client::claude, manifest,
                                                            inner == nullptr ? hooks : *inner);
    found_.result().files.push_back(file);
    files_.push_back(std::move(scoped));
  }

  void misplaced_files() {
    constexpr std::string_view kMove = "Move the hooks into a settings.json that is read, such as ";
    const std::string user_file = user_.empty() ? std::string("~/.claude/settings.json")
                                                : base::join_path(user_, "settings.json");
    const std::string remedy = std::string(kMove) + user_file + ".";
    if (!home_.empty()) {
      found_.misplaced(
          base::join_path(found_.world().environment.nonblank("CLAUDE_CONFIG_DIR").value_or(home_),
                          ".claude.json"),
          "Claude Code reads no hooks from this file.", remedy);
    }
    if (!user_.empty()) {
      found_.misplaced(base::join_path(user_, "settings.local.json"),
                       "Claude Code reads a settings.local.json only in a project, so no hook of "
                       "this file runs.",
                       remedy);
      found_.misplaced(
          base::join_path(user_, "hooks.json"),
          "Claude Code reads no hooks.json here; only a plugin has a hooks/hooks.json.", remedy);
    }
    found_.misplaced(in_project("hooks.json"),
                     "Claude Code reads no hooks.json here; only a plugin has a hooks/hooks.json.",
                     remedy);
    const std::vector<std::string> parents = all_parents(found_.world());
    for (std::size_t i = 1; i < parents.size(); ++i) {
      if (parents[i] == home_) {
        continue;  // that one is the user's own, or that of another CLAUDE_CONFIG_DIR
      }
      found_.misplaced(base::join_path(parents[i], ".claude/settings.json"),
                       "Claude Code reads .claude/settings.json only in the folder it is started "
                       "in, so no hook of this file runs.",
                       "Start it in " + parents[i] + ", or move the hooks into " +
                           in_project("settings.local.json") + ".");
    }
  }

  struct Switch {
    std::string file;
    std::size_t line = 0;
    std::string key;
    std::string why;
  };

  // A managed key that holds: its file, or nothing.
  [[nodiscard]] std::optional<Switch> managed_key(std::string_view key,
                                                  std::string_view listed) const {
    for (const ScopedFile* file : by_rank()) {
      const auto& document = file->source.hooks.document;
      if (file->scope != Scope::managed || !document.has_root()) {
        continue;
      }
      const harness::SettingsMember* member = document.root.find_member(key);
      if (member == nullptr) {
        continue;
      }
      const SettingsNode& value = member->value;
      const bool in_list =
          std::any_of(value.elements.begin(), value.elements.end(),
                      [&](const SettingsNode& item) { return item.text == listed; });
      if ((value.is(SettingsKind::boolean) && value.boolean) || (!listed.empty() && in_list)) {
        return Switch{file->source.file,
                      harness::settings_place(document.text, member->key_begin).line,
                      std::string(key),
                      {}};
      }
      return std::nullopt;
    }
    return std::nullopt;
  }

  void apply() {
    const std::optional<Switch> only_managed = managed_key("allowManagedHooksOnly", "");
    const std::optional<Switch> only_plugins =
        managed_key("strictPluginOnlyCustomization", "hooks");
    const ScopedFile* off = nullptr;
    for (const ScopedFile* file : by_rank()) {
      if (file->source.hooks.disable_all) {
        off = *file->source.hooks.disable_all ? file : nullptr;
        break;
      }
    }
    bool any_off = false;
    bool any_policy = false;
    const std::string bare = switched_off_by_variable();
    for (const ScopedFile& file : files_) {
      const bool disabled =
          off != nullptr && (off->scope == Scope::managed || file.scope != Scope::managed);
      const bool blocked =
          (only_managed && file.scope != Scope::managed) ||
          (only_plugins && file.scope != Scope::managed && file.scope != Scope::plugin);
      const std::size_t first = found_.entries().size();
      found_.add_entries(file.source, file.plugin_root);
      for (std::size_t i = first; i < found_.entries().size(); ++i) {
        FoundEntry& entry = found_.entries()[i];
        any_off = any_off || (disabled && entry.entry.at_stop);
        any_policy = any_policy || (blocked && entry.entry.command.ours());
        entry.runs = entry.runs && !disabled && !blocked && bare.empty() && !found_.client_stopped;
      }
    }
    if (any_off) {
      found_.add(ScanSeverity::error, "off", off->source.file, off->source.hooks.disable_all_line,
                 off->scope == Scope::managed
                     ? "disableAllHooks is true in the managed settings, so no hook runs."
                     : "disableAllHooks is true, so no hook but managed ones runs.",
                 off->scope == Scope::managed ? "Ask the administrator."
                                              : "Remove it, or set it to false.");
    }
    if (any_policy) {
      const Switch& policy = only_managed ? *only_managed : *only_plugins;
      found_.add(
          ScanSeverity::error, "policy", policy.file, policy.line,
          policy.key +
              " is set, so hooks of the user's, the project's and the local settings are blocked.",
          "Ask the administrator to add the hook to the managed settings.");
    }
    if (!bare.empty() && !found_.entries().empty()) {
      found_.add(ScanSeverity::error, "off", found_.entries().front().file, 0,
                 bare + "=1 is set, so Claude Code runs no hook.", "Unset " + bare + ".");
    }
  }

  [[nodiscard]] std::string switched_off_by_variable() const {
    for (std::string name : {"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"}) {
      if (found_.world().environment.get_or_empty(name) == "1") {
        return name;
      }
    }
    return {};
  }

  [[nodiscard]] std::string state_file() const {
    const auto folder = found_.world().environment.nonblank("CLAUDE_CONFIG_DIR");
    const std::string& place = folder ? *folder : home_;
    return place.empty() ? std::string() : base::join_path(place, ".claude.json");
  }

  void trust() {
    const auto ours = std::find_if(
        found_.entries().begin(), found_.entries().end(),
        [](const FoundEntry& entry) { return entry.runs && entry.entry.command.ours(); });
    if (ours == found_.entries().end()) {
      return;
    }
    const std::string file = state_file();
    const auto state = file.empty() ? std::nullopt : found_.peek(file);
    const SettingsNode* projects = state ? state->root.find("projects") : nullptr;
    if (projects != nullptr) {
      for (const std::string& folder : all_parents(found_.world())) {
        const SettingsNode* project = projects->find(folder);
        if (project != nullptr && project->boolean_at("hasTrustDialogAccepted").value_or(false)) {
          return;
        }
      }
    }
    found_.add(ScanSeverity::warning, "trust", file.empty() ? ours->file : file, 0,
               "the folder " + found_.world().folder +
                   " is not recorded as trusted; an interactive session runs no hook before its "
                   "trust dialog is accepted.",
               "Start claude there once and accept.");
  }

  bool server_in(const std::string& file, const harness::SettingsDocument& document,
                 const SettingsNode* servers) {
    if (servers == nullptr) {
      return false;
    }
    if (auto values = harness::read_server_values(document, *servers)) {
      found_.server = FoundServer{file, std::move(*values)};
      return true;
    }
    return false;
  }

  // The local entry wins over the project's and the user's.
  void server() {
    const std::string file = state_file();
    const auto state = file.empty() ? std::nullopt : found_.peek(file);
    if (state) {
      const SettingsNode* projects = state->root.find("projects");
      const SettingsNode* project =
          projects == nullptr ? nullptr : projects->find(found_.world().folder);
      if (project != nullptr && server_in(file, *state, project->find("mcpServers"))) {
        return;
      }
    }
    const std::string shared = base::join_path(found_.world().folder, ".mcp.json");
    const auto project = found_.peek(shared);
    if (project && server_in(shared, *project, project->root.find("mcpServers"))) {
      return;
    }
    if (state) {
      server_in(file, *state, state->root.find("mcpServers"));
    }
  }

  Collection& found_;
  std::string user_;
  std::string home_;
  std::vector<ScopedFile> files_;
};

}  // namespace

void collect_claude(Collection& found) {
  ClaudeSources(found).collect();
}

}  // namespace robot_council::stop_hook
