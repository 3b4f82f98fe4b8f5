#include "net/url.hpp"

#include <gtest/gtest.h>

namespace robot_council::net {
namespace {

std::string why(std::string_view text) {
  const base::Result<Url> url = parse_url(text);
  return url.ok() ? "usable" : url.error().what;
}

TEST(Url, IsTakenApart) {
  const base::Result<Url> url = parse_url("HTTPS://Fleet.Example.org/base/path//");
  ASSERT_TRUE(url.ok());
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->host, "fleet.example.org");
  EXPECT_EQ(url->port, 443);
  EXPECT_EQ(url->path, "/base/path");
  EXPECT_EQ(url->origin(), "https://fleet.example.org");
  EXPECT_FALSE(url->loopback());
}

TEST(Url, PortsAndDefaults) {
  EXPECT_EQ(parse_url("http://a")->port, 80);
  EXPECT_EQ(parse_url("http://a:")->port, 80);
  EXPECT_EQ(parse_url("http://a:8787/")->port, 8787);
  EXPECT_EQ(parse_url("http://a:8787")->origin(), "http://a:8787");
  EXPECT_EQ(parse_url("http://a:80")->origin(), "http://a");
  EXPECT_EQ(parse_url("https://a:80")->origin(), "https://a:80");
  for (const char* text : {"http://a:0", "http://a:65536", "http://a:-1", "http://a:8x",
                           "http://a:99999999999999999999", "http://[::1]8", "http://a:80:80"}) {
    EXPECT_EQ(why(text), "its port is not a number from 1 to 65535") << text;
  }
}

TEST(Url, Ipv6HostLosesItsBrackets) {
  const base::Result<Url> url = parse_url("http://[::1]:1");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 1);
  EXPECT_EQ(url->origin(), "http://[::1]:1");
  EXPECT_TRUE(url->loopback());
  EXPECT_TRUE(check_transport(*url).ok());
}

// account contract 2: no absolute URL with a host, or one with user, query, fragment, control
// character.
TEST(Url, UnusableOnesSayWhy) {
  EXPECT_EQ(why(""), "it is empty");
  for (const char* text :
       {"fleet.example.org", "//fleet", "/path", "ftp://a", "http:/a", "file:///etc/passwd"}) {
    EXPECT_EQ(why(text), "it does not begin with http:// or https://") << text;
  }
  for (const char* text : {"http://", "http:///path", "http://:80"}) {
    EXPECT_EQ(why(text), "it has no host") << text;
  }
  EXPECT_EQ(why("http://user@a"), "it must not name a user");
  EXPECT_EQ(why("http://user:secret@a"), "it must not name a user");
  EXPECT_EQ(why("http://a?q=1"), "it must not have a query");
  EXPECT_EQ(why("http://a/?"), "it must not have a query");
  EXPECT_EQ(why("http://a/#f"), "it must not have a fragment");
  EXPECT_EQ(why("http://a\\@b"), "it holds a backslash");
  for (const char* text :
       {"http://a/\n", "http://a b", "http://a/\x7f", " http://a", "http://a\t"}) {
    EXPECT_EQ(why(text), "it holds a control character or a blank") << text;
  }
  EXPECT_EQ(why(std::string_view("http://a/\0b", 11)), "it holds a control character or a blank");
  for (const char* text : {"http://[::1", "http://[::g]", "http://a..b", "http://-a", "http://a%41",
                           "http://\xc3\xa4", "http://[127.0.0.1]"}) {
    EXPECT_EQ(why(text), "its host is not valid") << text;
  }
  EXPECT_EQ(why("http://a/\xc3\xa4"), "its path holds bytes that must be percent-encoded");
  EXPECT_EQ(why("http://a/%4"), "its path has a % without two hex digits");
  EXPECT_EQ(why("http://a/" + std::string(3000, 'x')), "it is longer than 2048 bytes");
}

// account acceptance 20.
TEST(Url, PlainHttpOnlyToLoopback) {
  for (const char* text : {"http://127.0.0.1:8787", "http://localhost", "http://LOCALHOST:1",
                           "http://[::1]:1", "https://fleet.example.test"}) {
    EXPECT_TRUE(check_transport(*parse_url(text)).ok()) << text;
  }
  for (const char* text :
       {"http://fleet.example.test", "http://127.0.0.2", "http://localhost.example.org",
        "http://0.0.0.0", "http://127.1", "http://[::ffff:127.0.0.1]", "http://10.0.0.1"}) {
    const base::Status checked = check_transport(*parse_url(text));
    ASSERT_FALSE(checked.ok()) << text;
    EXPECT_EQ(checked.error().code, base::Errc::refused);
  }
}

TEST(Url, LoopbackIsTheWholeNet) {
  for (const char* text :
       {"http://127.0.0.1", "http://127.255.0.9", "http://localhost", "http://[::1]"}) {
    EXPECT_TRUE(parse_url(text)->loopback()) << text;
  }
  for (const char* text :
       {"http://128.0.0.1", "http://127.0.0.1.example.org", "http://[::2]", "http://local"}) {
    EXPECT_FALSE(parse_url(text)->loopback()) << text;
  }
}

TEST(PercentCoding, EncodesAllButUnreserved) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/c?d=e&f+g%"), "a%20b%2Fc%3Fd%3De%26f%2Bg%25");
  EXPECT_EQ(percent_encode(std::string_view("\0\r\n\xff", 4)), "%00%0D%0A%FF");
  EXPECT_EQ(percent_encode(""), "");
}

TEST(PercentCoding, DecodesWhatItEncodes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
  }
  EXPECT_EQ(percent_decode(percent_encode(all)).value(), all);
  EXPECT_EQ(percent_decode("%c3%A4+").value(), "\xc3\xa4+");
}

TEST(PercentCoding, RefusesBrokenEscapes) {
  for (const char* text : {"%", "%4", "a%", "%zz", "%4g", "%g4", "%%41", "%-1"}) {
    const base::Result<std::string> decoded = percent_decode(text);
    ASSERT_FALSE(decoded.ok()) << text;
    EXPECT_EQ(decoded.error().code, base::Errc::invalid);
  }
}

}  // namespace
}  // namespace robot_council::net
