#include <unistd.h>

#include <array>
#include <string>

#include "account/identity.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace robot_council::account {

Machine this_machine() {
  constexpr std::size_t kMaxHostName = 256;  // HOST_NAME_MAX is 64 on Linux
  Machine machine;
  std::array<char, kMaxHostName> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) {
    machine.host_name = name.data();
  }
  // machine-id(5); the second place is that of systems without systemd. 32 hex digits and a
  // newline.
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    const auto text = base::read_file(path, kMaxHostName);
    if (text && !base::is_blank(*text)) {
      machine.id = std::string(base::trim(*text));
      break;
    }
  }
  return machine;
}

}  // namespace robot_council::account
