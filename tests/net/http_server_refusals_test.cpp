#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "net/http_server.hpp"
#include "net/limits.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

// Each known weakness of the HTTP library, sent over a raw socket to the running server.
namespace robot_council::net {
namespace {

using base::Milliseconds;
using test::ask;
using test::Peer;
using test::request;
using test::Running;
using test::status_of;

HandlerResult show(const ServerRequest& asked) {
  ServerResponse response;
  response.content_type = "text/plain";
  response.body = asked.peer + "\n" + asked.body + "\n";
  for (const auto& [name, value] : asked.headers) {
    response.body += name + "=" + value + "\n";
  }
  return response;
}

class Refusals : public ::testing::Test {
 protected:
  Refusals() {
    running_.server->route("GET", "/x", show);
    running_.server->route("POST", "/x", show);
    running_.server->route("GET", "/throws", [](const ServerRequest&) -> HandlerResult {
      throw std::runtime_error("secret text");
    });
    running_.server->route("GET", "/throws-int",
                           [](const ServerRequest&) -> HandlerResult { throw 7; });
    running_.server->route("GET", "/splits", [](const ServerRequest& asked) -> HandlerResult {
      ServerResponse response;
      response.headers.emplace_back("X-Echo", asked.query_value("v").value_or(""));
      return response;
    });
    running_.start();
  }
  int status(std::string_view line, std::string_view lines = {}, std::string_view body = {}) {
    return status_of(ask(running_.port, request(running_.port, line, lines, body)));
  }
  Running running_;
};

// Acceptance 56.
TEST_F(Refusals, ForeignHost421ForeignOrigin403) {
  EXPECT_EQ(status_of(ask(running_.port, "GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n")), 421);
  EXPECT_EQ(status("GET /x", "Origin: null\r\n"), 403);
  EXPECT_EQ(status("GET /x", "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status("GET /x", "Origin: http://localhost:" + std::to_string(running_.port) + "\r\n"),
            200);
  const std::string foreign =
      ask(running_.port, request(running_.port, "GET /x", "Origin: null\r\n"));
  EXPECT_EQ(foreign.find("Access-Control"), std::string::npos);
}

// Acceptance 56: 65,537 bytes 413, chunked 501.
TEST_F(Refusals, ChunkedBodyDoesNotPassTheLimit) {
  EXPECT_EQ(status("POST /x", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"), 501);
  EXPECT_EQ(status("POST /x", "Transfer-Encoding: chunked\r\n", "-2\r\n"), 501);
  EXPECT_EQ(status("POST /x", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "abc"), 501);
}

TEST_F(Refusals, GzipBodyIsNotUnpacked) {
  EXPECT_EQ(status("POST /x", "Content-Encoding: gzip\r\nContent-Length: 3\r\n", "\x1f\x8b\x08"),
            501);
}

TEST_F(Refusals, OversizedBodyIsRefusedBeforeItIsRead) {
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "POST /x", "Content-Length: 65537\r\n")));
  EXPECT_EQ(status_of(peer.read_until("\r\n\r\n")), 413) << "not one byte of the body was sent";
  EXPECT_EQ(status("POST /x", "Content-Length: 65536\r\n", std::string(65536, 'b')), 200);
}

TEST_F(Refusals, RefusalReachesAPeerThatStillSends) {
  for (int round = 0; round < 20; ++round) {
    Peer peer(running_.port);
    ASSERT_TRUE(peer.send(request(running_.port, "POST /x", "Content-Length: 200000\r\n")));
    // In pieces: each would be answered with a reset by a connection that was closed.
    for (int piece = 0; piece < 20; ++piece) {
      ASSERT_TRUE(peer.send(std::string(10000, 'b'))) << "piece " << piece;
      (void)base::wait_writable(peer.fd(), base::deadline_in(Milliseconds(1)));
    }
    bool reset = false;
    EXPECT_EQ(status_of(peer.read_all(Milliseconds(10000), &reset)), 413);
    EXPECT_FALSE(reset);
  }
}

TEST_F(Refusals, EndlessSenderIsCutOff) {
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "POST /x", "Content-Length: 999999999\r\n")));
  const auto begin = std::chrono::steady_clock::now();
  while (peer.send(std::string(65536, 'b'))) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(10)));
  }
}

TEST_F(Refusals, TwoContentLengths400) {
  EXPECT_EQ(status("POST /x", "Content-Length: 1\r\nContent-Length: 2\r\n", "ab"), 400);
  EXPECT_EQ(status("POST /x", "Content-Length: 1\r\nContent-Length: 1\r\n", "a"), 400);
}

