#include "net/http_server.hpp"

#include <gtest/gtest.h>

#include "net/http_client.hpp"
#include "tests/lib/support.hpp"
#include "tests/net/peer.hpp"

namespace robot_council::net {
namespace {

using base::Milliseconds;
using test::ask;
using test::Peer;
using test::request;
using test::Running;
using test::status_of;

// Answers with what it was asked.
HandlerResult echo(const ServerRequest& asked) {
  ServerResponse response;
  response.body = asked.method + "|" + asked.path + "|" + asked.body + "|" + asked.peer;
  for (const auto& [name, value] : asked.query) {
    response.body += "|" + name + "=" + value;
  }
  for (const std::string& capture : asked.captures) {
    response.body += "|{" + capture + "}";
  }
  response.content_type = "text/plain";
  return response;
}

HttpClient client_of(std::uint16_t port) {
  base::Result<Url> url = parse_url("http://127.0.0.1:" + std::to_string(port));
  base::Result<HttpClient> client = HttpClient::open(*url, ClientLimits{});
  return std::move(client).value();
}

TEST(HttpServer, AnswersItsRoutesThroughOurClient) {
  Running running;
  running.server->route("GET", "/a/{}/b/{}", echo);
  running.server->route("POST", "/a/{}/b/{}", [](const ServerRequest& asked) -> HandlerResult {
    ServerResponse response;
    response.status = 201;
    response.body = asked.body;
    response.headers.emplace_back("X-Was", asked.header("x-is").value_or("none"));
    return response;
  });
  running.start();
  HttpClient client = client_of(running.port);
  ClientRequest asked;
  asked.target = "/a/1/b/x%20y?q=1+2&z=%2541&q=3";
  base::Result<ClientResponse> got = client.send(asked, test::in_time());
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "GET|/a/1/b/x y||127.0.0.1|q=1 2|z=%41|q=3|{1}|{x y}");
  EXPECT_EQ(got->header("content-TYPE"), "text/plain");
  EXPECT_EQ(got->header("Connection"), "close");
  asked.method = "POST";
  asked.body = "{\"k\":1}";
  asked.headers = {{"X-Is", "100%41 sure, yes"}};
  got = client.send(asked, test::in_time());
  ASSERT_TRUE(got.ok()) << got.error().what;
  EXPECT_EQ(got->status, 201);
  EXPECT_EQ(got->body, "{\"k\":1}");
}

TEST(HttpServer, UnknownPathIs404AndUnknownMethod405WithAllow) {
  Running running;
  running.server->route("GET", "/a", echo);
  running.server->route("POST", "/a", echo);
  running.server->route("GET", "/a/{}", echo);
  running.start();
  EXPECT_EQ(status_of(ask(running.port, request(running.port, "GET /b"))), 404);
  EXPECT_EQ(status_of(ask(running.port, request(running.port, "GET /a/"))), 404)
      << "{} takes no empty segment";
  EXPECT_EQ(status_of(ask(running.port, request(running.port, "GET /a/b/c"))), 404);
  EXPECT_EQ(status_of(ask(running.port, request(running.port, "GET //a"))), 404);
  const std::string refused = ask(running.port, request(running.port, "DELETE /a"));
  EXPECT_EQ(status_of(refused), 405);
  EXPECT_NE(refused.find("Allow: GET, POST\r\n"), std::string::npos) << refused;
}

}  // namespace
}  // namespace robot_council::net
