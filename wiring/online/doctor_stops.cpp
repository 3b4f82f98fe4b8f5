#include "wiring/online/doctor_stops.hpp"

#include <optional>
#include <string>
#include <variant>

#include "stops/policy_lookup.hpp"
#include "stops/settings.hpp"

namespace robot_council::wiring::online {

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
  if (!found->policy->enabled) {
    return check_ok(kId, "off: " + found->path + " says enabled: false");
  }
  const std::string judge(stops::judge_text(found->judge));
  std::string text = found->path + ", judge " + judge;
  if (found->judge_error) {
    return check_warning(kId, *found->judge_error, "Name one of the judges of wiki/Stops.md.");
  }
  const auto usable = stops::usable_judge(found->judge, environment);
  if (const auto* error = std::get_if<stops::JudgeError>(&usable)) {
    return check_warning(kId, text + ": " + error->message,
                         "Set it in the environment or in judges.yaml (wiki/Stops.md).");
  }
  const std::string& host = std::get<stops::UsableJudge>(usable).endpoint;
  if (!host.empty()) {
    text += ", sends to " + host;
  } else {
    text += stops::sends(found->judge) ? ", hands the text to a command" : ", sends nothing";
  }
  if (!found->warnings.empty()) {
    return check_warning(kId, text + "; " + found->warnings.front(), "Correct the policy.");
  }
  return check_ok(kId, text);
}

}  // namespace robot_council::wiring::online
