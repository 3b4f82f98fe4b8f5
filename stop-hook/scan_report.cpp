#include "stop-hook/scan_report.hpp"

#include <algorithm>

#include "base/json_value.hpp"

namespace robot_council::stop_hook {

namespace {

std::string as_text(const std::vector<ScanResult>& results) {
  std::string out;
  for (const ScanResult& result : results) {
    for (const ScanFinding& finding : result.findings) {
      out += describe_finding(finding) + "\n";
    }
    out += result.harness + ": " + std::string(to_text(result.outcome)) + "\n";
  }
  return out;
}

std::string as_json(const std::vector<ScanResult>& results) {
  base::OrderedJson all = base::OrderedJson::array();
  for (const ScanResult& result : results) {
    base::OrderedJson findings = base::OrderedJson::array();
    for (const ScanFinding& finding : result.findings) {
      base::OrderedJson one = base::OrderedJson::object();
      one["file"] = finding.file;
      one["line"] = finding.line ? base::OrderedJson(*finding.line) : base::OrderedJson(nullptr);
      one["rule"] = finding.rule;
      one["severity"] = std::string(to_text(finding.severity));
      one["text"] = finding.text;
      one["remedy"] = finding.remedy;
      findings.push_back(std::move(one));
    }
    base::OrderedJson harness = base::OrderedJson::object();
    harness["harness"] = result.harness;
    harness["result"] = std::string(to_text(result.outcome));
    harness["findings"] = std::move(findings);
    all.push_back(std::move(harness));
  }
  return base::dump_safe(all) + "\n";
}

}  // namespace

std::string describe_finding(const ScanFinding& finding) {
  const std::string line = finding.line ? ":" + std::to_string(*finding.line) : std::string();
  return std::string(to_text(finding.severity)) + " " + finding.file + line + " " + finding.rule +
         ": " + finding.text + " " + finding.remedy;
}

ScanReport report_scan(const ScanWorld& world, const std::string& harness, ScanFormat format,
                       const ScanSeat& seat) {
  std::vector<ScanResult> results;
  if (harness.empty()) {
    for (const std::string& name : scanned_harnesses()) {
      ScanResult result = scan(world, name, seat);
      if (!result.files.empty()) {
        results.push_back(std::move(result));
      }
    }
  } else {
    results.push_back(scan(world, harness, seat));
  }
  ScanReport report;
  report.out = format == ScanFormat::json ? as_json(results) : as_text(results);
  const bool all_run = std::all_of(results.begin(), results.end(), [](const ScanResult& result) {
    return result.outcome == ScanOutcome::runs;
  });
  report.status = all_run && !results.empty() ? 0 : 1;
  if (results.empty()) {
    report.message = "no settings file of a harness is here; run robot-council setup HARNESS.";
  }
  return report;
}

}  // namespace robot_council::stop_hook
