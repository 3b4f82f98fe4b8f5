#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/crash/judge.hpp"

namespace robot_council::crash {

using Random = std::mt19937;
[[nodiscard]] inline int pick(Random& random, int below) {
  return static_cast<int>(random() % static_cast<std::uint32_t>(below));
}

// The agent's side of one harness session: what its stop hook is told, and what becomes of an
// answer.
class Agent {
 public:
  enum class Harness : std::uint8_t { claude, codex, cursor, gemini, copilot, goose };
  Agent(Harness harness, int number, const std::string& folder);

  // The payload of a turn end; each one differs, as a client's do.
  [[nodiscard]] std::string turn_end();
  // The hook's end: an answer that the client takes goes into the next turn's request, unless the
  // person stops the agent; all else ends the turn.
  void heard(const std::optional<std::string>& text, Random& random);
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void begin_turn();
  Harness harness_;
  std::string name_;
  std::string transcript_;  // "" = this one writes none
  int turn_ = 0;
  int stops_ = 0;
  int loops_ = 0;
  bool continuing_ = false;
};

// The text of a hook's answer; nothing if it is empty or not whole.
[[nodiscard]] std::optional<std::string> answer_text(const std::string& bytes);
// Events in whole lines of an answer's text or of plain output.
[[nodiscard]] std::vector<Print> prints_in(const std::string& text);

}  // namespace robot_council::crash
