// The table of commands, one entry each, in the order of the list.

#include <array>

#include "cli/command.hpp"
#include "cli/table_account.hpp"
#include "cli/table_brake.hpp"
#include "cli/table_bridge.hpp"
#include "cli/table_fleet.hpp"
#include "cli/table_program.hpp"
#include "cli/table_stops.hpp"
#include "cli/table_stops_report.hpp"
#include "cli/table_wiring.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kDeliver = "delivery";

constexpr Option kService{"--service", "URL", "the fleet's URL; else ROBOT_COUNCIL_SERVICE"};
constexpr Option kHarness{"--harness", "NAME",
                          "the harness; else ROBOT_COUNCIL_HARNESS, else detected"};
constexpr Option kProject{"--project", "NAME", "one seat for all checkouts of this project"};

constexpr Variable kServiceVariable{"ROBOT_COUNCIL_SERVICE", "the fleet's URL"};
constexpr Variable kHarnessVariable{"ROBOT_COUNCIL_HARNESS", "the harness this seat belongs to"};

Command pending() {
  return {"pending",
          "Hand the waiting events of this seat to the agent, once",
          Where::here,
          {kService,
           kHarness,
           kProject,
           {"--peek", "", "show what waits and change nothing"},
           {"--json", "", "with --peek: as JSON"},
           {"--format", "SHAPE", "print a whole hook answer", "block cursor deny"},
           {"--hook", "", "answer a stop hook: its payload on stdin, the answer on stdout"},
           {"--history", "", "show the newest rows that left the seat, and why"}},
          {{"N", "with --history: how many (20)", false}},
          {{0, "printed, or nothing waits"},
           {1, "no service, no harness, or a wrong option"},
           {3, "the sink exists and cannot be read or written (never with --hook)"}},
          "robot-council pending --peek",
          {kServiceVariable,
           kHarnessVariable,
           {"ROBOT_COUNCIL_ROUNDS", "answers to one turn in a row, 1 to 8 (1)"},
           {"ROBOT_COUNCIL_QUIET", "object: print {} where nothing waits"}},
          Show::listed,
          1,
          kDeliver};
}

Command wait() {
  return {"wait",
          "Wait until an event waits for this seat",
          Where::here,
          {{"--timeout", "SECONDS", "give up after this time; else wait on"},
           {"--hook", "",
            "run as a background hook of Claude Code: payload on stdin, events on stderr"},
           kService,
           kHarness,
           kProject},
          {},
          {{0, "something waits; with --hook: nothing was handed over"},
           {1, "the time is over, or no service, no harness, a wrong option"},
           {3, "the sink exists and cannot be read"},
           {10, "with --hook: events were handed over"},
           {130, "interrupted"}},
          "robot-council wait --timeout 60 && robot-council pending",
          {kServiceVariable,
           kHarnessVariable,
           {"ROBOT_COUNCIL_MIDTURN",
            "with --hook: what reaches a working session: urgent, all, none (urgent)"}},
          Show::listed,
          1,
          kDeliver};
}

Command hooks_scan() {
  return {"hooks scan",
          "Tell which stop hooks of the installed clients will run, and why others will not",
          Where::here,
          {{"--harness", "NAME", "one client; else each that has a settings file"},
           {"--json", "", "as JSON"}},
          {},
          {{0, "the stop hook of every client looked at runs"},
           {1, "one does not run, or no client has a settings file"}},
          "robot-council hooks scan --harness claude",
          {{"CLAUDE_CONFIG_DIR", "Claude Code's settings folder (~/.claude)"},
           {"CODEX_HOME", "Codex's (~/.codex)"},
           {"COPILOT_HOME", "Copilot CLI's (~/.copilot)"}},
          Show::listed,
          2,
          kDeliver};
}

std::vector<Command> delivery_commands() {
  return {pending(), wait(), hooks_scan()};
}

// A part of the table is made when it is first looked at: what a hook calls stands in the first
// two, and a hook runs at every turn end and before every tool call.
template <std::vector<Command> (*kMake)()>
const std::vector<Command>& made() {
  static const std::vector<Command> part = kMake();
  return part;
}

using Part = const std::vector<Command>& (*)();
constexpr std::array<Part, 9> kParts = {
    made<delivery_commands>, made<bridge_commands>,       made<brake_commands>,
    made<stops_commands>,    made<stops_report_commands>, made<wiring_commands>,
    made<account_commands>,  made<fleet_commands>,        made<program_commands>};

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> every = [] {
    std::vector<Command> all;
    for (const auto part : kParts) {
      all.insert(all.end(), part().begin(), part().end());
    }
    return all;
  }();
  return every;
}

const Command* find_command(std::string_view name) {
  for (const auto part : kParts) {
    for (const auto& command : part()) {
      if (command.name == name) {
        return &command;
      }
    }
  }
  return nullptr;
}

}  // namespace robot_council::cli
