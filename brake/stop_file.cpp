#include "brake/stop_file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"
#include "brake/texts.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

base::Error unreadable(std::string why) {
  return base::Error{base::Errc::invalid, std::move(why)};
}

// The text of a string member, "" for anything else.
std::string text_of(std::string_view value) {
  const bool text = !value.empty() && base::json_kind(value) == base::JsonKind::string;
  return text ? base::json_unescape(value) : std::string();
}

base::Result<Scope> parse_scope(std::string_view value) {
  if (value.empty()) {
    return unreadable("no scope");
  }
  if (base::json_kind(value) == base::JsonKind::string) {
    if (text_of(value) != "all") {
      return unreadable("a scope that is not understood");
    }
    return Scope{};
  }
  const std::vector<std::string_view> elements = base::json_elements(value);
  if (elements.empty()) {
    return unreadable("a scope that is not understood");
  }
  Scope scope{false, {}};
  for (const std::string_view element : elements) {
    std::string id = text_of(element);
    if (harness::brake_client(id) == nullptr) {
      return unreadable("an unknown client in its scope");
    }
    scope.clients.push_back(std::move(id));
  }
  return unite(scope, scope);
}

}  // namespace

bool Scope::reaches(const std::string& client) const {
  return all || harness::brake_client(client) == nullptr ||
         std::find(clients.begin(), clients.end(), client) != clients.end();
}

bool Scope::covers(const Scope& other) const {
  if (all || other.all) {
    return all;
  }
  return std::all_of(other.clients.begin(), other.clients.end(), [this](const std::string& client) {
    return std::find(clients.begin(), clients.end(), client) != clients.end();
  });
}

Scope unite(const Scope& a, const Scope& b) {
  if (a.all || b.all) {
    return Scope{};
  }
  Scope both{false, a.clients};
  both.clients.insert(both.clients.end(), b.clients.begin(), b.clients.end());
  std::sort(both.clients.begin(), both.clients.end());
  both.clients.erase(std::unique(both.clients.begin(), both.clients.end()), both.clients.end());
  return both;
}

std::string scope_words(const Scope& scope) {
  return scope.all ? "every agent" : base::join(scope.clients, ", ");
}

base::Result<Stop> parse_stop(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    return unreadable("it begins with a byte order mark");
  }
  // The scanner, not the document type: a check without a repository reads a thousand of these in
  // 50 ms.
  if (!base::validate_json(text, kMaxStopFileDepth).ok()) {
    return unreadable("no JSON");
  }
  if (base::json_kind(text) != base::JsonKind::object) {
    return unreadable("no JSON object");
  }
  std::string_view version;
  std::string_view scope_value;
  std::string_view reason;
  std::string_view who;
  std::string_view when;
  std::string_view repo;
  const std::vector<base::JsonMember> members = base::json_members(text);
  for (const base::JsonMember& member : members) {
    for (const auto& [key, into] :
         {std::pair<std::string_view, std::string_view*>{"version", &version},
          {"scope", &scope_value},
          {"reason", &reason},
          {"who", &who},
          {"when", &when},
          {"repo", &repo}}) {
      if (member.key == key) {
        *into = member.value;
      }
    }
  }
  if (version != "1") {
    return unreadable("not version 1");
  }
  base::Result<Scope> scope = parse_scope(scope_value);
  if (!scope.ok()) {
    return scope.error();
  }
  Stop stop;
  stop.scope = std::move(scope).value();
  stop.reason = clean_reason(text_of(reason));
  stop.who = clean_line(text_of(who));
  stop.when = clean_line(text_of(when));
  stop.repo = text_of(repo);
  return stop;
}

std::string write_stop(const Stop& stop) {
  base::OrderedJson document;
  document["version"] = 1;
  if (stop.scope.all) {
    document["scope"] = "all";
  } else {
    document["scope"] = stop.scope.clients;
  }
  document["reason"] = clean_reason(stop.reason);
  document["who"] = stop.who;
  document["when"] = stop.when;
  document["repo"] = stop.repo;
  return base::dump_safe(document) + "\n";
}

StopRead read_stop(const std::string& path) {
  StopRead read;
  std::string bytes;
  const int error_number = read_regular(path, kMaxStopFileBytes, &bytes);
  if (is_absent(error_number)) {
    return read;
  }
  if (error_number != 0) {
    read.state = StopState::unreadable;
    read.problem = errno_words(error_number);
    return read;
  }
  base::Result<Stop> stop = parse_stop(bytes);
  if (!stop.ok()) {
    read.state = StopState::unreadable;
    read.problem = stop.error().what;
    return read;
  }
  read.state = StopState::present;
  read.stop = std::move(stop).value();
  return read;
}

}  // namespace robot_council::brake
