#include "cli/table_stops_report.hpp"

namespace robot_council::cli {
namespace {

constexpr std::string_view kStops = "stops";

Command report() {
  return {"stops",
          "Report whether the recorded stops were needed: what you wrote next",
          Where::here,
          {{"--json", "", "as one JSON object"},
           {"--html", "FILE", "write a page instead: one file, no network, no script"},
           {"--since", "WHEN", "30d, or a date (2026-11-30, UTC)"},
           {"--until", "WHEN", "the same; a date counts to its end"},
           {"--session", "ID", "only this session of the client"},
           {"--log", "PATH", "another stop log"},
           {"--projects", "DIR", "look for transcripts here too"},
           {"--policy", "FILE", "score the logged answers again by this policy"},
           {"--list", "CELL",
            "continue/goahead, continue/other, leave/goahead, leave/other, waiting, or a reason "
            "to be left out"},
           {"--by", "NAME", "one more table", "project judge host"},
           {"--max-gap", "TIME", "leave out replies later than this: 12h (off)"},
           {"--with-text", "", "with --list and --json: what you wrote, without credentials"},
           {"--show-pattern", "", "print when a reply counts as a bare go-ahead"}},
          {},
          {{0, "reported, also with nothing to report"},
           {1, "a wrong option or value, or the log cannot be read"}},
          "robot-council stops --since 30d --html stops.html",
          {{"CLAUDE_CONFIG_DIR", "Claude Code's folder, for its transcripts (~/.claude)"},
           {"XDG_STATE_HOME", "where the log is (~/.local/state)"}},
          Show::listed,
          1,
          kStops,
          Unknown::refused_with_list};
}

Command judge() {
  return {"stops judge",
          "Ask a judge over the network; started by stops record",
          Where::net,
          {},
          {},
          {{0, "a reply was written, an error of the judge included"}, {1, "nothing was written"}},
          {},
          {},
          Show::hidden,
          1,
          kStops};
}

}  // namespace

std::vector<Command> stops_report_commands() {
  return {report(), judge()};
}

}  // namespace robot_council::cli