TEST_F(Refusals, MissingLength411BodyOnGet400) {
  EXPECT_EQ(status("POST /x"), 411);
  EXPECT_EQ(status("GET /x", "Content-Length: 1\r\n", "a"), 400);
}

TEST_F(Refusals, HeaderFloods431) {
  std::string lines;
  for (int i = 0; i < 40000; ++i) {
    lines += "X: y\r\n";
  }
  EXPECT_EQ(status("GET /x", lines), 431);
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "GET /x").substr(0, 20)));
  (void)peer.send("\r\nX: " + std::string(std::size_t{1} << 20U, 'a'));
  EXPECT_EQ(status_of(peer.read_all()), 431) << "a line without an end";
}

TEST_F(Refusals, ControlBytes400AndEncodedOnesStayEncoded) {
  EXPECT_EQ(status("GET /x", std::string_view("X: a\0b\r\n", 8)), 400);
  EXPECT_EQ(status_of(ask(running_.port, "GET /x HTTP/1.1\nHost: a\n\n")), 400);
  const std::string shown =
      ask(running_.port, request(running_.port, "GET /x", "X: a%0d%0aEvil: 1\r\n"));
  EXPECT_EQ(status_of(shown), 200);
  EXPECT_NE(shown.find("X=a%0d%0aEvil: 1\n"), std::string::npos) << shown;
}

TEST_F(Refusals, RemoteAddrHeaderShadowsNothing) {
  const std::string shown =
      ask(running_.port,
          request(running_.port, "GET /x", "REMOTE_ADDR: 9.9.9.9\r\nX-Forwarded-For: 9.9.9.9\r\n"));
  EXPECT_NE(shown.find("\r\n\r\n127.0.0.1\n"), std::string::npos) << shown;
}

TEST_F(Refusals, RangeAndAcceptEncodingChangeNoAnswer) {
  const std::string plain = ask(running_.port, request(running_.port, "GET /x"));
  const std::string shown = ask(
      running_.port,
      request(running_.port, "GET /x", "Range: bytes=0-1,3-4\r\nAccept-Encoding: gzip, br\r\n"));
  EXPECT_EQ(status_of(shown), 200);
  EXPECT_EQ(shown.find("Content-Encoding"), std::string::npos);
  EXPECT_NE(shown.find("Range=bytes=0-1,3-4\n"), std::string::npos) << shown;
  EXPECT_EQ(plain.find("Accept-Ranges"), std::string::npos);
}

TEST_F(Refusals, FormBodyIsNoQuery) {
  const std::string shown =
      ask(running_.port, request(running_.port, "POST /x",
                                 "Content-Type: application/x-www-form-urlencoded\r\n"
                                 "Content-Length: 3\r\n",
                                 "a=b"));
  EXPECT_NE(shown.find("\na=b\n"), std::string::npos) << shown;
}

