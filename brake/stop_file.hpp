#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace robot_council::brake {

// Whom a stop reaches. `all` beats the list; an unknown caller is in every scope.
struct Scope {
  bool all = true;
  std::vector<std::string> clients;  // ids, sorted, without repeats; empty when all

  [[nodiscard]] bool reaches(const std::string& client) const;
  // This scope contains all of the other.
  [[nodiscard]] bool covers(const Scope& other) const;
  friend bool operator==(const Scope&, const Scope&) = default;
};
[[nodiscard]] Scope unite(const Scope& a, const Scope& b);
// "every agent", or "cursor, grok".
[[nodiscard]] std::string scope_words(const Scope& scope);

// The content of a stop file:
// {"version":1,"scope":"all","reason":...,"who":...,"when":...,"repo":...}.
struct Stop {
  Scope scope;
  std::string reason;  // cleaned
  std::string who;     // an e-mail address or "", cleaned
  std::string when;    // UTC, whole seconds, "2026-11-30T05:40:12Z"; as it is in the file
  std::string repo;    // main checkout; "" for the machine
  friend bool operator==(const Stop&, const Stop&) = default;
};

// invalid: whatever makes a stop file unreadable; `what` says which. Unknown fields are ignored, an
// unknown id is not: a scope that this version does not understand must not shrink.
[[nodiscard]] base::Result<Stop> parse_stop(std::string_view text);
// The bytes of a stop file, with a final newline.
[[nodiscard]] std::string write_stop(const Stop& stop);

enum class StopState : std::uint8_t { absent, present, unreadable };
struct StopRead {
  StopState state = StopState::absent;
  Stop stop;            // when present
  std::string problem;  // when unreadable: why, a few words
};
// Never blocks on a FIFO or device, never follows a link at `path`. absent only for ENOENT and
// ENOTDIR.
[[nodiscard]] StopRead read_stop(const std::string& path);

}  // namespace robot_council::brake
