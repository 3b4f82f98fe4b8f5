#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "harness/settings_toml.hpp"
#include "stop-hook/scan_collect.hpp"
#include "stop-hook/scan_recorded.hpp"

namespace robot_council::stop_hook {

namespace {

using harness::CodexConfig;
using harness::CodexServer;

enum class Layer : std::uint8_t { user, system, project, managed };

class CodexSources {
 public:
  explicit CodexSources(Collection& found) : found_(found) {
    const auto folder = found.world().environment.nonblank("CODEX_HOME");
    const std::string home = scan_home(found.world().environment);
    user_ = folder ? *folder : home.empty() ? std::string() : base::join_path(home, ".codex");
  }

  void collect() {
    read_layer(Layer::user, user_);
    read_layer(Layer::system, "/etc/codex");
    read_config(Layer::managed, "/etc/codex/requirements.toml");
    // The outermost folder first; what lies nearer to the project wins.
    std::vector<std::string> folders = folders_to_root(found_.world());
    std::reverse(folders.begin(), folders.end());
    const bool stopped = found_.client_stopped;
    for (const std::string& folder : folders) {
      if (base::join_path(folder, ".codex") != user_) {
        read_layer(Layer::project, base::join_path(folder, ".codex"));
      }
    }
    if (!project_trusted()) {
      found_.client_stopped = stopped;  // files that are not read stop nobody
    }
    apply();
  }

 private:
  struct LayerFile {
    Layer layer = Layer::user;
    SourceFile source;
  };
  struct LayerConfig {
    Layer layer = Layer::user;
    std::string file;
    CodexConfig config;
  };

  void read_layer(Layer layer, const std::string& folder) {
    if (folder.empty()) {
      return;
    }
    if (auto source =
            found_.load(harness::HookFileKind::hooks_file, base::join_path(folder, "hooks.json"))) {
      files_.push_back({layer, std::move(*source)});
    }
    read_config(layer, base::join_path(folder, "config.toml"));
  }

  void read_config(Layer layer, const std::string& file) {
    const auto bytes = found_.read(file);
    if (!bytes) {
      return;
    }
    LayerConfig read{layer, file, harness::read_codex_config(*bytes)};
    CodexConfig& config = read.config;
    if (config.error) {
      found_.add(ScanSeverity::error, "syntax", file, config.error_place.line,
                 "line " + std::to_string(config.error_place.line) + ", column " +
                     std::to_string(config.error_place.column) + ": " + config.error->what +
                     "; Codex will not start.",
                 "Correct the TOML at that place.");
    }
    found_.add_faults(file, config.faults);
    found_.client_stopped = found_.client_stopped || config.stops_client;
    found_.mentioned = found_.mentioned || (config.mentions_us && config.entries.empty());
    // The table goes in as a hook file of its own: its trust keys name config.toml.
    LayerFile table{layer, {}};
    table.source.file = file;
    table.source.hooks.taken = !config.error;
    table.source.hooks.entries = config.entries;
    files_.push_back(std::move(table));
    if (layer == Layer::user && config.server) {
      found_.server = FoundServer{file, server_values(*config.server)};
    }
    if (layer == Layer::project && config.server) {
      found_.server = FoundServer{file, server_values(*config.server)};
    }
    configs_.push_back(std::move(read));
  }