TEST_F(Refusals, NoExceptionTextLeaves) {
  for (const char* line : {"GET /throws", "GET /throws-int"}) {
    const std::string shown = ask(running_.port, request(running_.port, line));
    EXPECT_EQ(status_of(shown), 500);
    EXPECT_NE(shown.find("{\"message\":\"The service failed.\"}"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("secret"), std::string::npos);
    EXPECT_EQ(shown.find("EXCEPTION"), std::string::npos);
  }
  EXPECT_TRUE(running_.log.contains("a request failed inside the service"));
  EXPECT_FALSE(running_.log.contains("secret"));
}

TEST_F(Refusals, AnswerHeaderIsNotSplit) {
  const std::string shown =
      ask(running_.port, request(running_.port, "GET /splits?v=a%0d%0aSet-Cookie:%20b"));
  EXPECT_EQ(status_of(shown), 500);
  EXPECT_EQ(shown.find("Set-Cookie"), std::string::npos);
  EXPECT_NE(ask(running_.port, request(running_.port, "GET /splits?v=a")).find("X-Echo: a\r\n"),
            std::string::npos);
}

TEST_F(Refusals, OneRequestAConnection) {
  const std::string both =
      ask(running_.port, request(running_.port, "GET /x", "Connection: keep-alive\r\n") +
                             request(running_.port, "GET /x"));
  EXPECT_EQ(status_of(both), 200);
  EXPECT_EQ(both.find("HTTP/1.1", 1), std::string::npos) << "the second is not answered";
  EXPECT_NE(both.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(Refusals, ExpectContinueIsAnswered) {
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(
      request(running_.port, "POST /x", "Content-Length: 3\r\nExpect: 100-continue\r\n")));
  EXPECT_EQ(peer.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(peer.send("abc"));
  EXPECT_EQ(status_of(peer.read_all()), 200);
}

TEST_F(Refusals, HalfClosedPeerIsStillAnswered) {
  Peer peer(running_.port);
  ASSERT_TRUE(peer.send(request(running_.port, "GET /x")));
  peer.finish_sending();
  EXPECT_EQ(status_of(peer.read_all()), 200);
}

TEST_F(Refusals, RequestInSinglePiecesIsServed) {
  Peer peer(running_.port);
  for (const char byte : request(running_.port, "POST /x", "Content-Length: 3\r\n", "abc")) {
    ASSERT_TRUE(peer.send({&byte, 1}));
  }
  EXPECT_NE(peer.read_all().find("\nabc\n"), std::string::npos);
}

TEST(RefusalsOfServer, IncompleteRequestIsDroppedWithoutAnAnswer) {
  ServerOptions options;
  options.incomplete = Milliseconds(200);
  Running running(options);
  running.server->route("POST", "/x", show);
  running.start();
  for (const std::string& begun :
       {std::string(), std::string("GET"),
        request(running.port, "POST /x", "Content-Length: 3\r\n", "ab")}) {
    Peer peer(running.port);
    ASSERT_TRUE(peer.send(begun));
    EXPECT_EQ(peer.read_all(), "");
  }
}

TEST(RefusalsOfServer, DrippingRequestIsDroppedInTimeToo) {
  ServerOptions options;
  options.incomplete = Milliseconds(300);
  Running running(options);
  running.start();
  Peer peer(running.port);
  const auto begin = std::chrono::steady_clock::now();
  while (peer.send("x")) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, test::allowed(std::chrono::seconds(5)));
    (void)base::wait_readable(peer.fd(), base::deadline_in(Milliseconds(10)));
  }
}

// Service contract 8.2: behind a proxy.
TEST(RefusalsOfServer, BehindAProxyThePeerIsTheLastHop) {
  ServerOptions options;
  options.behind_proxy = true;
  options.more_hosts = {"Fleet.example.org"};
  options.more_origins = {"https://fleet.example.org"};
  Running running(options);
  running.server->route("GET", "/x", show);
  running.start();
  const std::string shown =
      ask(running.port,
          "GET /x HTTP/1.1\r\nHost: fleet.example.org\r\nOrigin: https://fleet.example.org\r\n"
          "X-Forwarded-For: 1.1.1.1, 203.0.113.5\r\nREMOTE_ADDR: 9.9.9.9\r\n\r\n");
  EXPECT_NE(shown.find("\r\n\r\n203.0.113.5\n"), std::string::npos) << shown;
  EXPECT_NE(ask(running.port, request(running.port, "GET /x")).find("\r\n\r\n127.0.0.1\n"),
            std::string::npos);
}

// Acceptance 55.
TEST(RefusalsOfServer, OtherAddressesOnlyBehindAProxy) {
  base::MemoryLog log;
  for (const char* host : {"0.0.0.0", "::", "192.0.2.1"}) {
    ServerOptions options;
    options.host = host;
    const auto opened = HttpServer::open(options, log);
    ASSERT_FALSE(opened.ok()) << host;
    EXPECT_EQ(opened.error().code, base::Errc::refused);
  }
  ServerOptions options;
  options.host = "0.0.0.0";
  options.behind_proxy = true;
  EXPECT_TRUE(HttpServer::open(options, log).ok());
  options.host = "fleet.example.org";
  const auto named = HttpServer::open(options, log);
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().code, base::Errc::invalid);
}

TEST(RefusalsOfServer, TakenPortIsBusy) {
  base::MemoryLog log;
  Running first;
  ServerOptions options;
  options.port = first.port;
  const auto second = HttpServer::open(options, log);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, base::Errc::busy);
  EXPECT_EQ(second.error().what,
            "cannot listen on 127.0.0.1:" + std::to_string(first.port) + ": the port is taken");
  first.server.reset();
  EXPECT_TRUE(HttpServer::open(options, log).ok()) << "free at once";
}

TEST(RefusalsOfServer, ListensOnIpv6Loopback) {
  ServerOptions options;
  options.host = "::1";
  base::MemoryLog log;
  auto opened = HttpServer::open(options, log);
  if (!opened.ok()) {
    GTEST_SKIP() << "no IPv6 loopback here: " << opened.error().what;
  }
  HttpServer& server = **opened;
  server.route("GET", "/x", show);
  ASSERT_TRUE(server.start().ok());
  base::Result<HttpClient> client =
      HttpClient::open(*parse_url("http://[::1]:" + std::to_string(server.port())), ClientLimits{});
  ASSERT_TRUE(client.ok());
  ClientRequest asked;
  asked.target = "/x";
  const auto got = client->send(asked, test::in_time());
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_EQ(got->body.substr(0, 4), "::1\n");
}

}  // namespace
}  // namespace robot_council::net
