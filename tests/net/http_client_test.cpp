#include "net/http_client.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "net/limits.hpp"
#include "net/listener.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

namespace robot_council::net {
namespace {

using base::Errc;
using base::Milliseconds;
using std::chrono::steady_clock;
using test::RawServer;
using test::read_request;
using test::write_text;

HttpClient client_of(std::uint16_t port, ClientLimits limits = {}) {
  base::Result<HttpClient> client =
      HttpClient::open(*parse_url("http://127.0.0.1:" + std::to_string(port)), limits);
  EXPECT_TRUE(client.ok());
  return std::move(client).value();
}

base::Result<ClientResponse> get(std::uint16_t port, Milliseconds limit = test::kInTime,
                                 ClientLimits limits = {}) {
  ClientRequest request;
  request.target = "/t?token=hidden";
  request.headers = {{"Authorization", "Bearer hidden"}};
  HttpClient client = client_of(port, limits);
  base::Result<ClientResponse> got = client.send(request, base::deadline_in(limit));
  if (!got.ok()) {
    EXPECT_EQ(got.error().what.find("hidden"), std::string::npos)
        << "a secret in: " << got.error().what;
  }
  return got;
}

// A server that answers each request with these bytes and closes.
std::function<void(int)> answers(std::string bytes) {
  return [bytes = std::move(bytes)](int fd) {
    read_request(fd);
    write_text(fd, bytes);
  };
}

TEST(HttpClient, SendsWhatItWasGivenAndNothingElse) {
  std::string seen;
  const auto seeing = [&seen](int fd) {
    seen = read_request(fd);
    write_text(fd, "HTTP/1.1 204 No Content\r\n\r\n");
  };
  {
    const RawServer server(seeing);
    HttpClient client = client_of(server.port());
    ClientRequest request;
    request.target = "/p%20q/a+b,c;d'e?x=%2B+y";
    request.headers = {{"Accept", "application/json"}, {"X-Two", "a"}, {"X-Two", "b"}};
    ASSERT_TRUE(client.send(request, test::in_time()).ok());
    EXPECT_EQ(seen.substr(0, seen.find("\r\n")), "GET /p%20q/a+b,c;d'e?x=%2B+y HTTP/1.1");
    EXPECT_NE(seen.find("\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"),
              std::string::npos)
        << seen;
    EXPECT_NE(seen.find("\r\nAccept: application/json\r\n"), std::string::npos);
    EXPECT_NE(seen.find("\r\nX-Two: a\r\n"), std::string::npos);
    EXPECT_NE(seen.find("\r\nX-Two: b\r\n"), std::string::npos);
    EXPECT_NE(seen.find("\r\nConnection: close\r\n"), std::string::npos);
    EXPECT_NE(seen.find("\r\nAccept-Encoding: identity\r\n"), std::string::npos);
    EXPECT_EQ(seen.find("gzip"), std::string::npos);
    EXPECT_EQ(seen.find("httplib"), std::string::npos);
    EXPECT_EQ(seen.find("Content-Length"), std::string::npos);
    request.method = "POST";
    ASSERT_TRUE(client.send(request, test::in_time()).ok());
    EXPECT_NE(seen.find("\r\nContent-Length: 0\r\n"), std::string::npos) << seen;
    request.body = "{\"a\":1}";
    ASSERT_TRUE(client.send(request, test::in_time()).ok());
    EXPECT_NE(seen.find("\r\nContent-Length: 7\r\n"), std::string::npos) << seen;
    EXPECT_NE(seen.find("\r\nContent-Type: application/json\r\n"), std::string::npos) << seen;
    EXPECT_EQ(seen.substr(seen.size() - 7), "{\"a\":1}");
  }
}

// The client has no way around a proxy, so the environment must not give it one.
TEST(HttpClient, ProxiesOfTheEnvironmentAreNotAsked) {
  std::atomic<int> asked{0};
  const RawServer proxy([&asked](int) { ++asked; });
  const std::string url = "http://127.0.0.1:" + std::to_string(proxy.port());
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"}) {
    ::setenv(name, url.c_str(), 1);
  }
  const RawServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const base::Result<ClientResponse> got = get(server.port());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->body, "ok");
  EXPECT_EQ(asked, 0);
  for (const char* name : {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"}) {
    ::unsetenv(name);
  }
}

TEST(HttpClient, AnyStatusIsAResponse) {
  for (const int status : {200, 201, 302, 400, 401, 404, 409, 419, 429, 500, 502, 503}) {
    const RawServer server(answers(
        "HTTP/1.1 " + std::to_string(status) +
        " Word\r\nRetry-After: 5\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"));
    const base::Result<ClientResponse> got = get(server.port());
    ASSERT_TRUE(got.ok()) << status << ": " << got.error().what;
    EXPECT_EQ(got->status, status);
    EXPECT_EQ(got->body, "<html>");
    EXPECT_EQ(got->header("retry-after"), "5");
    EXPECT_EQ(got->header("nothing"), std::nullopt);
  }
}

// Service contract 7: follows no redirect (and carries no credential there).
TEST(HttpClient, FollowsNoRedirect) {
  std::atomic<int> asked{0};
  const RawServer other([&asked](int) { ++asked; });
  for (const int status : {301, 302, 303, 307, 308}) {
    const RawServer server(
        answers("HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: http://127.0.0.1:" +
                std::to_string(other.port()) + "/\r\nContent-Length: 0\r\n\r\n"));
    const base::Result<ClientResponse> got = get(server.port());
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(got->status, status);
  }
  EXPECT_EQ(asked, 0);
}

TEST(HttpClient, ReadsChunkedAndUnmeasuredBodies) {
  const RawServer chunked(answers(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"));
  EXPECT_EQ(get(chunked.port())->body, "abcde");
  const RawServer unmeasured(answers("HTTP/1.1 200 OK\r\n\r\nto the end"));
  EXPECT_EQ(get(unmeasured.port())->body, "to the end");
  const RawServer none(answers("HTTP/1.1 204 No Content\r\n\r\n"));
  EXPECT_EQ(get(none.port())->status, 204);
}

TEST(HttpClient, UnpacksNothing) {
  const RawServer server(answers(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"));
  const base::Result<ClientResponse> got = get(server.port());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->body, "\x1f\x8b\x08");
}

TEST(HttpClient, CutAnswerIsAnIoError) {
  for (const char* bytes :
       {"", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "HTTP/1.1 200 OK\r\nConte",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", "HTTP/1.1 20"}) {
    const RawServer server(answers(bytes));
    const base::Result<ClientResponse> got = get(server.port());
    ASSERT_FALSE(got.ok()) << bytes;
    EXPECT_EQ(got.error().code, Errc::io) << bytes;
  }
}

TEST(HttpClient, WhatIsNoHttpIsAnIoError) {
  for (const char* bytes : {"<html>hello</html>\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\r\n\r\n",
                            "HTTP/9.9 abc\r\n\r\n"}) {
    const RawServer server(answers(bytes));
    const base::Result<ClientResponse> got = get(server.port());
    ASSERT_FALSE(got.ok()) << bytes;
    EXPECT_EQ(got.error().code, Errc::io) << bytes;
  }
}

TEST(HttpClient, OversizedAnswersAreInvalid) {
  ClientLimits limits;
  limits.max_body = 1000;
  const std::string body(1001, 'x');
  for (const std::string& bytes :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + body, "HTTP/1.1 200 OK\r\n\r\n" + body,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + body + "\r\n0\r\n\r\n",
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")}) {
    const RawServer server(answers(bytes));
    const base::Result<ClientResponse> got = get(server.port(), Milliseconds(5000), limits);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code, Errc::invalid);
    EXPECT_EQ(got.error().what, "the answer is over 1000 bytes");
  }
  const RawServer server(
      answers("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + body.substr(1)));
  EXPECT_TRUE(get(server.port(), Milliseconds(5000), limits).ok());
}

TEST(HttpClient, EndlessAnswersAreCutOff) {
  const auto endless = [](std::string start, std::string again) {
    return [start = std::move(start), again = std::move(again)](int fd) {
      read_request(fd);
      write_text(fd, start);
      while (::send(fd, again.data(), again.size(), MSG_NOSIGNAL) > 0) {
      }
    };
  };
  const std::string lots(10000, 'x');
  for (const auto& [start, again] : std::vector<std::pair<std::string, std::string>>{
           {"HTTP/1.1 200 ", lots},                                             // a status line
           {"HTTP/1.1 200 OK\r\nX: ", lots},                                    // a header
           {"HTTP/1.1 200 OK\r\n", "X: y\r\n"},                                 // many headers
           {"HTTP/1.1 200 OK\r\n\r\n", lots},                                   // a body
           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", lots}}) {  // a chunk's size
    const RawServer server(endless(start, again));
    const base::Result<ClientResponse> got = get(server.port(), Milliseconds(20000));
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.error().code, Errc::timeout) << start << got.error().what;
  }
}

TEST(HttpClient, SilentServerTimesOut) {
  std::atomic<bool> over{false};
  const RawServer server([&over](int fd) {
    read_request(fd);
    (void)test::wait_until([&over] { return over.load(); });
  });
  const auto begin = steady_clock::now();
  const base::Result<ClientResponse> got = get(server.port(), Milliseconds(200));
  over = true;
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::timeout);
  EXPECT_GE(steady_clock::now() - begin, Milliseconds(200));
  EXPECT_LT(steady_clock::now() - begin, test::allowed(Milliseconds(2000)));
}

// The library has no total deadline: each byte would begin its time anew.
TEST(HttpClient, DrippingServerTimesOut) {
  for (const char* start :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"}) {
    const RawServer server([start](int fd) {
      read_request(fd);
      write_text(fd, start);
      while (::send(fd, "x", 1, MSG_NOSIGNAL) == 1) {
        (void)base::wait_readable(fd, base::deadline_in(Milliseconds(5)));
      }
    });
    const auto begin = steady_clock::now();
    const base::Result<ClientResponse> got = get(server.port(), Milliseconds(300));
    ASSERT_FALSE(got.ok()) << start;
    EXPECT_EQ(got.error().code, Errc::timeout) << start;
    EXPECT_LT(steady_clock::now() - begin, test::allowed(Milliseconds(2000))) << start;
  }
}

TEST(HttpClient, PeerThatReadsNothingTimesOut) {
  std::atomic<bool> over{false};
  const RawServer server([&over](int) { (void)test::wait_until([&over] { return over.load(); }); });
  HttpClient client = client_of(server.port());
  ClientRequest request;
  request.method = "POST";
  request.target = "/";
  request.body = std::string(std::size_t{64} << 20U, 'x');
  bool written = false;
  request.on_written = [&written] { written = true; };
  const base::Result<ClientResponse> got =
      client.send(request, base::deadline_in(Milliseconds(300)));
  over = true;
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::timeout);
  EXPECT_TRUE(written) << "also when the call failed";
}

TEST(HttpClient, NobodyListensIsRefused) {
  std::uint16_t port = 0;
  {
    base::Result<base::Fd> listener = listen_on("127.0.0.1", 0);
    port = port_of(*listener).value_or(1);
  }
  const base::Result<ClientResponse> got = get(port);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::refused);
  EXPECT_EQ(got.error().what, "http://127.0.0.1:" + std::to_string(port) + ": connection refused");
}

TEST(HttpClient, ConnectTimeIsLimited) {
  // A full backlog takes no connection.
  const base::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener.get(), static_cast<const sockaddr*>(static_cast<const void*>(&name)),
                   sizeof name),
            0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  const std::uint16_t port = port_of(listener).value_or(0);
  const test::Peer first(port);
  ClientLimits limits;
  limits.connect = Milliseconds(200);
  bool timed_out = false;
  for (int i = 0; i < 4 && !timed_out; ++i) {  // some kernels take one or two more
    const auto begin = steady_clock::now();
    const base::Result<ClientResponse> got = get(port, Milliseconds(3000), limits);
    ASSERT_FALSE(got.ok());
    timed_out =
        steady_clock::now() - begin < Milliseconds(2000) && got.error().code == Errc::timeout;
  }
  EXPECT_TRUE(timed_out);
}

TEST(HttpClient, CancelEndsACallAtOnce) {
  std::atomic<bool> asked{false};
  std::atomic<bool> over{false};
  const RawServer server([&](int fd) {
    read_request(fd);
    asked = true;
    (void)test::wait_until([&] { return over.load(); });
    write_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client = client_of(server.port());
  ClientRequest request;
  request.target = "/";
  std::thread canceller([&] {
    (void)test::wait_until([&] { return asked.load(); });
    client.cancel();
  });
  const auto begin = steady_clock::now();
  base::Result<ClientResponse> got = client.send(request, test::in_time());
  canceller.join();
  EXPECT_LT(steady_clock::now() - begin, test::allowed(Milliseconds(5000)));
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, Errc::refused);
  EXPECT_EQ(got.error().what, "cancelled");
  over = true;
  got = client.send(request, test::in_time());
  ASSERT_FALSE(got.ok()) << "later calls too";
  EXPECT_EQ(got.error().what, "cancelled");
  client.reset_cancel();
  EXPECT_TRUE(client.send(request, test::in_time()).ok());
}

TEST(HttpClient, WrittenIsToldBeforeTheAnswer) {
  std::atomic<bool> told{false};
  std::atomic<int> times{0};
  const RawServer server([&](int fd) {
    const std::string seen = read_request(fd);
    EXPECT_TRUE(test::wait_until([&] { return told.load(); })) << "the answer waits for it";
    write_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  HttpClient client = client_of(server.port());
  ClientRequest request;
  request.target = "/";
  request.on_written = [&] {
    told = true;
    ++times;
  };
  EXPECT_TRUE(client.send(request, test::in_time()).ok());
  EXPECT_EQ(times, 1);
  request.target = "no slash";
  EXPECT_FALSE(client.send(request, test::in_time()).ok());
  EXPECT_EQ(times, 2) << "a call that failed tells it too";
}

TEST(HttpClient, AnswerOfAPeerThatStopsReadingIsRead) {
  const RawServer server([](int fd) {
    read_request(fd);
    write_text(fd, "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n");
    ::shutdown(fd, SHUT_WR);
    while (!read_request(fd).empty()) {
    }
  });
  HttpClient client = client_of(server.port());
  ClientRequest request;
  request.method = "POST";
  request.target = "/";
  request.body = std::string(std::size_t{4} << 20U, 'x');
  const base::Result<ClientResponse> got = client.send(request, test::in_time());
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_EQ(got->status, 413);
}

TEST(HttpClient, UnusableRequestsAreInvalidAndGoNowhere) {
  std::atomic<int> asked{0};
  const RawServer server([&asked](int) { ++asked; });
  HttpClient client = client_of(server.port());
  const auto refused = [&client](const ClientRequest& request) {
    const base::Result<ClientResponse> got = client.send(request, test::in_time());
    EXPECT_FALSE(got.ok());
    EXPECT_EQ(got.ok() ? Errc::io : got.error().code, Errc::invalid);
    EXPECT_EQ(got.ok() ? std::string::npos : got.error().what.find("hidden"), std::string::npos);
  };
  for (int code = 0; code < 0x20; ++code) {
    ClientRequest request;
    request.target = "/";
    request.headers = {{"X", "hidden" + std::string(1, static_cast<char>(code))}};
    refused(request);
  }
  for (const char* name :
       {"", "a b", "a:b", "a\r\nb", "Host", "content-length", "Transfer-Encoding", "Connection"}) {
    ClientRequest request;
    request.target = "/";
    request.headers = {{name, "hidden"}};
    refused(request);
  }
  for (const char* target :
       {"", "hidden", "/hidden b", "/hidden\r\nX: y", "/\xc3\xa4", "/a#hidden", "http://a/"}) {
    ClientRequest request;
    request.target = target;
    refused(request);
  }
  for (const char* method : {"", "GET /", "GET\r\n"}) {
    ClientRequest request;
    request.method = method;
    request.target = "/";
    refused(request);
  }
  ClientRequest request;
  request.target = "/";
  request.content_type = "a\r\nb: c";
  refused(request);
  EXPECT_EQ(asked, 0);
}

// Account acceptance 20.
TEST(HttpClient, PlainHttpElsewhereIsRefused) {
  const base::Result<HttpClient> client =
      HttpClient::open(*parse_url("http://fleet.example.test"), ClientLimits{});
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().code, Errc::refused);
}

TEST(HttpClient, EncodedLineBreaksInAnAnswersHeadersAreRemoved) {
  const RawServer server(answers("HTTP/1.1 200 OK\r\nX-A: a%0d%0ab\r\nContent-Length: 0\r\n\r\n"));
  const base::Result<ClientResponse> got = get(server.port());
  ASSERT_TRUE(got.ok());
  for (const auto& [name, value] : got->headers) {
    EXPECT_EQ(value.find_first_of("\r\n"), std::string::npos) << name;
  }
}

TEST(HttpClient, MovedClientStillWorks) {
  const RawServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  HttpClient first = client_of(server.port());
  HttpClient second = std::move(first);
  first = std::move(second);
  ClientRequest request;
  request.target = "/";
  EXPECT_EQ(first.send(request, test::in_time())->body, "ok");
}

TEST(HttpClient, LocalhostIsFoundWithoutAResolver) {
  const RawServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  base::Result<HttpClient> client = HttpClient::open(
      *parse_url("http://localhost:" + std::to_string(server.port())), ClientLimits{});
  ASSERT_TRUE(client.ok());
  ClientRequest request;
  request.target = "/";
  EXPECT_TRUE(client->send(request, test::in_time()).ok());
}

TEST(HttpClient, NameWithoutAnAddressIsAnErrorInTime) {
  base::Result<HttpClient> client =
      HttpClient::open(*parse_url("https://no-such-host.invalid"), ClientLimits{});
  ASSERT_TRUE(client.ok());
  ClientRequest request;
  request.target = "/";
  const auto begin = steady_clock::now();
  const base::Result<ClientResponse> got =
      client->send(request, base::deadline_in(Milliseconds(1000)));
  ASSERT_FALSE(got.ok());
  EXPECT_TRUE(got.error().code == Errc::io || got.error().code == Errc::timeout)
      << got.error().what;
  EXPECT_LT(steady_clock::now() - begin, test::allowed(Milliseconds(3000)));
}

}  // namespace
}  // namespace robot_council::net
