#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.hpp"

namespace robot_council::base {

// The kinds of failure that some caller reacts to. Everything else is told by Error::what.
enum class Errc : std::uint8_t {
  not_found,    // the thing named does not exist
  busy,         // another process holds it; trying again may succeed
  corrupt,      // it exists and its content is not what it must be
  refused,      // a rule or a permission forbids it
  timeout,      // the deadline passed first
  io,           // the operating system or the peer failed
  invalid,      // the input is wrong
  unsupported,  // written by a newer version, or not to be had here
};

// One failure as a value. `what` is one line without a final full stop: what failed, with what,
// why.
struct Error {
  Errc code = Errc::io;
  std::string what;
};

// An Error from errno: "<what>: <strerror>". ENOENT is not_found, EAGAIN and EBUSY busy, EACCES and
// EPERM refused, ETIMEDOUT timeout, EINVAL invalid, all else io.
[[nodiscard]] Error errno_error(std::string_view what, int error_number);
// The same with the current errno.
[[nodiscard]] Error errno_error(std::string_view what);

// A T or an Error. Reading the half that is not there is a broken invariant (RC_CHECK).
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTNEXTLINE(google-explicit-constructor): return value; is the idiom
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): return error; is the idiom
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    RC_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    RC_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    RC_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] T value_or(T other) const& { return ok() ? value() : std::move(other); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    RC_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): return error; is the idiom
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const {
    RC_CHECK(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

}  // namespace robot_council::base
