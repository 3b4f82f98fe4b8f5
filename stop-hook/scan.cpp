#include "stop-hook/scan.hpp"

#include "base/text.hpp"
#include "stop-hook/scan_collect.hpp"
#include "stop-hook/scan_recorded.hpp"

namespace robot_council::stop_hook {

namespace {

std::string place_of(const ScanFinding& finding) {
  return finding.line ? finding.file + ":" + std::to_string(*finding.line) : finding.file;
}

void collect(Collection& found) {
  switch (found.client()) {
    case harness::Client::claude:
      collect_claude(found);
      break;
    case harness::Client::codex:
      collect_codex(found);
      break;
    case harness::Client::cursor:
      collect_cursor(found);
      break;
    case harness::Client::gemini:
      collect_gemini(found);
      break;
    case harness::Client::copilot:
      collect_copilot(found);
      break;
    case harness::Client::goose:
      collect_goose(found);
      break;
  }
}

std::string verdict_line(const RecordedScan& recorded, const ScanResult& result) {
  constexpr std::string_view kFeed =
      "; an agent woken by a notice is told to read the feed itself.";
  if (recorded.verdict == RecordedScan::Verdict::disabled) {
    return "stop hook: none will run, since " + recorded.file + " sets disableAllHooks" +
           std::string(kFeed);
  }
  if (recorded.verdict == RecordedScan::Verdict::found) {
    return "stop hook: found in " + recorded.file + ".";
  }
  for (const ScanEntry& entry : result.entries) {
    if (entry.kind == ScanEntryKind::deliver && entry.runs) {
      return "stop hook: found in " + entry.file + ".";
    }
  }
  return "stop hook: none found" + std::string(kFeed);
}

}  // namespace

std::string_view to_text(ScanSeverity severity) {
  switch (severity) {
    case ScanSeverity::warning:
      return "warning";
    case ScanSeverity::information:
      return "info";
    case ScanSeverity::error:
      break;
  }
  return "error";
}

std::string_view to_text(ScanOutcome outcome) {
  switch (outcome) {
    case ScanOutcome::runs:
      return "runs";
    case ScanOutcome::needs_review:
      return "needs review";
    case ScanOutcome::will_not_run:
      return "will not run";
    case ScanOutcome::unknown:
      return "unknown";
    case ScanOutcome::none:
      break;
  }
  return "none";
}

const std::vector<std::string>& scanned_harnesses() {
  static const std::vector<std::string> names = {"claude", "codex",   "cursor",
                                                 "gemini", "copilot", "goose"};
  return names;
}

ScanResult scan(const ScanWorld& world, std::string_view harness, const ScanSeat& seat) {
  ScanResult result;
  const auto client = harness::parse_client(harness);
  if (!client) {
    result.harness = harness;
    result.outcome = ScanOutcome::unknown;
    return result;
  }
  const std::string trimmed = base::without_trailing(world.folder, '/');
  const ScanWorld place{world.files, world.environment,
                        trimmed.empty() ? std::string("/") : trimmed};
  Collection found(place, *client, seat);
  collect(found);
  judge(found);
  result = std::move(found.result());
  result.harness = harness;
  return result;
}

StartScan scan_at_start(const ScanWorld& world, std::string_view harness, const ScanSeat& seat) {
  StartScan start;
  const ScanResult result = scan(world, harness, seat);
  if (harness == harness::client_name(harness::Client::claude)) {
    const RecordedScan recorded = scan_recorded(world);
    start.lines = recorded.unreadable;
    start.lines.push_back(verdict_line(recorded, result));
    start.has_hook = result.outcome == ScanOutcome::runs || result.outcome == ScanOutcome::unknown;
  }
  for (const ScanFinding& finding : result.findings) {
    if (finding.severity == ScanSeverity::error) {
      start.lines.push_back("stop hook: " + place_of(finding) + ": " + finding.text + " " +
                            finding.remedy);
    }
  }
  return start;
}

}  // namespace robot_council::stop_hook