  static harness::WiredValues server_values(const CodexServer& server) {
    harness::WiredValues values;
    values.line = server.line;
    values.program = server.command;
    values.arguments = server.args;
    const auto variable = [&](const std::string& name) {
      const auto found = server.env.find(name);
      return found == server.env.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    values.service = variable("ROBOT_COUNCIL_SERVICE");
    values.harness = variable("ROBOT_COUNCIL_HARNESS");
    values.state_home = variable("XDG_STATE_HOME");
    for (const std::string& word : server.args) {
      constexpr std::string_view kProject = "--project=";
      if (word.rfind(kProject, 0) == 0) {
        values.project = word.substr(kProject.size());
      }
    }
    return values;
  }

  [[nodiscard]] const CodexConfig* user_config() const {
    const auto found =
        std::find_if(configs_.begin(), configs_.end(),
                     [](const LayerConfig& config) { return config.layer == Layer::user; });
    return found == configs_.end() ? nullptr : &found->config;
  }

  // The folder of a project's .codex, or a parent or the repository's root, is trusted in the
  // user's configuration.
  [[nodiscard]] bool project_trusted() const {
    const CodexConfig* user = user_config();
    if (user == nullptr) {
      return false;
    }
    for (const std::string& folder : all_parents(found_.world())) {
      const auto level = user->project_trust.find(folder);
      if (level != user->project_trust.end()) {
        return level->second == "trusted";
      }
    }
    return false;
  }

  // What the user's configuration records about an entry, under the file's name or its real path.
  [[nodiscard]] const harness::CodexTrust* recorded(const LayerFile& file,
                                                    const harness::HookEntry& entry) const {
    const CodexConfig* user = user_config();
    const std::string& named = file.source.file;
    for (const std::string& name : {named, found_.world().files.real_path(named).value_or(named)}) {
      const std::string key = harness::codex_trust_key(name, entry);
      if (user != nullptr && user->hook_trust.count(key) != 0) {
        return &user->hook_trust.at(key);
      }
    }
    return nullptr;
  }

  [[nodiscard]] bool switched_off(const LayerFile& file, const harness::HookEntry& entry) const {
    const harness::CodexTrust* trust = recorded(file, entry);
    return trust != nullptr && !trust->enabled;
  }

  // Whether the user's configuration holds the hash of this very entry.
  [[nodiscard]] std::string distrust(const LayerFile& file, const harness::HookEntry& entry) const {
    const auto hash = harness::codex_trusted_hash(entry);
    if (!hash) {
      return "cannot be checked: the entry has keys whose part in its hash is not known";
    }
    const harness::CodexTrust* trust = recorded(file, entry);
    if (trust == nullptr || trust->hash.empty()) {
      return "is not recorded";
    }
    return trust->hash == *hash ? std::string() : "was given to another text of it";
  }

  void apply() {
    const LayerConfig* off = nullptr;
    const LayerConfig* only_managed = nullptr;
    for (const LayerConfig& config : configs_) {  // a later layer is nearer and wins
      if (config.config.hooks_feature && (config.layer != Layer::project || project_trusted())) {
        off = *config.config.hooks_feature ? nullptr : &config;
      }
      if (config.layer == Layer::managed && config.config.managed_hooks_only.value_or(false)) {
        only_managed = &config;
      }
    }
    bool any_off = false;
    bool any_policy = false;
    for (const LayerFile& file : files_) {
      const std::size_t first = found_.entries().size();
      found_.add_entries(file.source);
      for (std::size_t i = first; i < found_.entries().size(); ++i) {
        FoundEntry& entry = found_.entries()[i];
        const bool ours = entry.entry.command.ours();
        const bool blocked = only_managed != nullptr && file.layer != Layer::managed;
        any_off = any_off || (off != nullptr && ours);
        any_policy = any_policy || (blocked && ours);
        entry.runs = entry.runs && off == nullptr && !blocked && !found_.client_stopped;
        review(file, entry);
      }
    }
    if (any_off) {
      found_.add(ScanSeverity::error, "off", off->file, off->config.hooks_feature_line,
                 off->config.hooks_feature_key + " is false, so Codex runs no hook.",
                 "Remove it, or set it to true.");
    }
    if (any_policy) {
      found_.add(ScanSeverity::error, "policy", only_managed->file,
                 only_managed->config.managed_hooks_only_line,
                 "allow_managed_hooks_only is set, so only managed hooks run.",
                 "Ask the administrator to add the hook to the managed ones.");
    }
  }

  void review(const LayerFile& file, FoundEntry& entry) {
    if (!entry.runs || !entry.entry.at_stop || file.layer == Layer::managed) {
      return;
    }
    if (file.layer == Layer::project && !project_trusted()) {
      entry.runs = false;
      entry.needs_review = true;
      if (entry.entry.command.ours()) {
        found_.add(ScanSeverity::warning, "trust", entry.file, entry.entry.line,
                   "the project " + found_.world().folder +
                       " is not trusted, so Codex does not read this file.",
                   "Trust the project in Codex, then the hook in /hooks.");
      }
      return;
    }
    if (switched_off(file, entry.entry)) {
      entry.runs = false;
      if (entry.entry.command.ours()) {
        found_.add(ScanSeverity::error, "off", entry.file, entry.entry.line,
                   "Codex's record of this hook says enabled = false, so it does not run.",
                   "Start codex, open /hooks and enable it.");
      }
      return;
    }
    const std::string why = distrust(file, entry.entry);
    if (why.empty()) {
      return;
    }
    entry.runs = false;
    entry.needs_review = true;
    if (entry.entry.command.ours()) {
      found_.add(ScanSeverity::warning, "trust", entry.file, entry.entry.line,
                 "Codex skips this hook in silence: its trust " + why + ".",
                 "Start codex, open /hooks and trust it.");
    }
  }

  Collection& found_;
  std::string user_;
  std::vector<LayerFile> files_;
  std::vector<LayerConfig> configs_;
};

}  // namespace

void collect_codex(Collection& found) {
  CodexSources(found).collect();
}

}  // namespace robot_council::stop_hook
