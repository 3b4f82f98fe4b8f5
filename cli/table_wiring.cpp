#include "cli/table_wiring.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kWiring = "wiring";
constexpr Argument kClient{"HARNESS", "claude, codex, cursor, gemini, copilot or goose"};
constexpr Option kDryRun{"--dry-run", "", "print what would change, write nothing"};
constexpr Option kYes{"--yes", "", "do not ask"};

Command setup() {
  return {
      "setup",
      "Wire a harness: enrolment, stop-hook script, MCP server, stop hook, and the proof",
      Where::net,
      {{"--service", "URL", "the fleet's URL; else ROBOT_COUNCIL_SERVICE"},
       {"--project", "P", "one seat for all checkouts of this project"},
       {"--scope", "SCOPE", "whose settings: the user's, or this repository's (user)",
        "user project"},
       {"--local", "", "for this user's serve at http://127.0.0.1:8787"},
       {"--no-wake", "", "claude: without the background hooks that wake an idle session"},
       {"--channels", "", "claude: say how to start it with channels"},
       {"--stops", "", "claude, codex, gemini: also record turn ends, once a policy asks for it"},
       kDryRun,
       kYes},
      {kClient},
      {{0, "no step failed; a second run says Nothing changed."},
       {1, "a step failed and undid itself, or the person said no"},
       {2, "unknown harness, option or value; no terminal and neither --yes nor --dry-run"},
       {130, "interrupted"}},
      "robot-council setup claude --service https://fleet.example.org",
      {{"ROBOT_COUNCIL_SERVICE", "the fleet's URL"}},
      Show::listed,
      2,
      kWiring};
}

Command forget() {
  Command command{
      "forget",
      "Remove one harness's credential from this machine; unsetup --forget calls it",
      Where::net,
      {{"--service", "URL", "the fleet's URL"}, {"--harness", "NAME", "whose credential"}}};
  command.show = Show::hidden;
  return command;
}

Command unsetup() {
  return {"unsetup",
          "Take out what setup wrote, and prove that nothing is left",
          Where::here,
          {{"--scope", "SCOPE", "only these settings; else both", "user project"},
           {"--local", "", "end this user's serve and take out its systemd unit too"},
           {"--forget", "", "remove this harness's credential from this machine too"},
           kDryRun,
           kYes},
          {kClient},
          {{0, "nothing of ours is left"},
           {1, "a step failed, an entry is left, which is named, or the person said no"},
           {2, "unknown harness, option or value; no terminal and neither --yes nor --dry-run"},
           {130, "interrupted at the question"}},
          "robot-council unsetup claude",
          {},
          Show::listed,
          2,
          kWiring};
}

}  // namespace

std::vector<Command> wiring_commands() {
  return {setup(), unsetup(), forget()};
}

}  // namespace robot_council::cli
