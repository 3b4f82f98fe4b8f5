#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace robot_council::crash {

// What goes wrong in one process of a run.
struct Fault {
  enum class Kind : std::uint8_t {
    none,
    step,         // killed at step `at` of the engine (pending::Step)
    write,        // killed before write, sync, truncation or deletion number `at` of SQLite's
    cut_all,      // the power goes there: every unsynced write is lost
    cut_some,     // the power goes there: a part of the unsynced writes is lost
    moment,       // killed `at` microseconds after its start, by the checker
    reader_gone,  // nobody reads its stdout
    disk_full     // its stdout takes no byte (/dev/full)
  };
  Kind kind = Kind::none;
  int at = 0;
  std::uint32_t seed = 1;  // of cut_some
};

// One process that the checker starts in place of a program of the product: the same code, with a
// fault and a shifted clock.
struct Role {
  enum class Kind : std::uint8_t { hook, plain, bridge };
  Kind kind = Kind::hook;
  Fault fault;
  std::int64_t clock_shift_ms = 0;
  // The defect that the checker must be able to find: rows are marked before they were printed.
  bool mark_first = false;
};

// The arguments of `rc_crash_checker` that make it this role, and back.
[[nodiscard]] std::vector<std::string> role_arguments(const Role& role);
[[nodiscard]] std::optional<Role> parse_role(const std::vector<std::string>& arguments);

// Runs the role in this process; returns its exit code if no fault ended it.
[[nodiscard]] int play(const Role& role);

}  // namespace robot_council::crash
