#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "harness/settings_edit.hpp"
#include "harness/settings_wanted.hpp"

// Which files of a client hold our wiring, and what setup puts there. Paths only; nothing is read
// or written here. Source  account contract, section 6.
namespace robot_council::wiring {

enum class Scope : std::uint8_t { user, project };
[[nodiscard]] std::string_view scope_name(Scope scope);  // "user", "project"

struct WireTarget {
  harness::Client client = harness::Client::claude;
  Scope scope = Scope::user;
  std::string root;  // project scope: the repository's root, else the folder
};

// What an edit of one file is.
enum class WireKind : std::uint8_t { servers, codex_servers, hooks, manifest };

struct WireFile {
  WireKind kind = WireKind::hooks;
  std::string path;
};

struct WirePlaces {
  std::string script;  // of this harness and scope
  std::optional<WireFile>
      server;  // nothing: only the client's own program writes it (Claude Code, project scope)
  WireFile hooks;
  std::string manifest;  // goose: plugin.json beside both, "" = none
};

// The repository's root above a folder (a folder with .git), else the folder itself.
[[nodiscard]] std::string project_root(const std::string& folder);
[[nodiscard]] WirePlaces wire_places(const base::Environment& environment,
                                     const WireTarget& target);

// DATA/hooks/<harness>[/<16 hex of SHA-256(root)>]/robot-council-stop-hook.
[[nodiscard]] std::string script_path(const base::Environment& environment,
                                      const WireTarget& target);

// How an entry names our program: the first robot-council on PATH that is `own`, links kept (an
// upgrade changes their target), else the real path of `own`.
[[nodiscard]] std::string program_for_entries(const base::Environment& environment,
                                              const std::string& own);

}  // namespace robot_council::wiring
