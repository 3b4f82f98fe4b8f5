#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "bridge/message.hpp"

namespace robot_council::bridge {

// Room for messages that were read and not yet begun; stdin is not read while it is full. Threads:
// any.
class WaitingRoom {
 public:
  // Counts one message while it lives.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(WaitingRoom* room, std::size_t bytes) : room_(room), bytes_(bytes) {}
    Ticket(Ticket&& other) noexcept
        : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      if (this != &other) {
        release();
        room_ = std::exchange(other.room_, nullptr);
        bytes_ = other.bytes_;
      }
      return *this;
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    ~Ticket() { release(); }
    // The message is begun.
    void release();

   private:
    WaitingRoom* room_ = nullptr;
    std::size_t bytes_ = 0;
  };

  // Waits for room, then counts. After open_wide() there always is.
  [[nodiscard]] Ticket enter(std::size_t bytes);
  // The limits no longer hold: the end has come, and what is left in the pipe is answered.
  void open_wide();

 private:
  void leave(std::size_t bytes);
  base::Mutex mu_;
  base::CondVar room_;
  std::size_t messages_ RC_GUARDED_BY(mu_) = 0;
  std::size_t bytes_ RC_GUARDED_BY(mu_) = 0;
  bool wide_ RC_GUARDED_BY(mu_) = false;
};

struct Incoming {
  Message message;
  WaitingRoom::Ticket ticket;
};

// What the router is told, beside messages.
struct LineTooLong {};
struct EndOfInput {};
struct ContentLengthFraming {};
struct JoinFinished {
  bool joined = false;
  std::string text;          // the result's text, or the reason of the failure
  std::string instructions;  // the fleet's, "" if none
};
struct LeaveFinished {
  std::string text;
};
struct CallFinished {};  // a forwarded call ended
struct SessionEnded {    // by the fleet
  std::string text;
};
struct StopNow {};  // nothing more is handled

using Event = std::variant<Incoming, LineTooLong, EndOfInput, ContentLengthFraming, JoinFinished,
                           LeaveFinished, CallFinished, SessionEnded, StopNow>;

// The router's queue. Threads: push from any, pop from one.
class Inbox {
 public:
  void push(Event event);
  // The next event; nothing when the deadline passed (no deadline: waits for ever).
  [[nodiscard]] std::optional<Event> pop(std::optional<base::SteadyTime> deadline);

 private:
  base::Mutex mu_;
  base::CondVar some_;
  std::deque<Event> events_ RC_GUARDED_BY(mu_);
};

}  // namespace robot_council::bridge
