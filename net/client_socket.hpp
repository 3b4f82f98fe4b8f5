#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "net/patience.hpp"
#include "net/url.hpp"

namespace robot_council::net {

// A connection to one service, plain or TLS. TLS: 1.2 at least, the certificate always checked
// against the system's authorities (OpenSSL's default paths; SSL_CERT_FILE and SSL_CERT_DIR
// override them) and the host of the URL. Not for several threads at once.
class ClientSocket {
 public:
  // timeout, refused (nobody listens, cancelled), io (no such name, certificate refused, TLS).
  [[nodiscard]] static base::Result<ClientSocket> open(const Url& url, const Patience& patience);
  // 0 = orderly end; a TLS peer that ends without its closing alert is an io error: somebody may
  // have cut it.
  [[nodiscard]] base::Result<std::size_t> read_some(std::span<char> into, const Patience& patience);
  [[nodiscard]] base::Result<std::size_t> write_some(std::string_view bytes,
                                                     const Patience& patience);

 private:
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  explicit ClientSocket(base::Fd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] base::Status start_tls(const std::string& host, const Patience& patience);
  // After an SSL call that did not succeed: waits for what it wants, or tells what failed.
  [[nodiscard]] base::Status after_ssl(int returned, const Patience& patience);

  base::Fd fd_;
  std::unique_ptr<SSL, FreeSsl> ssl_;
};

}  // namespace robot_council::net
