#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "harness/payload.hpp"
#include "sink/call.hpp"
#include "sink/seat.hpp"
#include "stop-hook/hook.hpp"
#include "stop-hook/hook_record.hpp"

namespace robot_council::stop_hook {

// What the engine has to know of a payload. `bytes`: the payload, whose hash names the turn end.
[[nodiscard]] sink::Call hook_call(const harness::Payload& payload, std::string_view bytes);
// The budget of an answer: the smaller one when the seat or the caller is Codex.
[[nodiscard]] pending::Budget hook_budget(harness::PayloadKind kind, std::string_view seat_harness);
// The folders whose stop files hold this seat: its checkout and folder, the working directory, and
// Cursor's own list, since its hooks start in ~/.cursor.
[[nodiscard]] std::vector<std::string> hook_folders(const sink::Seat& seat,
                                                    const harness::Payload& payload);

// One run of the delivering hook, rows 6 to 8 of the table of decisions, for a payload that passed
// rows 1 to 5.
class HookRun {
 public:
  HookRun(const HookOptions& options, const base::Context& context, int stdout_fd,
          std::string_view seat_harness, const harness::Payload& payload, std::string_view bytes);

  // No checkout could be told, so there is no sink: `why` is the sentence.
  void without_seat(const std::string& why);
  void with_seat(const sink::Seat& seat);

 private:
  [[nodiscard]] pending::Request request(const sink::Seat& seat) const;
  void deliver(const sink::Seat& seat);
  void hold(const sink::Seat& seat);
  void unreadable(const std::string& why);
  [[nodiscard]] bool keep_told(const HookRecord& record) const;
  void nothing() const;                     // empty, or {} where the harness refuses empty output
  bool print(std::string_view text) const;  // false: it did not leave whole
  void record(HookAnswer answer, std::size_t printed) const;

  const HookOptions& options_;
  const base::Context& context_;
  int stdout_fd_;
  std::string seat_harness_;
  const harness::Payload& payload_;
  sink::Call call_;
  std::string record_name_ = "unknown.hook";
};

}  // namespace robot_council::stop_hook
