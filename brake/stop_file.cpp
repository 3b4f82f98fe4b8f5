#include "brake/stop_file.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/json.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "brake/disk.hpp"
#include "brake/limits.hpp"
#include "brake/texts.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

base::Error unreadable(std::string why) { return base::Error{base::Errc::invalid, std::move(why)}; }

base::Result<Scope> parse_scope(const base::Json& document) {
  const base::Json* const member = base::get_member(document, "scope");
  if (member == nullptr) {
    return unreadable("no scope");
  }
  if (member->is_string()) {
    if (base::get_string(document, "scope") != "all") {
      return unreadable("a scope that is not understood");
    }
    return Scope{};
  }
  if (!member->is_array() || member->empty()) {
    return unreadable("a scope that is not understood");
  }
  Scope scope{false, {}};
  for (const base::Json& element : *member) {
    const auto* const id = element.get_ptr<const std::string*>();
    if (id == nullptr || harness::brake_client(*id) == nullptr) {
      return unreadable("an unknown client in its scope");
    }
    scope.clients.push_back(*id);
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

std::string scope_words(const Scope& scope) { return scope.all ? "every agent" : base::join(scope.clients, ", "); }

base::Result<Stop> parse_stop(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    return unreadable("it begins with a byte order mark");
  }
  if (!base::is_utf8(text)) {
    return unreadable("no UTF-8");
  }
  const base::Result<base::Json> parsed = base::parse_bounded(text, kMaxStopFileBytes, kMaxStopFileDepth);
  if (!parsed.ok()) {
    return unreadable("no JSON");
  }
  const base::Json& document = parsed.value();
  if (!document.is_object()) {
    return unreadable("no JSON object");
  }
  if (base::get_integer(document, "version") != 1) {
    return unreadable("not version 1");
  }
  base::Result<Scope> scope = parse_scope(document);
  if (!scope.ok()) {
    return scope.error();
  }
  Stop stop;
  stop.scope = std::move(scope).value();
  stop.reason = clean_reason(base::get_string(document, "reason").value_or(""));
  stop.who = clean_line(base::get_string(document, "who").value_or(""));
  stop.when = clean_line(base::get_string(document, "when").value_or(""));
  stop.repo = base::get_string(document, "repo").value_or("");
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
