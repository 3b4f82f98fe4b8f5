#include "net/http_guard.hpp"

#include <gtest/gtest.h>

#include "net/limits.hpp"

namespace robot_council::net {
namespace {

GuardRules rules() {
  return {{"127.0.0.1:8787", "localhost:8787", "[::1]:8787", "fleet.example.org"},
          {"http://127.0.0.1:8787", "http://localhost:8787", "https://fleet.example.org"},
          65536};
}

// A head with our Host and these lines, each with its CR LF.
std::string head(std::string_view line, std::string_view lines = {}) {
  return std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n" + std::string(lines) + "\r\n";
}

// 0: passed.
int status(std::string_view bytes) {
  const auto guarded = guard_head(bytes, rules());
  const Refusal* refusal = std::get_if<Refusal>(&guarded);
  return refusal == nullptr ? 0 : refusal->status;
}

RequestHead passed(std::string_view bytes) {
  auto guarded = guard_head(bytes, rules());
  const Refusal* refusal = std::get_if<Refusal>(&guarded);
  EXPECT_EQ(refusal, nullptr) << refusal->status << " " << refusal->why;
  return refusal == nullptr ? std::get<RequestHead>(guarded) : RequestHead{};
}

TEST(HttpGuard, OrdinaryRequestsPass) {
  const RequestHead got = passed(head("POST /a%20b/c?x=1&y&x=a+b%26",
                                      "X-One:  a b \r\nx-one: %0d%0a\r\nContent-Length: 12\r\n"));
  EXPECT_EQ(got.method, "POST");
  EXPECT_EQ(got.target, "/a%20b/c?x=1&y&x=a+b%26");
  EXPECT_EQ(got.path, "/a b/c");
  const std::vector<std::pair<std::string, std::string>> query = {
      {"x", "1"}, {"y", ""}, {"x", "a b&"}};
  EXPECT_EQ(got.query, query);
  const Headers headers = {
      {"Host", "127.0.0.1:8787"}, {"X-One", "a b"}, {"x-one", "%0d%0a"}, {"Content-Length", "12"}};
  EXPECT_EQ(got.headers, headers);
  EXPECT_EQ(got.content_length, 12U);
  EXPECT_FALSE(got.expects_continue);
  EXPECT_EQ(passed(head("DELETE /a")).content_length, 0U);
  EXPECT_EQ(passed(head("GET /", "Content-Length: 0\r\n")).content_length, 0U);
  EXPECT_TRUE(
      passed(head("POST /", "Content-Length: 1\r\nExpect: 100-Continue\r\n")).expects_continue);
  EXPECT_FALSE(
      passed(head("POST /", "Content-Length: 0\r\nExpect: 100-continue\r\n")).expects_continue);
}

TEST(HttpGuard, HostMissingOrTwice400) {
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.0\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400);
  EXPECT_EQ(status(head("GET /", "Host: 127.0.0.1:8787\r\n")), 400);
  EXPECT_EQ(status(head("GET /", "HOST: evil.example\r\n")), 400);
}

// Acceptance 56; DNS rebinding.
TEST(HttpGuard, ForeignHost421) {
  for (const char* host :
       {"evil.example:8787", "127.0.0.1", "127.0.0.1:8788", "localhost",
        "127.0.0.1:8787.evil.example", "evil.example", "user@127.0.0.1:8787", "127.0.0.1:08787",
        "fleet.example.org:1", "127.0.0.1:8787, evil", "localhost.:8787"}) {
    EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 421) << host;
  }
  for (const char* host : {"127.0.0.1:8787", "LocalHost:8787", "[::1]:8787", "Fleet.Example.Org"}) {
    EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), 0) << host;
  }
}

TEST(HttpGuard, ForeignOrigin403AlsoNull) {
  for (const char* origin :
       {"null", "http://evil.example", "https://127.0.0.1:8787", "http://127.0.0.1",
        "http://127.0.0.1:9", "http://127.0.0.1:8787/", "", "http://127.0.0.1:8787 http://evil"}) {
    EXPECT_EQ(status(head("GET /", "Origin: " + std::string(origin) + "\r\n")), 403) << origin;
  }
  EXPECT_EQ(status(head("GET /", "Origin: http://127.0.0.1:8787\r\nOrigin: null\r\n")), 403);
  EXPECT_EQ(status(head("GET /", "Origin: http://127.0.0.1:8787\r\n")), 0);
  EXPECT_EQ(status(head("GET /", "origin: HTTPS://fleet.example.org\r\n")), 0);
}

