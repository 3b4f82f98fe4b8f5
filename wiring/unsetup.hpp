#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/context.hpp"
#include "base/result.hpp"
#include "wiring/wire.hpp"

namespace robot_council::wiring {

// `robot-council unsetup HARNESS`. Values as typed.
struct UnsetupOptions {
  std::string harness;
  std::optional<Scope> scope;  // nothing: both
  std::string folder;          // working directory; the project scope is its repository's root
  DryRun dry = DryRun::no;
  bool local = false;        // take out the unit of `setup --local` too
  bool forget = false;       // remove the harness's credential too
  std::string service = {};  // whose credential, where no script tells it
};

struct UnsetupIo {
  std::function<base::Status(std::string_view)> out;
  std::function<void(base::Milliseconds)> pause;
  std::function<bool()> confirmed;  // asked once, unless dry; false: nothing is done
  // Removes the credential of the harness at a service: where it was, "" = there was none. Only for
  // UnsetupOptions::forget.
  std::function<base::Result<std::string>(const std::string& service)> forget = {};
};

// Takes out hook entry, server and script of each scope, then reads the harness's files again: no
// entry of ours may be left in any. Opens no socket. Result 0; 1: a step failed, something is left
// (named), or not confirmed; 2: no such harness.
[[nodiscard]] int unsetup(const base::Context& context, const UnsetupOptions& options,
                          const UnsetupIo& io);

// Entries of ours that a scan of the harness still finds: "<file>:<line>" each.
[[nodiscard]] std::vector<std::string> left_entries(const base::Context& context,
                                                    harness::Client client,
                                                    const std::string& folder);

}  // namespace robot_council::wiring
