#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "account/command.hpp"
#include "account/credentials.hpp"
#include "account/device_flow.hpp"
#include "base/context.hpp"

namespace robot_council::account {

enum class Local : std::uint8_t { yes, no };

// `robot-council enroll`. Values as typed; "" = not given.
struct EnrollOptions {
  std::string service;
  HarnessChoice harness;
  std::string machine_label;
  std::vector<std::string> abilities;  // empty: tasks:create, tasks:claim, events:post
  std::string store;                   // auto (also ""), keychain, secret-service, file
  Local local = Local::no;             // approve it with the operator token of this user's `serve`
  std::string data;                    // with local: that serve's data folder
  std::string
      agent_marker;  // the variable that says an agent calls, "" = none: then local is refused
};

// What the command does its waiting and printing with.
struct EnrollIo {
  Output out;
  Pause pause;
  std::function<bool()> interrupted;
  ProgressLine& progress;
  // Called with what ends the call under way; nullptr when there is none.
  std::function<void(std::function<void()>)> on_interrupt;
};

// Device authorization grant: prints where to approve and the code, waits, stores the credential
// and its record. Exit 0, 1 (said on the log, nothing stored), 2 (values that exclude each other),
// 130 (interrupted). The token never leaves memory but for its store.
[[nodiscard]] int enroll(const base::Context& context, const EnrollOptions& options,
                         const EnrollIo& io);
// The same with stdout, signals and the terminal of this process.
[[nodiscard]] int enroll(const base::Context& context, const EnrollOptions& options);

}  // namespace robot_council::account
