#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/bridge/fake_fleet.hpp"

namespace robot_council::test {

// The public service at its strictest and least helpful, behind a FakeFleet's sockets: it holds no
// read, knows no `initialize`, `ping` or watcher, lists its 31 tools by 15, sends floats for
// integers, leaves out every field that it may, refuses HTML-wise what it does not know, and keeps
// each way in which a request breaks its rules. What a test sets with FakeFleet::on or once is
// answered unchecked. Threads: any.
class StrictCore {
 public:
  explicit StrictCore(FakeFleet& fleet);
  StrictCore(const StrictCore&) = delete;
  StrictCore& operator=(const StrictCore&) = delete;
  StrictCore(StrictCore&&) = delete;
  StrictCore& operator=(StrictCore&&) = delete;
  ~StrictCore() = default;

  // An event; its id. `rest`: members beside id, as JSON without braces.
  std::int64_t post(const std::string& rest);
  // Every read is answered with one event more and as if it had been held: a flood.
  void flood() { flood_ = true; }
  // Reads are answered at once and empty, with the header of a service that holds them and this
  // Retry-After.
  void early_empty(const std::string& retry_after);
  void refuse_platform() { refuses_platform_ = true; }
  void without_feed_cursor() { feed_cursor_ = false; }
  void expire_token() { expired_ = true; }

  [[nodiscard]] std::vector<std::string> violations();

 private:
  FleetReply answer(const FleetRequest& request);
  void check(const FleetRequest& request);
  void check_query(const FleetRequest& request);
  FleetReply start(const FleetRequest& request);
  FleetReply renew();
  FleetReply events(const FleetRequest& request);
  FleetReply mcp(const FleetRequest& request);
  void violated(const FleetRequest& request, const std::string& rule);

  FakeFleet& fleet_;
  std::atomic<bool> flood_{false};
  std::atomic<bool> early_{false};
  std::atomic<bool> refuses_platform_{false};
  std::atomic<bool> feed_cursor_{true};
  std::atomic<bool> expired_{false};
  std::mutex mu_;
  std::vector<std::string> violations_;
  std::vector<std::string> events_;  // id = index + 1
  std::string early_retry_after_;
  int tokens_ = 0;
  int initializes_ = 0;
};

}  // namespace robot_council::test
