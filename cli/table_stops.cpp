#include "cli/table_stops.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kStops = "stops";

Command record() {
  return {"stops record",
          "Observe a turn end: judge the closing message and log it; called by a stop hook",
          Where::here,
          {{"--deadline", "MS", "end after this time at the latest, up to 60000 (9000)"},
           {"--service", "URL", "the fleet's URL, to tell whether events waited"},
           {"--harness", "NAME", "the harness of the seat; else detected"},
           {"--project", "NAME", "one seat for all checkouts of this project"}},
          {},
          {{0, "always; it prints nothing and ignores options that it does not know"}},
          "robot-council stops record",
          {{"ROBOT_COUNCIL_STOP_POLICY", "the policy's file; else the repository's, else yours"},
           {"ROBOT_COUNCIL_STOP_JUDGE", "the judge, whatever a policy says"},
           {"ROBOT_COUNCIL_STOPS_DEBUG", "1: say on stderr what was done"}},
          Show::listed,
          0,
          kStops,
          Unknown::ignored};
}

}  // namespace

std::vector<Command> stops_commands() {
  return {record()};
}

}  // namespace robot_council::cli
