#include "net/client_socket.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace robot_council::net {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeContext>;

base::Error tls_error(std::string_view what) {
  std::array<char, 256> reason{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) {
    return {base::Errc::io, std::string(what)};
  }
  ERR_error_string_n(code, reason.data(), reason.size());
  return {base::Errc::io, std::string(what) + " (" + reason.data() + ")"};
}

TlsContext make_context() {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_default_verify_paths(context.get()) != 1) {
    return nullptr;
  }
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY |
                                      SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

// One context and with it one X509_STORE for the process, never changed once made (OpenSSL counts
// its users): reading the authorities costs 24 ms and 0.9 MB, and each client would pay it again.
SSL_CTX* shared_context() {
  static const TlsContext context = make_context();
  return context.get();
}

bool is_address(const std::string& host) {
  in6_addr bytes{};
  return ::inet_pton(AF_INET, host.c_str(), &bytes) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &bytes) == 1;
}

// The name that the certificate must carry.
bool expect_host(SSL* ssl, const std::string& host) {
  if (is_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, host.c_str()) == 1 &&
         SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  std::string(host).data()) == 1;
}

int as_int(std::size_t size) {
  return static_cast<int>(std::min(size, static_cast<std::size_t>(INT_MAX)));
}

}  // namespace

base::Result<ClientSocket> ClientSocket::open(const Url& url, const Patience& patience) {
  base::Result<std::vector<Address>> addresses = resolve(url.host, url.port, patience);
  if (!addresses.ok()) {
    return addresses.error();
  }
  base::Result<base::Fd> fd = connect_to(*addresses, patience);
  if (!fd.ok()) {
    return fd.error();
  }
  ClientSocket socket(std::move(fd).value());
  if (url.tls) {
    if (base::Status started = socket.start_tls(url.host, patience); !started.ok()) {
      return started.error();
    }
  }
  return socket;
}

base::Status ClientSocket::start_tls(const std::string& host, const Patience& patience) {
  ERR_clear_error();
  SSL_CTX* context = shared_context();
  ssl_.reset(context == nullptr ? nullptr : SSL_new(context));
  if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), fd_.get()) != 1 || !expect_host(ssl_.get(), host)) {
    return tls_error("TLS cannot be set up");
  }
  while (true) {
    ERR_clear_error();
    const int done = SSL_connect(ssl_.get());
    if (done == 1) {
      return {};
    }
    const long verified = SSL_get_verify_result(ssl_.get());
    if (base::Status waited = after_ssl(done, patience); !waited.ok()) {
      if (verified != X509_V_OK && waited.error().code == base::Errc::io) {
        return base::Error{base::Errc::io, std::string("its certificate was refused (") +
                                               X509_verify_cert_error_string(verified) + ")"};
      }
      return waited;
    }
  }
}

base::Status ClientSocket::after_ssl(int returned, const Patience& patience) {
  const int saved = errno;
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return wait_for(fd_.get(), POLLIN, patience);
    case SSL_ERROR_WANT_WRITE:
      return wait_for(fd_.get(), POLLOUT, patience);
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      return saved == 0 ? base::Error{base::Errc::io, "the connection was cut off"}
                        : base::errno_error("the connection was cut off", saved);
    default:
      return tls_error("TLS failed");
  }
}

base::Result<std::size_t> ClientSocket::read_some(std::span<char> into, const Patience& patience) {
  while (true) {
    if (ssl_ != nullptr) {
      // Bytes that TLS holds already need no wait: look at the time all the same.
      if (base::Status still = check(patience); !still.ok()) {
        return still.error();
      }
      ERR_clear_error();
      errno = 0;
      const int got = SSL_read(ssl_.get(), into.data(), as_int(into.size()));
      if (got > 0) {
        return static_cast<std::size_t>(got);
      }
      if (SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN) {
        return std::size_t{0};
      }
      if (base::Status waited = after_ssl(got, patience); !waited.ok()) {
        return waited.error();
      }
      continue;
    }
    // First the wait: a peer that never stops sending must not outlive the deadline.
    if (base::Status waited = wait_for(fd_.get(), POLLIN, patience); !waited.ok()) {
      return waited.error();
    }
    const ssize_t got = ::recv(fd_.get(), into.data(), into.size(), 0);
    if (got >= 0) {
      return static_cast<std::size_t>(got);
    }
    if (errno != EAGAIN && errno != EINTR) {
      return base::errno_error("the connection was cut off");
    }
  }
}

base::Result<std::size_t> ClientSocket::write_some(std::string_view bytes,
                                                   const Patience& patience) {
  while (true) {
    if (ssl_ != nullptr) {
      ERR_clear_error();
      errno = 0;
      const int put = SSL_write(ssl_.get(), bytes.data(), as_int(bytes.size()));
      if (put > 0) {
        return static_cast<std::size_t>(put);
      }
      if (base::Status waited = after_ssl(put, patience); !waited.ok()) {
        return waited.error();
      }
      continue;
    }
    const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put >= 0) {
      return static_cast<std::size_t>(put);
    }
    if (errno != EAGAIN && errno != EINTR) {
      return base::errno_error("the connection was cut off");
    }
    if (base::Status waited = wait_for(fd_.get(), POLLOUT, patience); !waited.ok()) {
      return waited.error();
    }
  }
}

}  // namespace robot_council::net
