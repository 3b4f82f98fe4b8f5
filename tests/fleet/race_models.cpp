#include "tests/fleet/race_models.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace robot_council::fleet::test {

namespace {

constexpr int kOk = 200;
constexpr int kCreated = 201;
constexpr int kAccepted = 202;
constexpr int kBad = 400;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;

std::optional<Effect> if_right(bool right) {
  return right ? std::optional<Effect>(Effect{}) : std::nullopt;
}

std::string by(const Call& call) {
  return " by " + std::to_string(call.actor);
}

}  // namespace

bool LockModel::may_change(const Call& call) {
  return call.status < kBad;
}

std::optional<Effect> LockModel::acquire(const Call& call) {
  const auto found = locks_.find(call.object);
  const Lock before = found == locks_.end() ? Lock{} : found->second;
  if (call.status != kOk) {
    return if_right(call.status == kConflict && before.runs());
  }
  if (before.runs() || call.fence <= fence_) {
    return std::nullopt;
  }
  fence_ = call.fence;
  Lock& lock = locks_[call.object];
  lock.previous = before.holder != 0 ? before.holder : before.previous;
  lock.holder = call.actor;
  lock.fence = call.fence;
  lock.lapsed = false;
  const std::string rest = " " + call.object + by(call) + " fence " + std::to_string(call.fence);
  return Effect{before.holder == 0
                    ? "lock.acquired" + rest
                    : "lock.taken_over" + rest + " from " + std::to_string(before.holder)};
}

int LockModel::refusal(const Call& call) const {
  const auto found = locks_.find(call.object);
  if (found == locks_.end()) {
    return kNotFound;
  }
  const Lock& lock = found->second;
  if (lock.runs() && lock.holder == call.actor) {
    return 0;
  }
  if (lock.previous == call.actor) {
    return kConflict;
  }
  return lock.runs() ? kForbidden : kConflict;
}

std::optional<Effect> LockModel::apply(const Call& call) {
  if (call.action == "lapse") {
    for (auto& [name, lock] : locks_) {
      lock.lapsed = true;
    }
    return Effect{};
  }
  if (call.action == "acquire") {
    return acquire(call);
  }
  if (call.action == "force-release") {
    const auto found = locks_.find(call.object);
    const int due = found == locks_.end() ? kNotFound : found->second.holder == 0 ? kConflict : kOk;
    if (call.status != due || due != kOk) {
      return if_right(call.status == due);
    }
    Lock& lock = found->second;
    lock.previous = lock.holder;
    lock.holder = 0;
    return Effect{"lock.force_released " + call.object + by(call) + " from " +
                  std::to_string(lock.previous)};
  }
  const int refused = refusal(call);
  if (refused != 0) {
    return if_right(call.status == refused);
  }
  Lock& lock = locks_[call.object];
  if (call.status != kOk || (call.action == "renew" && call.fence != lock.fence)) {
    return std::nullopt;
  }
  if (call.action == "renew") {
    return Effect{"lock.renewed " + call.object + by(call) + " fence " +
                  std::to_string(lock.fence)};
  }
  lock.previous = lock.holder;
  lock.holder = 0;
  return Effect{"lock.released " + call.object + by(call)};
}

bool TaskModel::may_change(const Call& call) {
  return call.status < kBad;
}

std::optional<Effect> TaskModel::apply(const Call& call) {
  struct Rule {
    std::vector<std::string> from;
    std::string to;
    std::string event;
  };
  static const std::map<std::string, Rule> kRules = {
      {"claim", {{"pending"}, "claimed", "task.claimed"}},
      {"start", {{"claimed", "blocked"}, "in_progress", "task.started"}},
      {"block", {{"claimed", "in_progress"}, "blocked", "task.blocked"}},
      {"complete", {{"claimed", "in_progress"}, "done", "task.completed"}},
      {"release", {{"claimed", "in_progress", "blocked"}, "pending", "task.released"}}};
  const Rule& rule = kRules.at(call.action);
  Task& task = tasks_[call.object];
  if (std::find(rule.from.begin(), rule.from.end(), task.status) == rule.from.end()) {
    return if_right(call.status == kConflict);
  }
  const bool director = call.action == "release" && call.actor == director_;
  if (call.action != "claim" && task.holder != call.actor && !director) {
    return if_right(call.status == kForbidden);
  }
  if (call.status != kOk || call.answer != rule.to) {
    return std::nullopt;
  }
  task.status = rule.to;
  if (call.action == "claim") {
    task.holder = call.actor;
  } else if (call.action == "release") {
    task.holder = 0;
  }
  return Effect{rule.event + " " + call.object + by(call) + " to " + rule.to};
}

bool CodeModel::may_change(const Call& call) {
  return call.status < kBad;
}

