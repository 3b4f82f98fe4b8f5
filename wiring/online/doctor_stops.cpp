#include "wiring/online/doctor_stops.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stops/policy_lookup.hpp"
#include "stops/settings.hpp"

namespace robot_council::wiring::online {
namespace {

// What is told of a policy that could be read, and all that has no effect in it (at most
// kMaxPolicyWarnings and what the choice of the judge adds).
std::string with_warnings(std::string text, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    text += "; " + warning;
  }
  return text;
}

}  // namespace

Check check_stops(const LocalChecks& on) {
  constexpr const char* kId = "stops";
  const base::Environment& environment = on.context.environment;
  const std::string& folder = on.seat.folder;
  const std::optional<stops::FoundPolicy> found =
      stops::find_policy(folder, stops::repository_root(folder), environment);
  if (!found) {
    return check_ok(kId, "off: there is no stop policy");
  }
  if (!found->policy.ok()) {
    return check_warning(kId, found->path + " is broken: " + found->policy.error().what,
                         "Correct it (wiki/Stops.md), or remove it.");
  }
  const std::vector<std::string>& warnings = found->warnings;
  const auto told = [&warnings](const std::string& text) {
    return warnings.empty()
               ? check_ok(kId, text)
               : check_warning(kId, with_warnings(text, warnings), "Correct the policy.");
  };
  if (!found->policy->enabled) {
    return told("off: " + found->path + " says enabled: false");
  }
  if (found->judge_error) {
    return check_warning(kId, with_warnings(found->path + ": " + *found->judge_error, warnings),
                         "Name one of the judges of wiki/Stops.md.");
  }
  std::string text = found->path + ", judge " + std::string(stops::judge_text(found->judge));
  const auto usable = stops::usable_judge(found->judge, environment);
  if (const auto* error = std::get_if<stops::JudgeError>(&usable)) {
    return check_warning(kId, with_warnings(text + ": " + error->message, warnings),
                         "Set it in the environment or in judges.yaml (wiki/Stops.md).");
  }
  const std::string& host = std::get<stops::UsableJudge>(usable).endpoint;
  if (!host.empty()) {
    text += ", sends to " + host;
  } else {
    text += stops::sends(found->judge) ? ", hands the text to a command" : ", sends nothing";
  }
  return told(text);
}

}  // namespace robot_council::wiring::online
