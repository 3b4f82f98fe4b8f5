#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/mutex.hpp"
#include "net/library_call.hpp"

namespace robot_council::net {

struct Job {
  RequestId id = 0;
  std::unique_ptr<WholeRequest> request;
};

// Requests that wait for a worker. Bounded by the number of connections. Threads: any.
class WorkQueue {
 public:
  void push(Job job) RC_EXCLUDES(mu_) {
    {
      const base::MutexLock lock(mu_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }
  // Nothing once the queue is closed, whatever waits.
  [[nodiscard]] std::optional<Job> pop() RC_EXCLUDES(mu_) {
    const base::MutexLock lock(mu_);
    while (jobs_.empty() && !closed_) {
      changed_.wait(mu_);
    }
    if (closed_) {
      return std::nullopt;
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }
  void close() RC_EXCLUDES(mu_) {
    {
      const base::MutexLock lock(mu_);
      closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  base::Mutex mu_;
  base::CondVar changed_;
  std::deque<Job> jobs_ RC_GUARDED_BY(mu_);
  bool closed_ RC_GUARDED_BY(mu_) = false;
};

}  // namespace robot_council::net
