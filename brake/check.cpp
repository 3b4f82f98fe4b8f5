#include "brake/check.hpp"

#include <algorithm>
#include <array>

#include "brake/agent.hpp"
#include "brake/decision.hpp"
#include "brake/survey.hpp"
#include "brake/texts.hpp"
#include "harness/brake_client.hpp"
#include "harness/brake_marker.hpp"

namespace robot_council::brake {
namespace {

constexpr std::array<const char*, 7> kProjectVariables = {
    "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR",    "FACTORY_PROJECT_DIR", "COPILOT_PROJECT_DIR",
    "CURSOR_PROJECT_DIR", "OPENHANDS_PROJECT_DIR", "GROK_WORKSPACE_ROOT"};
constexpr std::array<const char*, 2> kGitVariables = {"GIT_DIR", "GIT_COMMON_DIR"};
constexpr int kGitRefused = 1;

void add_variable(std::vector<std::string>& candidates, const base::Environment& environment,
                  const char* name) {
  std::string value = environment.get_or_empty(name);
  if (!value.empty()) {
    candidates.push_back(std::move(value));
  }
}

std::vector<std::string> common_candidates(const CheckPlace& place) {
  std::vector<std::string> candidates{place.directory};
  for (const char* name : kProjectVariables) {
    add_variable(candidates, place.environment, name);
  }
  return candidates;
}

std::string event_of(const HookPayload& payload) {
  std::string event = payload.text(Field::hook_event_name);
  return event.empty() ? payload.text(Field::hook_event_name_c) : event;
}

std::string seen(std::string_view name) {
  return "seen: " + std::string(name) + "; a person uses a terminal that no agent started\n";
}

// The markers that count for a git hook: ROBOT_COUNCIL_AGENT_COMMIT goes before all, and is named
// nowhere.
std::vector<harness::BrakeMarker> git_markers(const base::Environment& environment,
                                              const std::vector<std::string>& main_checkouts) {
  const harness::CommitBy said = harness::commit_by(environment);
  if (said == harness::CommitBy::person) {
    return {};
  }
  std::vector<harness::BrakeMarker> markers = agent_markers(environment, main_checkouts);
  if (said == harness::CommitBy::agent && markers.empty()) {
    markers.push_back({"a setting", {}});
  }
  return markers;
}

Answer git_note(const Decision& decision) {
  const bool failed = decision.verdict == Verdict::cannot_run;
  return Answer{{}, failed ? decision.text + "\n" : "note: agents are stopped here\n", 0};
}

Checked git_verdict(const CheckPlace& place, const std::string& event) {
  std::vector<std::string> candidates = common_candidates(place);
  for (const char* name : kGitVariables) {
    add_variable(candidates, place.environment, name);
  }
  const Survey survey =
      survey_stops(place.homes, candidates,
                   place.directory.empty() ? ForeignStops::always : ForeignStops::when_unknown);
  const Decision anybody = judge(survey, {});
  if (!anybody.refused()) {
    return {};
  }
  std::vector<std::string> main_checkouts;
  for (const Repository& repository : survey.places.repositories) {
    main_checkouts.push_back(repository.main_checkout);
  }
  const std::vector<harness::BrakeMarker> markers = git_markers(place.environment, main_checkouts);
  if (markers.empty()) {
    return Checked{git_note(anybody), std::nullopt};
  }
  for (const harness::BrakeMarker& marker : markers) {
    const Decision decision = judge(survey, {marker.client});
    if (decision.refused()) {
      RefusedCall call{Surface::git_hook,
                       marker.name,
                       {},
                       event == "pre-push" ? "push" : "commit",
                       decision.repository};
      return Checked{Answer{{}, decision.text + "\n" + seen(marker.name), kGitRefused},
                     std::move(call)};
    }
  }
  return {};
}

Checked tool_verdict(const CheckPlace& place, const std::string& id, const HookPayload& payload) {
  const std::string caller = find_caller(id, place.environment, payload);
  std::vector<std::string> candidates = payload.roots;
  const std::vector<std::string> common = common_candidates(place);
  candidates.insert(candidates.end(), common.begin(), common.end());
  const bool blind = !payload.readable || place.directory.empty();
  const Survey survey = survey_stops(place.homes, candidates,
                                     blind ? ForeignStops::always : ForeignStops::when_unknown);
  const Decision decision = judge(survey, {caller, id});
  if (!decision.refused()) {
    return Checked{no_opinion(caller), std::nullopt};
  }
  RefusedCall call{Surface::pre_tool_use, caller, payload.session(), payload.tool(),
                   decision.repository};
  return Checked{refusal(caller, decision.text, event_of(payload)), std::move(call)};
}

bool is_set(const base::Environment& environment, const char* name) {
  return !environment.get_or_empty(name).empty();
}

}  // namespace

std::string find_caller(std::string_view id, const base::Environment& environment,
                        const HookPayload& payload) {
  if (is_set(environment, "GROK_HOOK_EVENT")) {
    return "grok";
  }
  if (is_set(environment, "OPENHANDS_EVENT_TYPE") || payload.has(Field::event_type)) {
    return "openhands";
  }
  if (payload.has(Field::cursor_version)) {
    return "cursor";
  }
  if (payload.has(Field::tool_call) && payload.has(Field::conversation_id_c)) {
    return "antigravity";
  }
  if (payload.has(Field::agent_action_name)) {
    return "windsurf";
  }
  if (payload.has(Field::tool_args)) {
    return "vscode_copilot";
  }
  if (payload.has(Field::turn_id) && payload.has(Field::model)) {
    return "codex_cli";
  }
  if (payload.has(Field::hook_event_name_c)) {
    return "grok";
  }
  if (payload.has(Field::event) && !payload.has(Field::hook_event_name)) {
    return "goose";
  }
  if (is_set(environment, "GEMINI_SESSION_ID")) {
    return "gemini_cli";
  }
  return std::string(id);
}

Checked check_tool_call(const CheckPlace& place, const std::string& id,
                        const HookPayload& payload) noexcept {
  try {
    return tool_verdict(place, id, payload);
  } catch (...) {
    RefusedCall call;
    call.actor = id;
    return Checked{late_answer(id), std::move(call)};
  }
}

Checked check_git(const CheckPlace& place, const std::string& event) noexcept {
  try {
    return git_verdict(place, event);
  } catch (...) {
    return Checked{late_git_answer(place.environment), std::nullopt};
  }
}

Answer late_answer(const std::string& id) {
  return refusal(id, cannot_run_text(), {});
}

Answer late_git_answer(const base::Environment& environment) {
  const std::string text = cannot_run_text() + "\n";
  const std::vector<harness::BrakeMarker> markers = git_markers(environment, {});
  if (markers.empty()) {
    return Answer{{}, text, 0};
  }
  return Answer{{}, text + seen(markers.front().name), kGitRefused};
}

}  // namespace robot_council::brake
