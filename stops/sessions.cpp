#include "stops/sessions.hpp"

#include <algorithm>

#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/json_value.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kVersion = 1;

int count(const base::Json& json, std::string_view key) {
  constexpr std::int64_t kMost = 1000000;
  return static_cast<int>(
      std::clamp<std::int64_t>(base::get_integer(json, key).value_or(0), 0, kMost));
}

}  // namespace

bool SessionMark::breaker_open() const {
  return failures >= kBreakerFailures || slow >= kBreakerSlow;
}

std::vector<SessionMark> read_sessions(const StopFiles& files) {
  std::vector<SessionMark> sessions;
  const base::Result<std::string> bytes =
      base::read_file(files.sessions(), kMaxSessionsBytes, base::Links::dont);
  const base::Result<base::Json> json =
      bytes.ok() ? base::parse_bounded(*bytes, kMaxSessionsBytes) : bytes.error();
  const base::Json* list = json.ok() ? base::get_array(*json, "sessions") : nullptr;
  if (list == nullptr) {
    return sessions;
  }
  for (const base::Json& item : *list) {
    SessionMark mark;
    mark.id = base::get_string(item, "id").value_or("");
    mark.seen_ms = base::get_integer(item, "seen_ms").value_or(0);
    mark.failures = count(item, "failures");
    mark.slow = count(item, "slow");
    mark.policy_error = base::get_bool(item, "policy_error").value_or(false);
    if (!mark.id.empty() && sessions.size() < kMaxSessions) {
      sessions.push_back(std::move(mark));
    }
  }
  return sessions;
}

SessionMark find_session(const std::vector<SessionMark>& sessions, const std::string& id) {
  const auto found = std::find_if(sessions.begin(), sessions.end(),
                                  [&id](const SessionMark& mark) { return mark.id == id; });
  if (found != sessions.end()) {
    return *found;
  }
  SessionMark fresh;
  fresh.id = id;
  return fresh;
}

base::Status keep_session(const StopFiles& files, const SessionMark& mark) {
  std::vector<SessionMark> sessions = read_sessions(files);
  sessions.erase(std::remove_if(sessions.begin(), sessions.end(),
                                [&mark](const SessionMark& one) { return one.id == mark.id; }),
                 sessions.end());
  std::sort(sessions.begin(), sessions.end(),
            [](const SessionMark& a, const SessionMark& b) { return a.seen_ms > b.seen_ms; });
  sessions.insert(sessions.begin(), mark);
  if (sessions.size() > kMaxSessions) {
    sessions.resize(kMaxSessions);
  }
  base::OrderedJson list = base::OrderedJson::array();
  for (const SessionMark& one : sessions) {
    list.push_back({{"id", one.id},
                    {"seen_ms", one.seen_ms},
                    {"failures", one.failures},
                    {"slow", one.slow},
                    {"policy_error", one.policy_error}});
  }
  const base::OrderedJson all = {{"v", kVersion}, {"sessions", list}};
  return base::replace_file(files.sessions(), base::dump_safe(all) + "\n", base::Sync::no);
}

}  // namespace robot_council::stops