std::optional<Effect> CodeModel::apply(const Call& call) {
  if (call.action != "exchange") {
    if (state_ != "pending") {
      return if_right(call.status == kConflict);
    }
    if (call.status != kOk) {
      return std::nullopt;
    }
    state_ = call.action == "approve" ? "approved" : "denied";
    return Effect{};
  }
  if (state_ != "approved") {
    const std::string due = state_ == "pending"  ? "authorization_pending"
                            : state_ == "denied" ? "access_denied"
                                                 : "expired_token";
    return if_right(call.status == kBad && call.answer == due);
  }
  if (call.status != kCreated || call.fence <= installed_) {
    return std::nullopt;
  }
  state_ = "exchanged";
  const std::string event =
      installed_ == 0 ? "" : "installation.revoked " + std::to_string(installed_);
  installed_ = call.fence;
  return Effect{event};
}

bool RoleModel::may_change(const Call& call) {
  return call.status < kBad && call.action != "see" && call.answer != "false";
}

std::optional<Effect> RoleModel::request(const Call& call) {
  if (call.object != role_) {
    if (call.status != kAccepted) {
      return std::nullopt;
    }
    if (requested_ == call.object) {
      return Effect{};
    }
    requested_ = call.object;
    return Effect{"session.role_requested " + role_ + " to " + call.object};
  }
  if (call.status != kOk || requested_.empty()) {
    return if_right(call.status == kOk);
  }
  const std::string event = "session.role_withdrawn " + requested_ + " stays " + role_;
  requested_.clear();
  return Effect{event};
}

std::optional<Effect> RoleModel::decide(const Call& call, const std::string& how) {
  if (call.object == role_) {
    return if_right(call.status == kOk && call.answer == "false");
  }
  if (how == "approved" && requested_ != call.object) {
    return if_right(call.status == kConflict);
  }
  if (call.status != kOk || call.answer != "true") {
    return std::nullopt;
  }
  const std::string event = "session.role_changed " + role_ + " to " + call.object + " " + how;
  role_ = call.object;
  requested_.clear();
  return Effect{event};
}

std::optional<Effect> RoleModel::apply(const Call& call) {
  if (call.action == "request") {
    return request(call);
  }
  if (call.action == "approve") {
    return decide(call, "approved");
  }
  if (call.action == "impose") {
    return decide(call, "imposed");
  }
  if (call.action == "see") {
    return if_right(call.status == kOk && call.answer == role_ + "/" + requested_);
  }
  if (call.action == "direct") {
    if (role_ != "coordinator") {
      return if_right(call.status == kForbidden);
    }
    return call.status == kCreated ? std::optional<Effect>(Effect{"directive"}) : std::nullopt;
  }
  if (requested_.empty()) {
    return if_right(call.status == kConflict);
  }
  if (call.status != kOk || call.answer != requested_) {
    return std::nullopt;
  }
  const std::string event = "session.role_requested refused " + requested_ + " stays " + role_;
  requested_.clear();
  return Effect{event};
}

std::string words_of(const base::Json& event) {
  const std::string type = base::get_string(event, "type").value_or("");
  const base::Json* meta = base::get_object(event, "meta");
  const base::Json none = base::Json::object();
  const base::Json& facts = meta == nullptr ? none : *meta;
  const auto word = [&facts](const char* name) {
    const auto number = base::get_integer(facts, name);
    return number ? std::to_string(*number) : base::get_string(facts, name).value_or("?");
  };
  const base::Json* actor = base::get_object(event, "actor");
  const std::string session =
      " by " +
      std::to_string(actor == nullptr ? 0 : base::get_integer(*actor, "session_id").value_or(0));
  if (type.rfind("lock.", 0) == 0) {
    std::string text = type + " " + word("lock") + session;
    if (facts.contains("fence")) {
      text += " fence " + word("fence");
    }
    return facts.contains("taken_from") ? text + " from " + word("taken_from") : text;
  }
  if (type.rfind("task.", 0) == 0) {
    return type + " " + word("task_id") + session + " to " + word("to");
  }
  if (type == "installation.revoked") {
    return type + " " + word("installation_id");
  }
  if (type == "session.role_withdrawn") {
    return type + " " + word("withdrawn") + " stays " + word("stays");
  }
  if (facts.contains("refused")) {
    return type + " refused " + word("refused") + " stays " + word("stays");
  }
  if (type == "session.role_requested") {
    return type + " " + word("from") + " to " + word("to");
  }
  if (type == "session.role_changed") {
    return type + " " + word("from") + " to " + word("to") + " " + word("how");
  }
  return type;
}

std::vector<std::string> words_of(const std::vector<base::Json>& events) {
  std::vector<std::string> words;
  words.reserve(events.size());
  for (const base::Json& event : events) {
    words.push_back(words_of(event));
  }
  return words;
}

}  // namespace robot_council::fleet::test
