#pragma once

#include "net/httplib_checked.hpp"

namespace robot_council::net {

// What the library asks of a stream beside bytes, answered the same way by each of ours: waiting
// and its deadline are the business of read() and write().
class LibraryStream : public httplib::Stream {
 public:
  // Which of these the library declares depends on its version.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#pragma clang diagnostic ignored "-Wsuggest-override"
#endif
  // NOLINTNEXTLINE(modernize-use-override): see above
  virtual bool is_readable() const {
    return has_input();
  }
  // NOLINTNEXTLINE(modernize-use-override): see above
  virtual bool is_writable() const {
    return true;
  }
  // NOLINTNEXTLINE(modernize-use-override): see above
  virtual bool wait_readable() const {
    return true;
  }
  // NOLINTNEXTLINE(modernize-use-override): see above
  virtual bool wait_writable() const {
    return true;
  }
  // NOLINTNEXTLINE(modernize-use-override): see above
  virtual time_t duration() const {
    return 0;
  }
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
  // The library would select() on it.
  [[nodiscard]] socket_t socket() const override {
    return -1;
  }

 private:
  // Whether read() can give more.
  [[nodiscard]] virtual bool has_input() const {
    return true;
  }
};

}  // namespace robot_council::net
