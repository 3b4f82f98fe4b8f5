#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brake/edit_file.hpp"
#include "brake/person.hpp"

namespace robot_council::brake {

enum class WireScope : std::uint8_t { user, project };

struct WireRequest {
  std::vector<std::string> clients;  // ids
  bool all = false;                  // every client found on this machine
  WireScope scope = WireScope::user;
  DryRun dry_run = DryRun::no;
  std::string repo = ".";
};

// `brake wire`: adds the hook entry to each client's settings file. A file that its client could
// not read either is left alone: its path and the entry are printed, the others are still done,
// failed. devin and tabnine have no known user file, theirs is the project's. usage: unknown
// client, none named.
[[nodiscard]] Outcome wire(const PersonPlace& place, const WireRequest& request);
// `brake unwire`: takes only our entries out, and a file that held nothing else. Refused to an
// agent.
[[nodiscard]] Outcome unwire(const PersonPlace& place, const WireRequest& request);

}  // namespace robot_council::brake
