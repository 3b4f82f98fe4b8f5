#pragma once

#include <string>

#include "account/command.hpp"
#include "account/credentials.hpp"
#include "base/context.hpp"
#include "base/result.hpp"

namespace robot_council::wiring::online {

struct ApiOptions {
  std::string method;
  std::string path;
  std::string service;  // "" = not given, as for each
  account::HarnessChoice harness;
  std::string project;
  std::string repository;
  std::string work_location;
  std::string body;    // JSON text, @FILE, or - for stdin
  std::string folder;  // whose checkout gives the repository and location that were not named
};

// `robot-council api METHOD PATH`: one call to the fleet's API in a session of its own, which is
// ended in every case. stdout: the body as it came and one line end. Exit 0; 1: no credential, no
// session, no answer, or not 2xx; 2: a method or path that is none; 130.
[[nodiscard]] int api(const base::Context& context, const ApiOptions& options);
[[nodiscard]] int api(const base::Context& context, const ApiOptions& options,
                      const account::Output& out, account::Interrupt& interrupt);

// The path below the service's URL, with its query: one that begins "/robot-council/" as it is, any
// other below the API base. invalid: "#", a blank, a control byte, a ".." segment, "://", a leading
// "//".
[[nodiscard]] base::Result<std::string> api_target(const std::string& path);

}  // namespace robot_council::wiring::online