TEST(HttpGuard, Encodings501) {
  for (const char* line :
       {"Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", "Transfer-Encoding: identity\r\n",
        "transfer-encoding:\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Content-Encoding: gzip\r\nContent-Length: 1\r\n"}) {
    EXPECT_EQ(status(head("POST /", line)), 501) << line;
  }
  EXPECT_EQ(status(head("GET /", "Transfer-Encoding: chunked\r\n")), 501);
}

TEST(HttpGuard, ContentLengthTwiceOrNoNumber400) {
  EXPECT_EQ(status(head("POST /", "Content-Length: 2\r\nContent-Length: 2\r\n")), 400);
  for (const char* length : {"", "-1", "+1", "1.0", "0x10", "1, 1", "1 1", "1e3", "one"}) {
    EXPECT_EQ(status(head("POST /", "Content-Length: " + std::string(length) + "\r\n")), 400)
        << length;
  }
}

TEST(HttpGuard, ContentLengthMissing411) {
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    EXPECT_EQ(status(head(std::string(method) + " /")), 411) << method;
  }
}

TEST(HttpGuard, BodyOnGet400) {
  EXPECT_EQ(status(head("GET /", "Content-Length: 1\r\n")), 400);
  EXPECT_EQ(status(head("HEAD /", "Content-Length: 99999999999999999999\r\n")), 400);
}

TEST(HttpGuard, BodyOverTheLimit413) {
  EXPECT_EQ(status(head("POST /", "Content-Length: 65536\r\n")), 0);
  for (const char* length :
       {"65537", "4294967296", "18446744073709551616", "99999999999999999999999999999999"}) {
    EXPECT_EQ(status(head("POST /", "Content-Length: " + std::string(length) + "\r\n")), 413)
        << length;
  }
  EXPECT_EQ(status(head("DELETE /", "Content-Length: 65537\r\n")), 413);
}

TEST(HttpGuard, Over64HeadersOr16KiB431) {
  std::string lines;
  for (std::size_t i = 1; i < kMaxRequestHeaders; ++i) {
    lines += "X: y\r\n";
  }
  EXPECT_EQ(status(head("GET /", lines)), 0);
  EXPECT_EQ(status(head("GET /", lines + "X: y\r\n")), 431);
  const std::size_t rest = kMaxRequestHead - head("GET /", "X: \r\n").size();
  EXPECT_EQ(status(head("GET /", "X: " + std::string(rest, 'x') + "\r\n")), 0);
  EXPECT_EQ(status(head("GET /", "X: " + std::string(rest + 1, 'x') + "\r\n")), 431);
}

TEST(HttpGuard, EveryControlByteAnywhere400) {
  for (int code = 0; code < 256; ++code) {
    if (code >= 0x20 && code != 0x7f) {
      continue;
    }
    const std::string byte(1, static_cast<char>(code));
    EXPECT_EQ(status(head("GET /", "X: a" + byte + "b\r\n")), 400) << code;
    EXPECT_EQ(status(head("GET /", "X" + byte + ": a\r\n")), 400) << code;
    EXPECT_EQ(status(head("GET /a" + byte)), 400) << code;
  }
  EXPECT_EQ(status("GET / HTTP/1.1\nHost: 127.0.0.1:8787\n\n"), 400);
  EXPECT_EQ(status(head("GET /", "X: \xc3\xa4\r\n")), 0) << "bytes above 0x7f are no control bytes";
}

TEST(HttpGuard, MalformedHeaders400) {
  for (const char* lines : {"no colon\r\n", ": empty name\r\n", "Na me: a\r\n", "Name : a\r\n",
                            " folded: a\r\n", "X(: a\r\n", "\xc3\xa4: a\r\n"}) {
    EXPECT_EQ(status(head("GET /", lines)), 400) << lines;
  }
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: 127.0.0.1:8787\r\n"), 400) << "without its end";
  EXPECT_EQ(status(head("GET /") + "GET / HTTP/1.1\r\n\r\n"), 400) << "two heads";
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("\r\n\r\n"), 400);
}

