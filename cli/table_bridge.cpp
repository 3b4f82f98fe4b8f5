#include "cli/table_bridge.hpp"

namespace robot_council::cli {

std::vector<Command> bridge_commands() {
  return {{"mcp",
           "Serve the coordination tools over stdio, for a harness to launch",
           Where::net,
           {{"--service", "URL", "the fleet's URL; else ROBOT_COUNCIL_SERVICE"},
            {"--project", "NAME", "one seat for all checkouts of this project"},
            {"--repository", "OWNER/NAME", "where the session works; else read from the checkout"},
            {"--work-location", "NAME", "which checkout of it; else read from the checkout"},
            {"--harness", "NAME", "the harness; else ROBOT_COUNCIL_HARNESS, else detected"},
            {"--auto-join", "", "join the fleet at launch"},
            {"--role", "ROLE", "with --auto-join: the role to ask for", "build ci coordinator"},
            {"--capacity", "N", "with --auto-join: tasks this session can hold at once"},
            {"--keep-warm",
             "MINUTES",
             "Claude Code: keep the prompt cache of an idle session warm",
             {},
             Repeat::last_wins,
             Bare::allowed},
            {"--keep-warm-for", "MINUTES", "with --keep-warm: no longer after the last activity"}},
           {},
           {{0, "the harness ended it, or the fleet ended the session"},
            {1, "no service, stdin framed with Content-Length headers, or an uncaught error"},
            {2, "unknown option or value"}},
           "robot-council mcp --service https://fleet.example.org --harness claude --auto-join",
           {{"ROBOT_COUNCIL_SERVICE", "the fleet's URL"},
            {"ROBOT_COUNCIL_HARNESS", "the harness this seat belongs to"},
            {"XDG_STATE_HOME", "where the seat's files are"}},
           Show::listed,
           2,
           "delivery"}};
}

}  // namespace robot_council::cli
