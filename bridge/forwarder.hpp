#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/context.hpp"
#include "base/mutex.hpp"
#include "bridge/inbox.hpp"
#include "bridge/output.hpp"
#include "bridge/session.hpp"
#include "bridge/upstream.hpp"

namespace robot_council::bridge {

struct ForwarderParts {
  const base::Context& context;
  Session& session;
  Output& output;
  std::function<std::unique_ptr<Upstream>()> connect;     // a worker's own connection
  std::function<void()> call_finished;                    // a call is over, answered or not
  std::function<void(const std::string& tool)> answered;  // a tools/call came back without an error
};

// The calls to the service: at most kMaxWorkers at once, begun in the order they came, answered as
// they come back. A call begins when the one before has written its request or failed, or after
// Timings::start_gate. Threads: submit and the ends from the router.
class Forwarder {
 public:
  enum class Kind : std::uint8_t {
    plain,         // request, notification, response or batch: the line's bytes
    tool_list,     // tools/list without a cursor: all pages, the local tools first
    role_request,  // the local tool
  };

  Forwarder(ForwarderParts parts, const Timings& timings);
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;
  Forwarder(Forwarder&&) = delete;
  Forwarder& operator=(Forwarder&&) = delete;
  ~Forwarder();

  // `role`: of a role_request.
  void submit(Incoming incoming, Kind kind, std::string role = {});
  // A request with this id waits or is under way: it is given up, unanswered. False: there is none.
  bool cancel(std::string_view id);
  // No call waits or is under way.
  [[nodiscard]] bool idle();
  // Every call that waits or is under way is answered with this error, and given up.
  void fail_all(int code, const std::string& text);
  // The fleet ended the session: what was not sent, and what waits for a renewal, is answered with
  // `text`.
  void fail_unsent(int code, const std::string& text);
  // Everything is given up, unanswered, and the threads end.
  void stop();

 private:
  struct Call;
  struct Worker;
  using CallPtr = std::shared_ptr<Call>;

  void run(Worker& worker);
  [[nodiscard]] CallPtr take(Worker& worker);
  void perform(Worker& worker, const CallPtr& call);
  void perform_plain(Worker& worker, const CallPtr& call);
  void perform_list(Worker& worker, const CallPtr& call);
  void perform_role(Worker& worker, const CallPtr& call);
  // The whole exchange with renewal and one retry. Nothing: the call was answered or given up
  // meanwhile.
  struct Exchange {
    std::optional<Answer> answer;
    int error_code = 0;  // an error of the bridge's own instead of an answer
    std::string error;
  };
  [[nodiscard]] Exchange exchange(Worker& worker, const CallPtr& call, Upstream::Call request);
  [[nodiscard]] Exchange without_token(const TokenResult& token) const;
  // False: given up meanwhile.
  bool wait_for_service(const CallPtr& call, base::Milliseconds pause);
  // One line each; dropped if the call was answered or given up before.
  void answer(const CallPtr& call, const std::vector<std::string>& lines);
  void answer_error(const CallPtr& call, int code, const std::string& text);
  void finish(const CallPtr& call);
  void open_gate(const CallPtr& call);
  [[nodiscard]] bool given_up(const CallPtr& call) const;
  // Marks the call as over for its worker and returns the ids that are still owed an answer.
  [[nodiscard]] std::vector<std::string> give_up(const CallPtr& call) RC_REQUIRES(mu_);

  ForwarderParts parts_;
  Timings timings_;
  base::Mutex mu_;
  base::CondVar changed_;
  std::deque<CallPtr> waiting_ RC_GUARDED_BY(mu_);
  std::vector<CallPtr> flying_ RC_GUARDED_BY(mu_);
  std::vector<std::unique_ptr<Worker>> workers_ RC_GUARDED_BY(mu_);
  std::size_t free_workers_ RC_GUARDED_BY(mu_) = 0;
  CallPtr gate_ RC_GUARDED_BY(mu_);  // the call whose request is not written yet
  base::SteadyTime gate_until_ RC_GUARDED_BY(mu_){};
  bool stop_ RC_GUARDED_BY(mu_) = false;
  base::Mutex names_mu_;
  std::set<std::string> told_tools_ RC_GUARDED_BY(names_mu_);
};

}  // namespace robot_council::bridge
