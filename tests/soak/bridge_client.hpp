#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/child.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"

namespace robot_council::test {

// What the system tells of a process.
struct Usage {
  std::int64_t resident_kb = 0;
  std::size_t threads = 0;
  std::size_t descriptors = 0;
  base::Milliseconds cpu{0};
};
[[nodiscard]] std::optional<Usage> usage_of(pid_t pid);

// One real bridge and the harness's side of it. Keeps the books: which requests are still owed an
// answer, and everything that was wrong with what came back.
class BridgeClient {
 public:
  BridgeClient(const std::string& service, const std::map<std::string, std::string>& environment,
               const std::string& directory);
  ~BridgeClient();
  BridgeClient(const BridgeClient&) = delete;
  BridgeClient& operator=(const BridgeClient&) = delete;
  BridgeClient(BridgeClient&&) = delete;
  BridgeClient& operator=(BridgeClient&&) = delete;

  // Returns the id.
  std::int64_t request(const std::string& method, const std::string& params = {});
  std::int64_t call(const std::string& tool, const std::string& arguments = "{}");
  void cancel(std::int64_t id);
  void line(const std::string& text);
  void close_input();

  [[nodiscard]] std::size_t owed();
  // Sends the call and waits for its answer; "" if none came.
  std::string ask(const std::string& tool, base::Milliseconds limit);
  [[nodiscard]] std::size_t answers() const { return answers_; }
  // Complaints about stdout; empty when all is well.
  [[nodiscard]] std::vector<std::string> wrong();
  // Ranges of ids that the bridge said it never saw, and how often the feed went back.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> pruned();
  [[nodiscard]] std::int64_t went_back();
  [[nodiscard]] std::string said();  // the newest lines of stderr
  [[nodiscard]] base::Child& child() { return *child_; }

 private:
  void read_out();
  void read_err();
  void take(const std::string& line);
  void take_said(const std::string& line);

  std::optional<base::Child> child_;
  base::Mutex write_mu_;
  base::Mutex mu_;
  std::set<std::int64_t> owed_ RC_GUARDED_BY(mu_);
  std::set<std::int64_t> cancelled_ RC_GUARDED_BY(mu_);
  std::map<std::int64_t, std::string> kept_ RC_GUARDED_BY(mu_);
  std::set<std::int64_t> keep_ RC_GUARDED_BY(mu_);
  std::vector<std::string> wrong_ RC_GUARDED_BY(mu_);
  std::vector<std::pair<std::int64_t, std::int64_t>> pruned_ RC_GUARDED_BY(mu_);
  std::int64_t went_back_ RC_GUARDED_BY(mu_) = 0;
  std::deque<std::string> said_ RC_GUARDED_BY(mu_);
  std::int64_t next_id_ = 1;
  std::atomic<std::size_t> answers_{0};
  std::thread out_;
  std::thread err_;
};

}  // namespace robot_council::test
