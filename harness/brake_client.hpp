#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace robot_council::harness {

// How a client is told "refused" and "no opinion" by its tool-call hook (the table in
// wiki/Brake.md).
enum class BrakeRenderer : std::uint8_t {
  exit2,        // nothing on stdout, exit 2
  nested0,      // hookSpecificOutput with a deny, exit 0
  nested2,      // the same, exit 2
  both2,        // top-level and nested deny, exit 2
  deny2,        // {"decision":"deny"}, exit 2
  deny0,        // the same, exit 0
  deny0say,     // the same, exit 0; says {"decision":"allow"} when not stopped
  block2,       // {"decision":"block"}, exit 2
  permission0,  // {"permission":"deny"}, exit 0; says {"permission":"allow"} when not stopped
};

// How the brake's entry looks in the client's settings file.
enum class BrakeEntry : std::uint8_t {
  groups,       // {"hooks":{EVENT:[{"hooks":[ENTRY]}]}}
  bare_groups,  // {EVENT:[{"hooks":[ENTRY]}]}
  named,        // {"robot-council-brake":{EVENT:[{"hooks":[ENTRY]}]}}
  flat,         // {"version":1,"hooks":{EVENT:[ENTRY]}}
  actions,      // {"hooks":{EVENT:[ENTRY]}} for each of several events
  toml_block,   // a marked [[hooks]] block
};

// What the brake knows of one client. Ids and facts: wiki/Brake.md, "clients".
struct BrakeClient {
  std::string_view id;
  std::string_view title;  // the name people know it by
  BrakeRenderer renderer;
  BrakeEntry entry;
  std::string_view project_file;  // relative to the checkout
  std::string_view user_file;     // relative to the home folder; "" when none is known
  std::string_view program;       // its executable, for "is it on this machine"
  std::string_view confidence;    // "proven", "documented", "reported" and what that covers
  std::string_view off_switches;  // what makes the client skip hooks, for people
};

// The 14 clients, in alphabetical order of their ids.
[[nodiscard]] std::span<const BrakeClient> brake_clients();
// Nothing (nullptr) for an unknown id.
[[nodiscard]] const BrakeClient* brake_client(std::string_view id);
// The brake's id for the harness name of a seat ("claude" -> "claude_code"); the same word when
// both are the same;
// "" for a harness that is none of the 14.
[[nodiscard]] std::string_view brake_client_of_harness(std::string_view harness);

// The text by which an entry of ours is found in a settings file.
inline constexpr std::string_view kBrakeEntryMark = "robot-council brake-check --client";

// The hook command of a client, one line. It never changes between versions: codex_cli trusts it by
// its hash.
[[nodiscard]] std::string brake_command(std::string_view id);

}  // namespace robot_council::harness
