#include "cli/table_brake.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kBrake = "brake";
constexpr std::string_view kClients =
    "antigravity claude_code codex_cli cursor devin factory_droid gemini_cli goose grok "
    "mistral_vibe openhands tabnine "
    "vscode_copilot windsurf";
constexpr Option kRepo{"--repo", "DIR", "the repository, or any folder in it (.)"};
constexpr ExitCode kUsage{2, "unknown client or option, or no such folder"};
constexpr Option kScope{"--scope", "SCOPE", "whose settings file (user)", "project user"};
constexpr Option kDryRun{"--dry-run", "", "print what would change, write nothing"};
constexpr Option kAll{"--all", "", "every client found on this machine"};

Command stop() {
  return {"stop",
          "Refuse every agent's next tool call, commit and push here, until resume",
          Where::here,
          {kRepo,
           {"--agent", "CLIENT", "only this client", kClients},
           {"--reason", "TEXT", "told to each agent that is refused"},
           {"--everywhere", "", "every repository of this user on this machine"}},
          {},
          {{0, "stopped"},
           {1, "refused to an agent, or one copy of the stop could not be written"},
           kUsage},
          "robot-council stop --reason 'wrong branch'",
          {},
          Show::listed,
          2,
          kBrake};
}

Command resume() {
  return {"resume",
          "Lift a stop: asks a person at a terminal for the repository's name",
          Where::here,
          {kRepo, {"--everywhere", "", "lift the machine's stop"}},
          {},
          {{0, "lifted, or nothing to lift"},
           {1, "refused to an agent, no terminal, the wrong word, or a copy that stays"},
           kUsage,
           {130, "interrupted; the stop stays"}},
          "robot-council resume",
          {},
          Show::listed,
          2,
          kBrake};
}

Command check() {
  return {"brake-check",
          "Answer a client's tool-call hook or a git hook; called by hooks",
          Where::here,
          {{"--client", "ID", "the client whose hook this is; its payload is on stdin"},
           {"--git", "EVENT", "the git hook that asks"}},
          {},
          {{0, "no opinion, or refused in the words of a client that wants exit 0"},
           {1, "refused (git)"},
           {2, "refused, or the check could not run"}},
          "robot-council brake-check --client claude_code",
          {{"ROBOT_COUNCIL_AGENT_COMMIT",
            "git hooks: 0, false, no, off = a person; another value = an agent"}},
          Show::listed,
          2,
          kBrake};
}

Command wire() {
  return {"brake wire",
          "Add the brake's hook to a client's settings",
          Where::here,
          {kAll, kScope, kDryRun, kRepo},
          {{"CLIENT", "one or more clients", false, true}},
          {{0, "wired, or already so"}, {1, "a file was not edited"}, kUsage},
          "robot-council brake wire claude_code codex_cli",
          {},
          Show::listed,
          2,
          kBrake};
}

Command unwire() {
  return {"brake unwire",
          "Take the brake's hook out of a client's settings",
          Where::here,
          {kAll, kScope, kDryRun, kRepo},
          {{"CLIENT", "one or more clients", false, true}},
          {{0, "unwired, or nothing of ours there"},
           {1, "refused to an agent, or a file was not edited"},
           kUsage},
          "robot-council brake unwire cursor",
          {},
          Show::listed,
          2,
          kBrake};
}

Command git() {
  return {"brake git",
          "Install or remove the git hooks that refuse an agent's commit and push",
          Where::here,
          {kRepo, {"--refs", "", "also each change of a ref: fetch and stash too"}},
          {{"install|uninstall", "what to do"}},
          {{0, "done"},
           {1, "refused to an agent, or git looks for hooks elsewhere (core.hooksPath)"},
           kUsage},
          "robot-council brake git install",
          {},
          Show::listed,
          2,
          kBrake};
}

Command gateway() {
  return {"gateway",
          "Run an MCP server and refuse its tool calls while a stop is on",
          Where::here,
          {kRepo},
          {{"COMMAND", "after --: the server and its arguments", false, true}},
          {{0, "the server's own exit code"}, {1, "the server could not be started"}, kUsage},
          "robot-council gateway -- npx some-mcp-server",
          {},
          Show::listed,
          2,
          kBrake};
}

}  // namespace

std::vector<Command> brake_commands() {
  return {stop(), resume(), check(), wire(), unwire(), git(), gateway()};
}

}  // namespace robot_council::cli
