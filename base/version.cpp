#include "base/version.hpp"

#ifndef RC_RELEASE_VERSION
#define RC_RELEASE_VERSION ""
#endif

namespace robot_council::base {

std::string_view version() {
  // NOLINTNEXTLINE(readability-redundant-string-init): a release gives text that is not empty
  constexpr std::string_view kRelease = RC_RELEASE_VERSION;
  if (kRelease.empty()) {
    return "unreleased";
  }
  return "v" RC_RELEASE_VERSION;
}

}  // namespace robot_council::base
