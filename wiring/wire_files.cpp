#include "wiring/wire_files.hpp"

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "stop-hook/script.hpp"

namespace robot_council::wiring {

namespace {

constexpr std::size_t kRootHex = 16;  // hex digits that tell the projects' scripts apart

// The client's folder in the home, or where its variable says.
std::string user_folder(const base::Environment& environment, const char* variable,
                        const char* name) {
  if (variable != nullptr) {
    if (const auto folder = environment.nonblank(variable)) {
      return *folder;
    }
  }
  return base::join_path(base::home_directory(environment), name);
}

}  // namespace

std::string_view scope_name(Scope scope) {
  return scope == Scope::user ? "user" : "project";
}

std::string project_root(const std::string& folder) {
  std::string place = folder;
  while (!base::exists(base::join_path(place, ".git"))) {
    const std::string parent = base::parent_path(place);
    if (parent == place || parent == ".") {
      return folder;
    }
    place = parent;
  }
  return place;
}

std::string script_path(const base::Environment& environment, const WireTarget& target) {
  std::string folder = base::join_path(base::data_directory(environment), "hooks");
  folder = base::join_path(folder, harness::client_name(target.client));
  if (target.scope == Scope::project) {
    folder = base::join_path(folder, base::sha256_hex(target.root).substr(0, kRootHex));
  }
  return base::join_path(folder, stop_hook::kScriptName);
}

WirePlaces wire_places(const base::Environment& environment, const WireTarget& target) {
  const bool user = target.scope == Scope::user;
  const auto in = [&](const char* variable, const char* name) {
    return user ? user_folder(environment, variable, name) : base::join_path(target.root, name);
  };
  WirePlaces places;
  places.script = script_path(environment, target);
  switch (target.client) {
    case harness::Client::claude:
      if (user) {
        const auto folder = environment.nonblank("CLAUDE_CONFIG_DIR");
        places.server = WireFile{
            WireKind::servers,
            base::join_path(folder ? *folder : base::home_directory(environment), ".claude.json")};
      }
      places.hooks.path = base::join_path(in("CLAUDE_CONFIG_DIR", ".claude"),
                                          user ? "settings.json" : "settings.local.json");
      break;
    case harness::Client::codex:
      places.server = WireFile{WireKind::codex_servers,
                               base::join_path(in("CODEX_HOME", ".codex"), "config.toml")};
      places.hooks.path = base::join_path(in("CODEX_HOME", ".codex"), "hooks.json");
      break;
    case harness::Client::cursor:
      places.server =
          WireFile{WireKind::servers, base::join_path(in(nullptr, ".cursor"), "mcp.json")};
      places.hooks.path = base::join_path(in(nullptr, ".cursor"), "hooks.json");
      break;
    case harness::Client::gemini:
      places.server =
          WireFile{WireKind::servers, base::join_path(in(nullptr, ".gemini"), "settings.json")};
      places.hooks.path = base::join_path(in(nullptr, ".gemini"), "settings.json");
      break;
    case harness::Client::copilot:
      places.server =
          WireFile{WireKind::servers,
                   user ? base::join_path(in("COPILOT_HOME", ".copilot"), "mcp-config.json")
                        : base::join_path(target.root, ".github/mcp.json")};
      places.hooks.path =
          user ? base::join_path(in("COPILOT_HOME", ".copilot"), "hooks/robot-council.json")
               : base::join_path(target.root, ".github/hooks/robot-council.json");
      break;
    case harness::Client::goose: {
      const std::string plugin = base::join_path(in(nullptr, ".agents"), "plugins/robot-council");
      places.server = WireFile{WireKind::servers, base::join_path(plugin, ".mcp.json")};
      places.hooks.path = base::join_path(plugin, "hooks/hooks.json");
      places.manifest = base::join_path(plugin, "plugin.json");
      break;
    }
  }
  return places;
}

std::string program_for_entries(const base::Environment& environment, const std::string& own) {
  std::string real = base::real_path(own).value_or(own);
  for (const auto& folder : base::split(environment.get_or_empty("PATH"), ':')) {
    if (folder.empty() || folder.front() != '/') {
      continue;  // it would be another program elsewhere
    }
    std::string path = base::join_path(folder, "robot-council");
    const auto there = base::real_path(path);
    if (there.ok() && *there == real) {
      return path;
    }
  }
  return real;
}

}  // namespace robot_council::wiring
