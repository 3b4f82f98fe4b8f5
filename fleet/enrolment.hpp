#pragma once

#include <string>
#include <string_view>

#include "fleet/core.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"

namespace robot_council::fleet {

// Enrolment by device code (service contract, 2).

struct Requester {
  std::string address;           // the peer's IP
  std::string verification_uri;  // where a person approves; never from a request's Host
};

// POST device/code. With --auto-approve the code is approved in the same transaction and said on
// stderr.
Reply start_enrolment(Core& core, const Input& input, const Requester& requester);
// POST device/token. Of overlapping exchanges of one code exactly one gets 201.
Reply exchange_code(Core& core, const Input& input);

enum class Decision : std::uint8_t { approved, denied };
// operator/enrolments/{user_code}/approve|deny; `typed` is read as a person typed it.
Reply decide_enrolment(Core& core, std::string_view typed, Decision decision);

// Ids of live installations that approving would revoke.
[[nodiscard]] std::vector<std::int64_t> superseded_by(Unit& unit, std::int64_t developer_id,
                                                      const std::string& harness,
                                                      const std::string& machine_label);

}  // namespace robot_council::fleet
