#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.hpp"

namespace robot_council::net {

// Which handler answers which method and path. Filled before the server starts, then only read: by
// any thread.
class RouteTable {
 public:
  RouteTable();
  void add(const std::string& method, const std::string& pattern, Handler handler);
  void set_not_found(Handler handler) { not_found_ = std::move(handler); }
  // Fills request.captures and runs the handler of its method and path; 405 with Allow for a path
  // known under other methods.
  [[nodiscard]] HandlerResult run(ServerRequest& request) const;

 private:
  struct Route {
    std::string method;
    std::vector<std::string> segments;  // "{}" takes any non-empty one
    Handler handler;
  };
  std::vector<Route> routes_;
  Handler not_found_;
};

}  // namespace robot_council::net
