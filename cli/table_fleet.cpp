#include "cli/table_fleet.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kFleet = "the fleet's service";

Command serve() {
  return {"serve",
          "Run the fleet's service on this machine until it is stopped",
          Where::net,
          {{"--listen", "HOST:PORT", "where to listen (127.0.0.1:8787); port 0 takes any"},
           {"--data", "DIR", "folder of the store and the operator token (DATA/robot-council/fleet)"},
           {"--store", "STORE", "the store (sqlite)", "sqlite"},
           {"--login", "NAME", "the one developer and operator (the user's name)"},
           {"--tasks-at-once", "N", "tasks one session may hold when placed, 1 to 16 (1)"},
           {"--auto-approve", "", "approve every enrolment at once; loopback only"},
           {"--no-rate-limit", "", "no rates for loopback peers"},
           {"--rate-limit", "NAME=N", "requests a minute of device-code, device-token, device-token-ip, sessions, agent, role, operator",
            {}, Repeat::all},
           {"--behind-proxy", "", "a proxy with TLS stands in front; needs --public-url"},
           {"--public-url", "URL", "the address that people and agents use"},
           {"--max-held", "N", "held reads of the feed at once (2048)"},
           {"--keep-events", "DAYS", "events are kept so long, 0 = for ever (30)"},
           {"--keep-tasks", "DAYS", "finished tasks (90)"},
           {"--keep-locks", "DAYS", "free locks (7)"},
           {"--keep-sessions", "DAYS", "ended sessions (30)"}},
          {},
          {{0, "stopped by SIGTERM or SIGINT"},
           {1, "the port is taken, another serve runs on the folder, an unsafe address, or the store failed"},
           {2, "unknown option or value, or options that exclude each other"}},
          "robot-council serve",
          {},
          Show::listed,
          2,
          kFleet};
}

}  // namespace

std::vector<Command> fleet_commands() { return {serve()}; }

}  // namespace robot_council::cli
