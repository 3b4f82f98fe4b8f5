#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "harness/settings_hooks.hpp"

namespace robot_council::wiring {

// The entry by which a client starts our MCP server, as it stands in one of its files.
struct ServerEntry {
  std::string file;
  std::string program;
  std::string service;  // --service, else ROBOT_COUNCIL_SERVICE of the entry; "" = neither
  std::string harness;
  std::string project;
  std::map<std::string, std::string> variables;  // of the entry
};

// Every server `robot-council` that the client's files name for this root, the one that counts
// first. What cannot be read has none. Reads only.
[[nodiscard]] std::vector<ServerEntry> find_server_entries(const base::Environment& environment,
                                                           harness::Client client,
                                                           const std::string& root);

}  // namespace robot_council::wiring
