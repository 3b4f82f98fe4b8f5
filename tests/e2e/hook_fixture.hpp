#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child.hpp"
#include "sink/seat.hpp"
#include "sink/store.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::test {

using Values = std::map<std::string, std::string>;

// A seat in a private home, the bridge's half played by this process, the rest by the real
// executable.
class HookSeat {
 public:
  explicit HookSeat(const std::string& harness = "claude", const std::string& project = {});

  [[nodiscard]] const std::string& home() const { return home_.path(); }
  [[nodiscard]] std::string folder() const {
    return home_ / "work";
  }  // the client's working directory
  [[nodiscard]] const sink::SeatFiles& files() const { return seat_.files; }
  [[nodiscard]] Values environment(const Values& more = {}) const;
  // A directive as the feed has it; ids count from 1. Returns the line the agent reads.
  std::string store_directive(const std::string& body = "rebase your branch");
  std::string store_event(const std::string& type, const std::string& body);
  sink::BridgeStore& bridge();

  // `robot-council pending --hook`.
  [[nodiscard]] Ran hook(std::string_view payload, const Values& more = {}) const;
  // `robot-council` with these words.
  [[nodiscard]] Ran command(const std::vector<std::string>& words, const Values& more = {}) const;
  // The script of the source tree, with the executable of this build.
  [[nodiscard]] Ran script(std::string_view payload, const Values& more = {},
                           const std::vector<std::string>& words = {}) const;
  // A child whose standard streams are pipes.
  [[nodiscard]] base::Child start(const std::vector<std::string>& argv,
                                  const Values& more = {}) const;

  [[nodiscard]] std::size_t waiting() const;            // rows in state waiting
  [[nodiscard]] std::vector<sink::Entry> rows() const;  // all of them
  [[nodiscard]] std::vector<sink::HistoryRow> history() const;
  [[nodiscard]] std::string record_answer() const;  // "answer" of .hook, "" if there is none

 private:
  TempDir home_;
  std::string harness_;
  sink::Seat seat_;
  std::optional<sink::BridgeStore> bridge_;
  std::int64_t next_id_ = 1;
};

// A payload of tests/fixtures/payloads.
[[nodiscard]] std::string payload_fixture(const std::string& name);
// Claude Code's Stop with these ids; `more` replaces or adds members, values as JSON ("" removes
// one).
[[nodiscard]] std::string claude_stop(const Values& more = {});
// The whole answers.
[[nodiscard]] std::string news(const std::vector<std::string>& lines);  // the text
[[nodiscard]] std::string block_answer(const std::vector<std::string>& lines);

}  // namespace robot_council::test
