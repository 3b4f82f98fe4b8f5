#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "net/http_client.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

namespace robot_council::net {
namespace {

using base::Errc;
using base::Milliseconds;

// Certificates made for these tests: an authority that SSL_CERT_FILE names, one for localhost from
// it, one for another host from it, one that is over, and one that signed itself.
class Tls : public ::testing::Test {
 public:
  static void SetUpTestSuite() {
    folder_ = new test::TempDir();
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=authority "
        "-keyout ca.key -out ca.pem");
    test::write_text(*folder_ / "ca.cnf",
                     "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
                     "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n");
    test::write_text(*folder_ / "index", "");
    test::write_text(*folder_ / "serial", "01\n");
    certify("good", "DNS:localhost,IP:127.0.0.1", "-days 2");
    certify("other", "DNS:fleet.example.org", "-days 2");
    certify("old", "DNS:localhost", "-startdate 20200101000000Z -enddate 20200102000000Z");
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=localhost "
        "-addext subjectAltName=DNS:localhost -keyout self.key -out self.pem");
    // Before the first TLS call of this process: the authorities are read once.
    ::setenv("SSL_CERT_FILE", (*folder_ / "ca.pem").c_str(), 1);
    ::setenv("SSL_CERT_DIR", folder_->path().c_str(), 1);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

 protected:
  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  static void run(const std::string& command) {
    const test::Ran ran = test::run({"/bin/sh", "-c", command}, {}, {}, folder_->path());
    if (ran.code != 0) {
      // A failure of a suite's set-up makes gtest skip its tests, which would look like a choice.
      std::cerr << command << "\n" << ran.err << std::endl;
      std::abort();
    }
  }
  static void certify(const std::string& name, const std::string& names, const std::string& when) {
    run("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name +
        " -keyout " + name + ".key -out " + name + ".csr");
    run("printf 'subjectAltName=" + names + "\\n' > " + name + ".ext");
    run("openssl ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key -in " + name +
        ".csr " + when + " -extfile " + name + ".ext -out " + name + ".pem");
  }

  // A TLS server with that certificate; `script` runs after the handshake.
  static std::unique_ptr<test::RawServer> server(const std::string& name,
                                                 std::function<void(SSL*)> script,
                                                 int max_version = 0) {
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), FreeContext());
    EXPECT_EQ(SSL_CTX_use_certificate_file(context.get(), (*folder_ / (name + ".pem")).c_str(),
                                           SSL_FILETYPE_PEM),
              1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), (*folder_ / (name + ".key")).c_str(),
                                          SSL_FILETYPE_PEM),
              1);
    if (max_version != 0) {
      SSL_CTX_set_security_level(context.get(), 0);
      SSL_CTX_set_min_proto_version(context.get(), max_version);
      SSL_CTX_set_max_proto_version(context.get(), max_version);
    }
    return std::make_unique<test::RawServer>([context, script = std::move(script)](int fd) {
      const std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context.get()));
      SSL_set_fd(ssl.get(), fd);
      if (SSL_accept(ssl.get()) == 1) {
        script(ssl.get());
      }
    });
  }
  static void answer(SSL* ssl) {
    char request[4096];
    (void)SSL_read(ssl, request, sizeof request);
    const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    (void)SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()));
    SSL_shutdown(ssl);
  }
  static base::Result<ClientResponse> get(std::uint16_t port, const std::string& host = "localhost",
                                          Milliseconds limit = test::kInTime) {
    base::Result<HttpClient> client = HttpClient::open(
        *parse_url("https://" + host + ":" + std::to_string(port)), ClientLimits{});
    ClientRequest request;
    request.target = "/";
    return client->send(request, base::deadline_in(limit));
  }

  static test::TempDir* folder_;
};
test::TempDir* Tls::folder_ = nullptr;

TEST_F(Tls, CertificateOfAKnownAuthorityIsTaken) {
  const auto running = server("good", answer);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const base::Result<ClientResponse> got = get(running->port(), host);
    ASSERT_TRUE(got.ok()) << host << ": " << got.error().what;
    EXPECT_EQ(got->body, "ok");
  }
}

