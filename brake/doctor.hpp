#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/context.hpp"

namespace robot_council::brake {

enum class Finding : std::uint8_t { ok, warning, failed, unknown };

// One check of `doctor`: a sentence, and what to do unless it is ok.
struct DoctorFact {
  std::string id;  // "brake-copies", "brake-client-cursor"
  Finding finding = Finding::ok;
  std::string text;
  std::string remedy;
};

// The brake's checks for the checkout that `directory` is in: the copies of a stop, git's exclude
// file, each client's hook entry and off switches, the hook command in an empty environment, the
// git hooks, copies of checkouts that are gone, the agent-env file. Runs git and the hook command
// (kGitWait each, kCheckWait); writes nothing. Nothing here says that a client does run its hooks:
// that is known to the client alone.
[[nodiscard]] std::vector<DoctorFact> brake_doctor(const base::Context& context,
                                                   const std::vector<std::string>& homes,
                                                   const std::string& directory);

// The part about the clients.
[[nodiscard]] std::vector<DoctorFact> doctor_clients(const base::Context& context,
                                                     const std::string& checkout);

}  // namespace robot_council::brake
