#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "fleet/callers.hpp"
#include "fleet/core.hpp"
#include "fleet/input.hpp"
#include "fleet/reply.hpp"
#include "fleet/unit.hpp"

namespace robot_council::fleet {

// One thing that a session can do: the same for its REST route and its MCP tool.
struct Operation {
  enum class Access : std::uint8_t { reads, writes };
  std::string_view ability;  // "" = none needed
  Access access = Access::writes;
  // `id` is the one of the path, or the tool's task_id.
  std::function<Reply(Unit&, const Session&, std::int64_t id, const Input&)> run;
};

// Checks the ability, runs the operation in one transaction with the session as it is then.
[[nodiscard]] Reply run_operation(Core& core, const Session& session, const Operation& operation,
                                  std::int64_t id, const Input& input);

// A request of this session was accepted (3.3): its contact is noted, and a stale one is active
// again.
void note_contact(Core& core, const Session& session);

}  // namespace robot_council::fleet
