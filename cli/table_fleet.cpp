#include "cli/table_fleet.hpp"

#include <utility>

namespace robot_council::cli {
namespace {

constexpr std::string_view kFleet = "the fleet's service";

Command serve() {
  return {
      "serve",
      "Run the fleet's service on this machine until it is stopped",
      Where::net,
      {{"--listen", "HOST:PORT", "where to listen (127.0.0.1:8787); port 0 takes any"},
       {"--data", "DIR", "folder of the store and the operator token (DATA/robot-council/fleet)"},
       {"--store", "STORE", "the store (sqlite)", "sqlite"},
       {"--login", "NAME", "the one developer and operator (the user's name)"},
       {"--tasks-at-once", "N", "tasks one session may hold when placed, 1 to 16 (1)"},
       {"--auto-approve", "", "approve every enrolment at once; loopback only"},
       {"--no-rate-limit", "", "no rates for loopback peers"},
       {"--rate-limit",
        "NAME=N",
        "requests a minute of device-code, device-token, device-token-ip, sessions, agent, role, "
        "operator",
        {},
        Repeat::all},
       {"--behind-proxy", "", "a proxy with TLS stands in front; needs --public-url"},
       {"--public-url", "URL", "the address that people and agents use"},
       {"--max-held", "N", "held reads of the feed at once (2048)"},
       {"--keep-events", "DAYS", "events are kept so long, 0 = for ever (30)"},
       {"--keep-tasks", "DAYS", "finished tasks (90)"},
       {"--keep-locks", "DAYS", "free locks (7)"},
       {"--keep-sessions", "DAYS", "ended sessions (30)"}},
      {},
      {{0, "stopped by SIGTERM or SIGINT"},
       {1,
        "the port is taken, another serve runs on the folder, an unsafe address, or the store "
        "failed"},
       {2, "unknown option or value, or options that exclude each other"}},
      "robot-council serve",
      {},
      Show::listed,
      2,
      kFleet};
}

constexpr Option kData{"--data", "DIR", "the service's folder (DATA/robot-council/fleet)"};
constexpr Option kUrl{
    "--url", "URL",
    "the service's address; else service.url of its folder, else http://127.0.0.1:8787"};
constexpr Option kJson{"--json", "", "the service's answer as it is"};

Command operate(std::string_view name, std::string_view summary, std::vector<Argument> arguments,
                std::string_view example, std::vector<Option> more = {}) {
  std::vector<Option> options{kData, kUrl, kJson};
  options.insert(options.end(), more.begin(), more.end());
  return {name,
          summary,
          Where::net,
          std::move(options),
          std::move(arguments),
          {{0, "done"},
           {1, "not reached, refused, or an act called by an agent"},
           {2, "unknown option or value"}},
          example,
          {},
          Show::listed,
          2,
          kFleet};
}

}  // namespace

std::vector<Command> fleet_commands() {
  const Argument session{"SESSION", "a session's number"};
  const Argument code{"CODE", "the code that the machine shows"};
  return {
      serve(),
      operate("fleet overview", "Show the fleet: sessions, what waits for you, tasks, locks", {},
              "robot-council fleet overview"),
      operate("fleet approve", "Approve an enrolment by its code", {code},
              "robot-council fleet approve BCDF-GHJK"),
      operate("fleet deny", "Deny an enrolment by its code", {code},
              "robot-council fleet deny BCDF-GHJK"),
      operate("fleet role",
              "Give a session a role: approves the request if it is pending, else imposes it",
              {session, {"ROLE", "build, ci or coordinator"}},
              "robot-council fleet role 7 coordinator"),
      operate("fleet deny-role", "Refuse the role that a session asked for", {session},
              "robot-council fleet deny-role 7"),
      operate("fleet revoke", "End a session, or an installation with its sessions",
              {{"WHAT", "session or installation"}, {"ID", "its number"}},
              "robot-council fleet revoke session 7"),
      operate("fleet direct",
              "Tell all live sessions, or some, what to do; one that joins later does not get it",
              {{"TEXT", "the directive", true, true}},
              "robot-council fleet direct --to 7 'Rebase on main.'",
              {{"--to", "ID", "a session that should act; repeatable", {}, Repeat::all}}),
      operate("fleet feed", "Show the newest 50 events", {}, "robot-council fleet feed --follow",
              {{"--follow", "", "go on with each event as it comes"}})};
}

}  // namespace robot_council::cli
