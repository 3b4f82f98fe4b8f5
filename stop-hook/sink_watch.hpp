#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/folder_watch.hpp"
#include "base/signals.hpp"
#include "sink/seat_files.hpp"

namespace robot_council::stop_hook {

// Sleeps until something may have changed in a seat's files. Holds no database open. Threads: one.
class SinkWatch {
 public:
  // What else ends a sleep; both outlive the watch.
  struct Others {
    base::SignalReader* signals = nullptr;
    int hang_up_fd = -1;  // its other end is gone (POLLHUP, POLLERR, POLLNVAL); -1 = not watched
  };
  SinkWatch(sink::SeatFiles files, const Others& others)
      : files_(std::move(files)), others_(others) {}

  enum class Woke : std::uint8_t {
    look,     // a file of the seat changed, or the deadline came: look again
    signal,   // one of the signals came
    hung_up,  // the other end of hang_up_fd is gone
  };
  // Returns `look` at the deadline at the latest, kPollStep after the call where changes cannot be
  // seen (no inotify, a network file system, no folder yet), and not before kLookStep after the
  // call.
  [[nodiscard]] Woke sleep(base::SteadyTime deadline);
  // hang_up_fd has hung up now.
  [[nodiscard]] bool hung_up() const;

 private:
  void open_watch();
  [[nodiscard]] std::optional<Woke> wait_once(base::SteadyTime deadline, base::SteadyTime earliest);
  sink::SeatFiles files_;
  Others others_;
  std::optional<base::FolderWatch> watch_;
  bool changed_early_ = false;  // within kLookStep of the sleep's begin
};

}  // namespace robot_council::stop_hook