TEST(HttpGuard, MalformedRequestLines) {
  const std::string host = "\r\nHost: 127.0.0.1:8787\r\n\r\n";
  for (const char* line :
       {"GET", "GET /", "GET HTTP/1.1", "G@T / HTTP/1.1", " GET / HTTP/1.1", "GET / FTP/1.1",
        "GET  / HTTP/1.1", "GET / x HTTP/1.1", "GET http://127.0.0.1:8787/ HTTP/1.1",
        "GET * HTTP/1.1", "GET a HTTP/1.1", "GET /#f HTTP/1.1", "GET /\xff HTTP/1.1"}) {
    EXPECT_EQ(status(line + host), 400) << line;
  }
  EXPECT_EQ(status("GET / HTTP/2.0" + host), 505);
  EXPECT_EQ(status("GET / HTTP/1.1x" + host), 505);
  for (const char* method : {"get", "TRACE", "CONNECT", "PROPFIND"}) {
    EXPECT_EQ(status(method + (" / HTTP/1.1" + host)), 501) << method;
  }
  EXPECT_EQ(status(head("GET /" + std::string(kMaxRequestTarget - 1, 'a'))), 0);
  EXPECT_EQ(status(head("GET /" + std::string(kMaxRequestTarget, 'a'))), 414);
}

TEST(HttpGuard, BrokenEscapesAndHiddenControlBytes400) {
  for (const char* target :
       {"/%", "/%4", "/%zz", "/%0d%0aX:y", "/%00", "/a?%", "/a?x=%f", "/%7f"}) {
    EXPECT_EQ(status(head("GET " + std::string(target))), 400) << target;
  }
}

TEST(HttpGuard, UnknownExpect417) {
  EXPECT_EQ(status(head("POST /", "Content-Length: 1\r\nExpect: a pony\r\n")), 417);
}

TEST(HttpGuard, HeadEndIsFoundInAnyPieces) {
  const std::string bytes = head("POST /", "Content-Length: 3\r\n") + "abc\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto first = find_head_end(std::string_view(bytes).substr(0, cut), 0);
    ASSERT_TRUE(std::holds_alternative<std::optional<std::size_t>>(first)) << cut;
    if (!std::get<0>(first)) {
      const auto second = find_head_end(bytes, cut);
      ASSERT_TRUE(std::holds_alternative<std::optional<std::size_t>>(second)) << cut;
      EXPECT_EQ(std::get<0>(second), bytes.size() - 4) << cut;
    } else {
      EXPECT_EQ(std::get<0>(first), bytes.size() - 4) << cut;
    }
  }
}

TEST(HttpGuard, EndlessHeadAndBareLineFeedAreRefusedBeforeTheEnd) {
  const auto endless = find_head_end(std::string(kMaxRequestHead, 'x'), 0);
  ASSERT_TRUE(std::holds_alternative<Refusal>(endless));
  EXPECT_EQ(std::get<Refusal>(endless).status, 431);
  const auto bare = find_head_end("GET / HTTP/1.1\nHost", 0);
  ASSERT_TRUE(std::holds_alternative<Refusal>(bare));
  EXPECT_EQ(std::get<Refusal>(bare).status, 400);
}

TEST(HttpGuard, PeerBehindAProxyIsTheLastHop) {
  const auto peer = [](Headers headers) { return forwarded_peer(headers); };
  EXPECT_EQ(peer({}), std::nullopt);
  EXPECT_EQ(peer({{"X-Forwarded-For", "203.0.113.9"}}), "203.0.113.9");
  EXPECT_EQ(peer({{"x-forwarded-for", "1.1.1.1, 203.0.113.9"}}), "203.0.113.9");
  EXPECT_EQ(
      peer({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-For", "9.9.9.9,  198.51.100.7 "}}),
      "198.51.100.7");
  EXPECT_EQ(peer({{"X-Forwarded-For", "203.0.113.9:4711"}}), "203.0.113.9");
  EXPECT_EQ(peer({{"X-Forwarded-For", "[2001:db8::1]:4711"}}), "2001:db8::1");
  EXPECT_EQ(peer({{"X-Forwarded-For", "2001:db8::1"}}), "2001:db8::1");
  for (const char* value : {"", "unknown", "1.1.1.1, ", "1.2.3", "[::1", "[", "_hidden"}) {
    EXPECT_EQ(peer({{"X-Forwarded-For", value}}), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace robot_council::net
