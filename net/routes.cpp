#include "net/routes.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "net/answer.hpp"

namespace robot_council::net {
namespace {

constexpr std::string_view kAny = "{}";

std::optional<std::vector<std::string>> match(const std::vector<std::string>& pattern,
                                              const std::vector<std::string>& path) {
  if (pattern.size() != path.size()) {
    return std::nullopt;
  }
  std::vector<std::string> captures;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == kAny && !path[i].empty()) {
      captures.push_back(path[i]);
    } else if (pattern[i] != path[i] || pattern[i] == kAny) {
      return std::nullopt;
    }
  }
  return captures;
}

}  // namespace

RouteTable::RouteTable()
    : not_found_([](const ServerRequest&) -> HandlerResult {
        return message_response(404, "Not found.");
      }) {}

void RouteTable::add(const std::string& method, const std::string& pattern, Handler handler) {
  RC_CHECK(!pattern.empty() && pattern.front() == '/' && handler);
  routes_.push_back({method, base::split(pattern, '/'), std::move(handler)});
}

HandlerResult RouteTable::run(ServerRequest& request) const {
  const std::vector<std::string> path = base::split(request.path, '/');
  std::vector<std::string> allowed;
  const Route* found = nullptr;
  for (const Route& route : routes_) {
    std::optional<std::vector<std::string>> captures = match(route.segments, path);
    if (!captures) {
      continue;
    }
    if (route.method == request.method) {
      found = &route;
      request.captures = std::move(*captures);
      break;
    }
    if (std::find(allowed.begin(), allowed.end(), route.method) == allowed.end()) {
      allowed.push_back(route.method);
    }
  }
  if (found != nullptr) {
    return found->handler(request);
  }
  if (allowed.empty()) {
    return not_found_(request);
  }
  ServerResponse response = message_response(405, "Method not allowed.");
  response.headers.emplace_back("Allow", base::join(allowed, ", "));
  return response;
}

}  // namespace robot_council::net
