#include "wiring/brake_state.hpp"

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "brake/repository.hpp"

namespace robot_council::wiring {

std::optional<BrakeState> read_brake(const base::Environment& environment, const std::string& folder) {
  // No caller is named: an unknown caller is in every scope, so each stop counts.
  BrakeState state;
  state.decision = brake::decide(environment, {{folder}, {}});
  if (!state.decision.refused()) {
    return std::nullopt;
  }
  const auto here = brake::repository_at(folder);
  const std::string stopped = state.decision.repository;
  if (here.found && (stopped.empty() || stopped == here.repository.main_checkout)) {
    state.name = here.repository.name();
    state.lift = "robot-council resume";
  } else {
    state.name = base::base_name(stopped);
    state.lift = "robot-council resume --repo " + base::shell_quote(stopped);
  }
  if (state.decision.everywhere) {
    state.lift = "robot-council resume --everywhere";
  }
  return state;
}

std::string brake_text(const BrakeState& state, std::int64_t now_ms) {
  const auto& decision = state.decision;
  std::string text = decision.everywhere ? "STOPPED EVERYWHERE\n"
                                         : "STOPPED " + base::for_display(state.name) + ": " +
                                               brake::scope_words(decision.scope) + "\n";
  if (decision.verdict == brake::Verdict::stopped) {
    text += "  reason: " + base::for_display(decision.reason) + "\n";
    const auto when = base::parse_iso(decision.when);
    text += "  by " + (decision.who.empty() ? "an unnamed person" : base::for_display(decision.who)) + ", " +
            (decision.when.empty() ? "at an unknown time" : base::for_display(decision.when)) +
            (when ? " (" + base::age_text(now_ms - *when) + ")" : "") + "\n";
  } else {
    text += "  " + base::for_display(decision.text) + "\n";
  }
  if (!decision.copies.empty()) {
    text += "  copies: " + base::join(decision.copies, ", ") + "\n";
  }
  return text + "  lift: " + state.lift + "\n";
}

base::OrderedJson brake_json(const std::optional<BrakeState>& state) {
  if (!state) {
    return nullptr;
  }
  const auto& decision = state->decision;
  const bool readable = decision.verdict == brake::Verdict::stopped;
  const auto or_null = [](const std::string& text) { return text.empty() ? base::OrderedJson() : base::OrderedJson(text); };
  base::OrderedJson object = base::OrderedJson::object();
  object["everywhere"] = decision.everywhere;
  object["fleet"] = nullptr;  // stops by the fleet do not exist yet
  object["repository"] = or_null(decision.repository);
  object["scope"] = decision.scope.all ? base::OrderedJson("all") : base::OrderedJson(decision.scope.clients);
  object["reason"] = readable ? base::OrderedJson(decision.reason) : base::OrderedJson();
  object["who"] = or_null(decision.who);
  object["when"] = or_null(decision.when);
  object["copies"] = decision.copies;
  object["readable"] = readable;
  return object;
}

}  // namespace robot_council::wiring
