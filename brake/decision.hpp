#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.hpp"
#include "brake/stop_file.hpp"
#include "brake/survey.hpp"

namespace robot_council::brake {

enum class Verdict : std::uint8_t {
  none,        // no stop reaches this caller here
  stopped,     // one does: text R
  unreadable,  // a stop file cannot be read, so every caller is refused: text U
  cannot_run,  // the check itself failed, so every caller is refused: text K
};

// Where and for whom.
struct Query {
  // The checkout and the working directory of the caller. A path that is gone counts as its nearest
  // existing parent; empty ones are skipped. None that lies in a repository: every stop of this
  // home counts.
  std::vector<std::string> directories;
  // Brake ids of the caller ("claude_code"; a caller may be judged as two). Any other word, or none
  // at all, is an unknown caller, who is in every scope.
  std::vector<std::string> callers;
};

// The answer. All fields but `verdict` and `text` are for people (status, the decision log).
struct Decision {
  Verdict verdict = Verdict::none;
  std::string text;         // one line for the agent, without a newline; "" for none
  bool everywhere = false;  // the machine's stop decided
  Scope scope;              // of the stop that decided
  std::string reason;
  std::string who;
  std::string when;  // UTC, "2026-11-30T05:40:12Z"
  std::string
      repository;  // main checkout that is stopped, else of the first repository found, "" if none
  std::vector<std::string> copies;  // paths of the stop files that refuse this caller

  [[nodiscard]] bool refused() const { return verdict != Verdict::none; }
};

// Whether a stop is in force for this caller, read from the files at this moment. Fails closed: an
// error of its own, an exception too, is cannot_run. With no stop file it costs a few lstat calls
// (about 30 us). Threads: safe from any.
[[nodiscard]] Decision decide(const base::Environment& environment, const Query& query) noexcept;

// The same for a seat of the product: `harness` is the seat's harness name ("claude", "codex",
// ...), `directories` its checkout and the working directory.
[[nodiscard]] Decision decide_for_seat(const base::Environment& environment,
                                       std::string_view harness,
                                       const std::vector<std::string>& directories) noexcept;

// The judgement alone, over what was read.
[[nodiscard]] Decision judge(const Survey& survey, const std::vector<std::string>& callers);
[[nodiscard]] Decision cannot_run() noexcept;

}  // namespace robot_council::brake
