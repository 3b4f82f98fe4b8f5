#pragma once

#include <string>
#include <thread>

#include "base/fd.hpp"

namespace robot_council::test {

// Mounts of this process alone, which only root can make; `why_not()` says why there is none.
class OddMount {
 public:
  enum class Kind : unsigned char {
    tmpfs,
    read_only_tmpfs,
    empty_fuse,    // a file system in user space: one empty folder
    hanging_fuse,  // the same, but nobody answers: whoever looks at it waits until it is killed
  };
  OddMount(Kind kind, std::string place);
  ~OddMount();
  OddMount(const OddMount&) = delete;
  OddMount& operator=(const OddMount&) = delete;
  OddMount(OddMount&&) = delete;
  OddMount& operator=(OddMount&&) = delete;
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  void answer();
  std::string place_;
  std::string why_not_;
  base::Fd device_;
  std::thread thread_;
};

}  // namespace robot_council::test
