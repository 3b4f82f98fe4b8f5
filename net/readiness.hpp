#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/result.hpp"

namespace robot_council::net {

// What a descriptor is waited for. `closed`: the peer sent its end, without reading what came
// before it.
enum class Interest : std::uint8_t { none, read, closed, write, listen };

struct ReadyEvent {
  std::uint64_t key = 0;
  bool hung_up = false;  // the peer closed or the connection broke
};

// The descriptors of one event loop. Threads: one, but notify() any.
class Readiness {
 public:
  static constexpr std::uint64_t kNotified = UINT64_MAX;  // the key of notify()

  [[nodiscard]] static base::Result<Readiness> open();
  // Sets what `fd` is waited for under `key`; `was` is what it was before.
  [[nodiscard]] base::Status set(int fd, std::uint64_t key, Interest was, Interest wanted) const;
  // Blocks until something is ready or the time is over. Keeps ready what was not dealt with. io.
  [[nodiscard]] base::Status wait(base::SteadyTime until, std::vector<ReadyEvent>& ready) const;
  // Ends a wait.
  void notify() const;

 private:
  Readiness(base::Fd poll, base::Fd event) : poll_(std::move(poll)), event_(std::move(event)) {}
  base::Fd poll_;
  base::Fd event_;
};

}  // namespace robot_council::net
