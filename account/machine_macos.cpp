#include <unistd.h>
#include <uuid/uuid.h>

#include <array>
#include <ctime>
#include <string>

#include "account/identity.hpp"

namespace robot_council::account {

Machine this_machine() {
  constexpr std::size_t kMaxHostName = 256;
  Machine machine;
  std::array<char, kMaxHostName> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) {
    machine.host_name = name.data();
  }
  uuid_t id{};
  const timespec wait{1, 0};
  if (::gethostuuid(id, &wait) == 0) {
    std::array<char, 37> text{};  // uuid_unparse(3): 36 characters and NUL
    ::uuid_unparse_lower(id, text.data());
    machine.id = text.data();
  }
  return machine;
}

}  // namespace robot_council::account
