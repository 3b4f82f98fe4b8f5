#include "fleet/operator_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace robot_council::fleet {

namespace {

using Table = std::vector<std::vector<std::string>>;

std::string clean(const std::string& text) {
  return base::without_controls(text, base::Keep::nothing);
}

std::string text_of(const base::Json& object, const char* name) {
  const base::Json* value = base::get_member(object, name);
  if (value == nullptr || value->is_null()) {
    return "-";
  }
  return value->is_string() ? clean(value->get<std::string>()) : base::dump_safe(*value);
}

std::string id_of(const base::Json& object, const char* name = "id") {
  const auto id = base::get_integer(object, name);
  return id ? std::to_string(*id) : "-";
}

// "10:41:42" of an ISO time.
std::string hour_of(const base::Json& object, const char* name) {
  constexpr std::size_t kHour = 11;  // behind "2026-11-30T"
  constexpr std::size_t kLength = 8;
  const std::string time = text_of(object, name);
  return time.size() >= kHour + kLength ? time.substr(kHour, kLength) : time;
}

const base::Json& list_of(const base::Json& object, const char* name) {
  static const base::Json empty = base::Json::array();
  const base::Json* list = base::get_array(object, name);
  return list == nullptr ? empty : *list;
}

std::string section(std::string_view title, const Table& rows) {
  if (rows.size() < 2) {
    return {};
  }
  return std::string(title) + "\n" + aligned(rows) + "\n";
}

std::string place_of(const base::Json& session) {
  const std::string repository = text_of(session, "repository");
  const std::string location = text_of(session, "work_location");
  return location == "-" ? repository : repository + " at " + location;
}

std::string sessions(const base::Json& overview) {
  Table rows{{"  session", "role", "state", "harness", "place", "tasks", "locks", "seen"}};
  for (const base::Json& session : list_of(overview, "sessions")) {
    std::vector<std::string> tasks;
    for (const base::Json& task : list_of(session, "tasks")) {
      tasks.push_back("#" + id_of(task));
    }
    rows.push_back({"  " + id_of(session), text_of(session, "role"), text_of(session, "status"),
                    text_of(session, "harness") + " on " + text_of(session, "machine_label"),
                    place_of(session), tasks.empty() ? "-" : base::join(tasks, ","),
                    std::to_string(list_of(session, "locks").size()),
                    hour_of(session, "last_seen_at")});
  }
  return section("Sessions", rows);
}

std::string decisions(const base::Json& overview) {
  Table codes{{"  code", "harness", "from", "asked", "replaces"}};
  for (const base::Json& enrolment : list_of(overview, "enrolments")) {
    codes.push_back({"  " + text_of(enrolment, "user_code"),
                     text_of(enrolment, "harness") + " on " + text_of(enrolment, "machine_label"),
                     text_of(enrolment, "requested_ip"), hour_of(enrolment, "created_at"),
                     text_of(enrolment, "supersedes")});
  }
  Table roles{{"  session", "holds", "asks for", "asked"}};
  for (const base::Json& request : list_of(overview, "role_requests")) {
    roles.push_back({"  " + id_of(request, "session_id"), text_of(request, "from"),
                     text_of(request, "to"), hour_of(request, "requested_at")});
  }
  return section("Enrolments that wait for you (fleet approve CODE, fleet deny CODE)", codes) +
         section("Roles that wait for you (fleet role SESSION ROLE, fleet deny-role SESSION)",
                 roles);
}

std::string work(const base::Json& overview) {
  Table tasks{{"  task", "state", "priority", "held by", "title"}};
  for (const base::Json& task : list_of(overview, "tasks")) {
    const base::Json* holder = base::get_object(task, "claimed_by");
    tasks.push_back({"  #" + id_of(task), text_of(task, "status"), id_of(task, "priority"),
                     holder == nullptr ? "-" : id_of(*holder, "session_id"),
                     text_of(task, "title")});
  }
  Table locks{{"  lock", "held by", "fence", "until"}};
  for (const base::Json& lock : list_of(overview, "locks")) {
    locks.push_back({"  " + text_of(lock, "name"), id_of(lock, "session_id"), id_of(lock, "fence"),
                     hour_of(lock, "expires_at")});
  }
  return section("Tasks", tasks) + section("Locks", locks);
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], base::count_code_points(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) {
        line += std::string(widths[i] - base::count_code_points(row[i]) + 2, ' ');
      }
    }
    text += line + "\n";
  }
  return text;
}

std::string event_line(const base::Json& event) {
  const base::Json* actor = base::get_object(event, "actor");
  std::string who = "the service";
  if (actor != nullptr) {
    const std::string login = text_of(*actor, "github_login");
    const auto session = base::get_integer(*actor, "session_id");
    if (session) {
      who = "session " + std::to_string(*session) + " (" + login + ")";
    } else if (login != "-") {
      who = login;
    }
  }
  const std::string body = text_of(event, "body");
  return id_of(event) + " " + hour_of(event, "created_at") + " " + who + " " +
         text_of(event, "type") + (body == "-" ? std::string() : ": " + body);
}

std::string overview_text(const base::Json& overview) {
  std::string text = "Fleet of " + text_of(overview, "login") + ", version " +
                     text_of(overview, "version") + ", event " + id_of(overview, "cursor") + "\n\n";
  if (list_of(overview, "sessions").empty()) {
    text += "No session is live.\n\n";
  }
  text += decisions(overview) + sessions(overview) + work(overview);
  const base::Json& events = list_of(overview, "events");
  if (!events.empty()) {
    constexpr std::size_t kShown = 10;  // newest events; `fleet feed` shows more
    text += "Newest events\n";
    for (std::size_t i = events.size() > kShown ? events.size() - kShown : 0; i < events.size();
         ++i) {
      text += "  " + event_line(events[i]) + "\n";
    }
  }
  return text;
}

}  // namespace robot_council::fleet
