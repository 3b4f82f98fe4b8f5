#pragma once

#include <string>

#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::account {

// This user's own `robot-council serve`: its data folder tells its address and holds the operator's
// token.
struct LocalFleet {
  std::string data;     // folder
  std::string service;  // address, without trailing "/"
  bool by_default =
      false;  // nobody named the address: the token goes there only while serve.lock is held
};

inline constexpr const char* kDefaultLocalService = "http://127.0.0.1:8787";

// data: --data, "" = DATA/fleet. given: the service a person named, "" = what service.url in the
// folder says, else the default.
[[nodiscard]] LocalFleet find_local_fleet(const base::Context& context, const std::string& data,
                                          const std::string& given);

// operator.token of the folder: 64 hex digits, only readable by us. A default address also needs a
// running serve, since anyone may listen on the port of one that has ended. `what` is a whole
// sentence with the path and what to run.
[[nodiscard]] base::Result<std::string> operator_token(const LocalFleet& fleet);

}  // namespace robot_council::account
