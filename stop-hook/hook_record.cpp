#include "stop-hook/hook_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/time_text.hpp"
#include "stop-hook/limits.hpp"

namespace robot_council::stop_hook {

namespace {

struct AnswerWord {
  HookAnswer answer;
  std::string_view text;
};

constexpr std::array<AnswerWord, 8> kAnswers = {{
    {HookAnswer::printed, "printed"},
    {HookAnswer::nothing_waiting, "nothing waiting"},
    {HookAnswer::held_by_brake, "held by the brake"},
    {HookAnswer::loop_guard, "loop guard"},
    {HookAnswer::sink_unreadable, "sink unreadable"},
    {HookAnswer::another_harness, "another harness"},
    {HookAnswer::not_a_turn_end, "not a turn end"},
    {HookAnswer::payload_unreadable, "payload unreadable"},
}};

std::optional<std::int64_t> time_of(const base::Json& record, std::string_view key) {
  const std::optional<std::string> text = base::get_string(record, key);
  return text ? base::parse_iso(*text) : std::nullopt;
}

}  // namespace

std::string_view answer_text(HookAnswer answer) {
  const auto found =
      std::find_if(kAnswers.begin(), kAnswers.end(),
                   [answer](const AnswerWord& word) { return word.answer == answer; });
  return found->text;
}

std::optional<HookAnswer> answer_from(std::string_view text) {
  const auto found = std::find_if(kAnswers.begin(), kAnswers.end(),
                                  [text](const AnswerWord& word) { return word.text == text; });
  return found == kAnswers.end() ? std::nullopt : std::optional<HookAnswer>(found->answer);
}

void HookRecord::set_idle(const std::string& session, std::int64_t since_ms) {
  if (session.empty()) {
    return;
  }
  clear_idle(session);
  idle.emplace_back(session, since_ms);
  if (idle.size() > kMaxIdleSessions) {
    idle.erase(idle.begin(),
               idle.begin() + static_cast<std::ptrdiff_t>(idle.size() - kMaxIdleSessions));
  }
}

void HookRecord::clear_idle(const std::string& session) {
  idle.erase(std::remove_if(idle.begin(), idle.end(),
                            [&](const auto& entry) { return entry.first == session; }),
             idle.end());
}

std::optional<std::int64_t> HookRecord::idle_since(std::string_view session) const {
  const auto found = std::find_if(idle.begin(), idle.end(),
                                  [&](const auto& entry) { return entry.first == session; });
  return found == idle.end() ? std::nullopt : std::optional<std::int64_t>(found->second);
}

std::string record_json(const HookRecord& record) {
  base::OrderedJson json;
  json["at"] = base::iso_zulu(record.at_ms);
  json["answer"] = std::string(answer_text(record.answer));
  json["printed"] = record.printed;
  if (record.told_ms) {
    json["told"] = base::iso_zulu(*record.told_ms);
  }
  json["idle"] = base::OrderedJson::object();
  for (const auto& [session, at_ms] : record.idle) {
    json["idle"][session] = at_ms;
  }
  return base::dump_safe(json);
}

base::Result<HookRecord> parse_record(std::string_view json) {
  const base::Result<base::Json> parsed = base::parse_bounded(json, kMaxRecordBytes);
  if (!parsed.ok()) {
    return parsed.error();
  }
  if (!parsed->is_object()) {
    return base::Error{base::Errc::invalid, "not a JSON object"};
  }
  HookRecord record;
  record.at_ms = time_of(*parsed, "at").value_or(0);
  record.answer = answer_from(base::get_string(*parsed, "answer").value_or(""))
                      .value_or(HookAnswer::nothing_waiting);
  record.printed = static_cast<std::size_t>(
      std::max<std::int64_t>(0, base::get_integer(*parsed, "printed").value_or(0)));
  record.told_ms = time_of(*parsed, "told");
  if (const base::Json* idle = base::get_object(*parsed, "idle"); idle != nullptr) {
    for (const auto& item : idle->items()) {
      if (const std::optional<std::int64_t> at_ms = base::as_integer(item.value())) {
        record.idle.emplace_back(item.key(), *at_ms);
      }
    }
    std::stable_sort(record.idle.begin(), record.idle.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
  }
  return record;
}

base::Result<HookRecord> read_record(const std::string& path) {
  const base::Result<std::string> bytes = base::read_file(path, kMaxRecordBytes);
  if (!bytes.ok()) {
    return bytes.error();
  }
  return parse_record(*bytes);
}

base::Status write_record(const std::string& path, const HookRecord& record) {
  return base::replace_file(path, record_json(record), base::Sync::no);
}

std::vector<std::string> record_paths(const base::Environment& environment,
                                      const std::string& file_name) {
  std::vector<std::string> paths = {
      base::join_path(base::pending_directory(environment), file_name)};
  const std::optional<std::string> runtime = environment.nonblank("XDG_RUNTIME_DIR");
  if (runtime && runtime->starts_with('/')) {
    paths.push_back(base::join_path(*runtime, file_name));
  } else {
    const std::string own = "robot-council-" + std::to_string(geteuid());
    paths.push_back(
        base::join_path(base::join_path(base::temporary_directory(environment), own), file_name));
  }
  return paths;
}

}  // namespace robot_council::stop_hook
