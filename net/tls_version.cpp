#include "net/tls_version.hpp"

#include <openssl/crypto.h>

namespace robot_council::net {

std::string tls_version() {
  return ::OpenSSL_version(OPENSSL_VERSION);
}

}  // namespace robot_council::net