TEST_F(Tls, SelfSignedLoopbackServerIsRefusedBeforeAnythingIsSent) {
  std::atomic<int> served{0};
  const auto running = server("self", [&served](SSL* ssl) {
    char request[16];
    served += SSL_read(ssl, request, sizeof request) > 0 ? 1 : 0;
  });
  const base::Result<ClientResponse> got = get(running->port());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::io);
  EXPECT_NE(got.error().what.find("its certificate was refused (self"), std::string::npos)
      << got.error().what;
  EXPECT_EQ(served, 0);
}

TEST_F(Tls, CertificateOfAnotherHostIsRefused) {
  const auto running = server("other", answer);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const base::Result<ClientResponse> got = get(running->port(), host);
    ASSERT_FALSE(got.ok()) << host;
    EXPECT_NE(got.error().what.find("its certificate was refused"), std::string::npos)
        << got.error().what;
  }
}

TEST_F(Tls, CertificateThatIsOverIsRefused) {
  const auto running = server("old", answer);
  const base::Result<ClientResponse> got = get(running->port());
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().what.find("expired"), std::string::npos) << got.error().what;
}

TEST_F(Tls, OldProtocolVersionIsRefused) {
  const auto running = server("good", answer, TLS1_1_VERSION);
  const base::Result<ClientResponse> got = get(running->port());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::io);
}

TEST_F(Tls, BodyWithoutLengthThatIsCutIsNoAnswer) {
  const auto running = server("good", [](SSL* ssl) {
    char request[4096];
    (void)SSL_read(ssl, request, sizeof request);
    const std::string bytes = "HTTP/1.1 200 OK\r\n\r\nhalf";
    (void)SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()));
    ::shutdown(SSL_get_fd(ssl), SHUT_RDWR);  // no closing alert
  });
  const base::Result<ClientResponse> got = get(running->port());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::io);
}

TEST_F(Tls, DeadlineCountsInHandshakeAndAnswer) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<bool> over{false};
  const test::RawServer silent(
      [&over](int) { (void)test::wait_until([&over] { return over.load(); }); });
  base::Result<ClientResponse> got = get(silent.port(), "localhost", Milliseconds(200));
  over = true;
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::timeout) << got.error().what;

  const test::RawServer dripping([](int fd) {
    const std::string header("\x16\x03\x03\x10\x00\x02\x00\x0f\xfc",
                             9);  // a handshake record of 4 KiB, begun
    test::write_text(fd, header);
    while (::send(fd, "x", 1, MSG_NOSIGNAL) == 1) {
      (void)base::wait_writable(fd, base::deadline_in(Milliseconds(5)));
      std::this_thread::yield();
    }
  });
  got = get(dripping.port(), "localhost", Milliseconds(200));
  ASSERT_FALSE(got.ok());

  const auto endless = server("good", [](SSL* ssl) {
    char request[4096];
    (void)SSL_read(ssl, request, sizeof request);
    const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
    (void)SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()));
    while (SSL_write(ssl, "x", 1) == 1) {
      (void)base::wait_readable(SSL_get_fd(ssl), base::deadline_in(Milliseconds(5)));
    }
  });
  got = get(endless->port(), "localhost", Milliseconds(300));
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::timeout) << got.error().what;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::allowed(Milliseconds(5000)));
}

TEST_F(Tls, PlainServerIsNoTlsServer) {
  const test::RawServer plain([](int fd) {
    test::read_request(fd);
    test::write_text(fd, "HTTP/1.1 200 OK\r\n\r\n");
  });
  const test::RawServer html(
      [](int fd) { test::write_text(fd, "HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const base::Result<ClientResponse> got = get(html.port());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::io);
}

TEST_F(Tls, CancelEndsAHandshake) {
  std::atomic<bool> connected{false};
  std::atomic<bool> over{false};
  const test::RawServer silent([&](int) {
    connected = true;
    (void)test::wait_until([&] { return over.load(); });
  });
  base::Result<HttpClient> client = HttpClient::open(
      *parse_url("https://localhost:" + std::to_string(silent.port())), ClientLimits{});
  std::thread canceller([&] {
    (void)test::wait_until([&] { return connected.load(); });
    client->cancel();
  });
  ClientRequest request;
  request.target = "/";
  const base::Result<ClientResponse> got = client->send(request, test::in_time());
  canceller.join();
  over = true;
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().what, "cancelled");
}

}  // namespace
}  // namespace robot_council::net
