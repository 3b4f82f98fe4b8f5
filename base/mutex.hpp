#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// clang's thread safety annotations; std::mutex carries none. No-ops for other compilers.
#if defined(__clang__)
#define RC_ANNOTATE(x) __attribute__((x))
#else
#define RC_ANNOTATE(x)
#endif
#define RC_CAPABILITY(name) RC_ANNOTATE(capability(name))
#define RC_SCOPED_CAPABILITY RC_ANNOTATE(scoped_lockable)
#define RC_GUARDED_BY(mutex) RC_ANNOTATE(guarded_by(mutex))
#define RC_REQUIRES(...) RC_ANNOTATE(requires_capability(__VA_ARGS__))
#define RC_EXCLUDES(...) RC_ANNOTATE(locks_excluded(__VA_ARGS__))
#define RC_ACQUIRE(...) RC_ANNOTATE(acquire_capability(__VA_ARGS__))
#define RC_RELEASE(...) RC_ANNOTATE(release_capability(__VA_ARGS__))
#define RC_NO_THREAD_SAFETY_ANALYSIS RC_ANNOTATE(no_thread_safety_analysis)

namespace robot_council::base {

class CondVar;

class RC_CAPABILITY("mutex") Mutex {
 public:
  void lock() RC_ACQUIRE() { mu_.lock(); }
  void unlock() RC_RELEASE() { mu_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mu_;
};

class RC_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) RC_ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() RC_RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  MutexLock(MutexLock&&) = delete;
  MutexLock& operator=(MutexLock&&) = delete;

 private:
  Mutex& mu_;
};

// Waits are loops over a condition, written by the caller with the mutex held:
//   while (!ready_) { if (!changed_.wait_until(mu_, deadline)) { break; } }
class CondVar {
 public:
  void notify_one() { cv_.notify_one(); }
  void notify_all() { cv_.notify_all(); }
  void wait(Mutex& mu) RC_REQUIRES(mu) RC_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // False when the deadline passed; the condition may hold all the same.
  bool wait_until(Mutex& mu, std::chrono::steady_clock::time_point deadline)
      RC_REQUIRES(mu) RC_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    const bool in_time = cv_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }

 private:
  std::condition_variable cv_;
};

}  // namespace robot_council::base
