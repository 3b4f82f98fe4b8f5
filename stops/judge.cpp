#include "stops/judge.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace robot_council::stops {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<PKind, 3> kPKinds = {
    {{PKind::phrase, "phrase"}, {PKind::probability, "probability"}, {PKind::boolean, "boolean"}}};
constexpr Names<JudgeErrorKind, 6> kErrors = {{
    {JudgeErrorKind::auth, "auth"},
    {JudgeErrorKind::invalid_request, "invalid_request"},
    {JudgeErrorKind::rate_limited, "rate_limited"},
    {JudgeErrorKind::unavailable, "unavailable"},
    {JudgeErrorKind::timeout, "timeout"},
    {JudgeErrorKind::malformed_response, "malformed_response"},
}};
constexpr Names<JudgeName, 7> kJudges = {{
    {JudgeName::local, "local"},
    {JudgeName::systemone, "systemone"},
    {JudgeName::anthropic, "anthropic"},
    {JudgeName::openai, "openai"},
    {JudgeName::ollama, "ollama"},
    {JudgeName::command, "command"},
    {JudgeName::mock, "mock"},
}};

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, Enum value) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [value](const auto& pair) { return pair.first == value; });
  return found == names.end() ? std::string_view() : found->second;
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Names<Enum, N>& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [name](const auto& pair) { return pair.second == name; });
  return found == names.end() ? std::nullopt : std::optional<Enum>(found->first);
}

}  // namespace

std::string_view p_kind_name(PKind kind) {
  return name_of(kPKinds, kind);
}
std::optional<PKind> p_kind_from(std::string_view name) {
  return value_of(kPKinds, name);
}
std::string_view judge_error_name(JudgeErrorKind kind) {
  return name_of(kErrors, kind);
}
std::optional<JudgeErrorKind> judge_error_from(std::string_view name) {
  return value_of(kErrors, name);
}
std::string_view judge_text(JudgeName name) {
  return name_of(kJudges, name);
}
std::optional<JudgeName> judge_from(std::string_view text) {
  return value_of(kJudges, text);
}

bool is_net_judge(JudgeName name) {
  return name == JudgeName::systemone || name == JudgeName::anthropic ||
         name == JudgeName::openai || name == JudgeName::ollama;
}

bool sends(JudgeName name) {
  return is_net_judge(name) || name == JudgeName::command;
}

}  // namespace robot_council::stops
