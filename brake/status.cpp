#include "brake/status.hpp"

#include <optional>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "brake/decision.hpp"
#include "brake/homes.hpp"
#include "brake/person.hpp"
#include "brake/survey.hpp"
#include "brake/texts.hpp"

namespace robot_council::brake {
namespace {

// The stop in force here, united over its copies, whomever it reaches.
struct InForce {
  Decision decision;   // whose words are shown
  Scope scope;         // everybody it reaches
  std::string folder;  // main checkout or folder that is stopped, "" for the machine
  std::string name;
};

std::string folder_of_copy(const std::string& path) {
  constexpr std::string_view kEnd = "/.robot-council/stop.json";
  const bool checkout =
      path.size() > kEnd.size() && path.compare(path.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  return checkout ? path.substr(0, path.size() - kEnd.size()) : std::string();
}

InForce find_in_force(const Survey& survey) {
  InForce found;
  found.decision = judge(survey, {});
  found.scope = Scope{false, {}};
  for (const Copy& copy : survey.copies) {
    const bool readable = copy.read.state == StopState::present;
    if (copy.kind == CopyKind::everywhere || !readable) {
      found.scope = Scope{};
      continue;
    }
    found.scope = unite(found.scope, copy.read.stop.scope);
    if (found.folder.empty()) {
      const std::string folder = folder_of_copy(copy.path);
      found.folder = folder.empty() ? copy.read.stop.repo : folder;
    }
  }
  if (found.folder.empty()) {
    found.folder = found.decision.repository;
  }
  found.name = clean_line(plain_folder(found.folder).name());
  return found;
}

std::string by_line(const Decision& decision, std::int64_t now_ms) {
  std::string line = "by " +
                     (decision.who.empty() ? std::string("somebody unnamed") : decision.who) +
                     ", " + decision.when;
  if (const std::optional<std::int64_t> at = base::parse_iso(decision.when)) {
    line += " (" + base::age_text(now_ms - *at) + ")";
  }
  return line;
}

std::vector<std::string> words_of(const InForce& found, std::int64_t now_ms) {
  const Decision& decision = found.decision;
  std::vector<std::string> lines;
  lines.push_back(decision.everywhere ? std::string("STOPPED EVERYWHERE")
                                      : "STOPPED " + found.name + ": " + scope_words(found.scope));
  if (decision.verdict == Verdict::stopped) {
    lines.push_back("  reason: " + decision.reason);
    lines.push_back("  " + by_line(decision, now_ms));
  } else {
    lines.push_back("  reason: " + decision.text);
  }
  lines.push_back("  copies: " + clean_line(base::join(decision.copies, ", ")));
  lines.push_back("  lift: " + (decision.everywhere
                                    ? std::string("robot-council resume --everywhere")
                                    : command_line("resume", found.folder)));
  return lines;
}

std::string json_of(const InForce& found) {
  const Decision& decision = found.decision;
  const bool readable = decision.verdict == Verdict::stopped;
  base::OrderedJson value;
  value["everywhere"] = decision.everywhere;
  value["fleet"] = nullptr;
  if (decision.everywhere || found.folder.empty()) {
    value["repository"] = nullptr;
  } else {
    value["repository"] = found.folder;
  }
  if (found.scope.all) {
    value["scope"] = "all";
  } else {
    value["scope"] = found.scope.clients;
  }
  value["reason"] = readable ? base::OrderedJson(decision.reason) : base::OrderedJson(nullptr);
  value["who"] = readable ? base::OrderedJson(decision.who) : base::OrderedJson(nullptr);
  value["when"] = readable ? base::OrderedJson(decision.when) : base::OrderedJson(nullptr);
  value["copies"] = decision.copies;
  value["readable"] = readable;
  return base::dump_safe(value);
}

}  // namespace

BrakeStatus unknown_brake_status() {
  BrakeStatus status;
  status.stopped = true;
  status.lines = {"STOPPED: " + cannot_run_text()};
  status.json =
      R"({"everywhere":false,"fleet":null,"repository":null,"scope":"all","reason":null,"who":null,"when":null,)"
      R"("copies":[],"readable":false})";
  return status;
}

BrakeStatus brake_status(const base::Context& context, const std::vector<std::string>& homes,
                         const std::string& directory) noexcept {
  try {
    const InForce found =
        find_in_force(survey_stops(homes, {directory}, ForeignStops::when_unknown));
    if (found.decision.verdict == Verdict::cannot_run) {
      return unknown_brake_status();
    }
    if (!found.decision.refused()) {
      return {};
    }
    return BrakeStatus{true, words_of(found, context.clock.wall_ms()), json_of(found)};
  } catch (...) {
    return unknown_brake_status();
  }
}

BrakeStatus brake_status(const base::Context& context, const std::string& directory) noexcept {
  try {
    return brake_status(context, find_homes(context.environment), directory);
  } catch (...) {
    return unknown_brake_status();
  }
}

}  // namespace robot_council::brake
