#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {

// Whether a client's hook entry of ours is in its settings file.
enum class WiredState : std::uint8_t {
  not_wired,
  wired,
  outdated,    // an entry of ours that is not the exact command
  unreadable,  // the client cannot read its file
};

struct WiredFile {
  std::string path;
  WiredState state = WiredState::not_wired;
};

struct WiredClient {
  const harness::BrakeClient* client = nullptr;
  WiredFile user;     // path "" when the client has no known user file
  WiredFile project;  // path "" outside a checkout
  [[nodiscard]] bool wired() const;
};

// Absolute path of a client's user file ("" if none is known) and project file. CLAUDE_CONFIG_DIR
// and FACTORY_HOME_OVERRIDE move theirs.
[[nodiscard]] std::string user_file(const harness::BrakeClient& client,
                                    const base::Environment& environment);
[[nodiscard]] std::string project_file(const harness::BrakeClient& client,
                                       const std::string& checkout);

// Reads the settings files of all clients; `checkout` may be "".
[[nodiscard]] std::vector<WiredClient> find_wired(const base::Environment& environment,
                                                  const std::string& checkout);
[[nodiscard]] WiredFile read_wired(const harness::BrakeClient& client, const std::string& path);

// "wired", "wired, unknown whether trusted in the client", "not wired", "outdated", "the client
// cannot read its file".
[[nodiscard]] std::string wired_words(const WiredClient& client);
// "  cursor: wired (/home/ana/.cursor/hooks.json)" for each of the 14, one a line.
[[nodiscard]] std::string wired_lines(const base::Environment& environment,
                                      const std::string& checkout);

}  // namespace robot_council::brake
