#include "bridge/answer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "bridge/message.hpp"

namespace robot_council::bridge {
namespace {

net::ClientResponse response(int status, std::string body, std::string type = "application/json") {
  net::ClientResponse answer;
  answer.status = status;
  answer.body = std::move(body);
  answer.headers.emplace_back("Content-Type", std::move(type));
  return answer;
}

std::string line(const net::ClientResponse& answer, std::string_view id = "1") {
  return reply_to_request(answer, id).line;
}

std::string error(const std::string& text, const std::string& id = "1") {
  return error_line(id, kInternalError, text);
}

// Statement 72.
TEST(Answer, APrettyPrintedAnswerBecomesOneLineAndKeepsItsBytes) {
  EXPECT_EQ(
      line(response(200, "{\n \"id\": 1,\r\n \"result\": {\"a\":1.0,\"b\":{},\"c\":\"\\/\"}\n}\n")),
      "{  \"id\": 1,   \"result\": {\"a\":1.0,\"b\":{},\"c\":\"\\/\"} }");
}

// Statement 26: ids come back in the request's own spelling.
TEST(Answer, TheRequestsSpellingOfItsIdIsPutBack) {
  EXPECT_EQ(line(response(200, R"({"id":"a","result":{}})"), R"("\u0061")"),
            R"({"id":"\u0061","result":{}})");
  EXPECT_EQ(line(response(200, R"({"result":{},"id":1})"), "1.0"), R"({"result":{},"id":1.0})");
}

// Statement 73.
TEST(Answer, AnEventStreamGivesTheMessageWithTheId) {
  const std::string stream =
      ": hello\nevent: message\ndata: {\"id\":9,\"result\":{}}\n\ndata: {\"id\":1,\r\ndata: "
      "\"result\":{}}\r\n\r\n";
  EXPECT_EQ(line(response(200, stream, "text/event-stream; charset=utf-8")),
            R"({"id":1, "result":{}})");
  EXPECT_EQ(line(response(200, "data: {\"id\":9,\"result\":{}}\n\n", "text/event-stream")),
            error("The service answered with something that is not a protocol message."));
}

// Statements 74, 75.
TEST(Answer, OtherStatusesAreToldUnlessTheyHoldTheRequestsError) {
  const std::string theirs = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})";
  EXPECT_EQ(line(response(404, theirs)), theirs);
  EXPECT_EQ(line(response(404, R"({"id":2,"error":{"code":1,"message":"no"}})")),
            error("The service answered HTTP 404."));
  EXPECT_EQ(line(response(404, R"({"id":1,"result":{}})")),
            error("The service answered HTTP 404."));
  EXPECT_EQ(line(response(403, R"({"message":"Not yours."})")),
            error("The service answered HTTP 403. Not yours."));
  EXPECT_EQ(line(response(502, "<html>bad</html>", "text/html")),
            error("The service answered HTTP 502."));
  EXPECT_EQ(line(response(302, "")), error("The service answered HTTP 302."));
  EXPECT_EQ(line(response(500, R"({"message":""})")), error("The service answered HTTP 500."));
  EXPECT_EQ(line(response(500, R"({"message":")" + std::string(201, 'x') + "\"}")),
            error("The service answered HTTP 500."));
  EXPECT_EQ(line(response(500, R"({"message":"a\u001bb\nc"})")),
            error("The service answered HTTP 500. a b c"));
}

// Statement 77.
TEST(Answer, AnEmptyAnswerIsToldExactly) {
  EXPECT_EQ(line(response(200, " \n")), error("The service answered this request with nothing."));
}

TEST(Answer, AnErrorWithoutIdGetsTheRequests) {
  EXPECT_EQ(line(response(200, R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})");
}

TEST(Answer, WhatIsNoMessageIsToldAndSaid) {
  for (const std::string body :
       {"[]", "5", "{}", R"({"id":1})", R"({"id":2,"result":{}})", "no json"}) {
    const Reply reply = reply_to_request(response(200, body), "1");
    EXPECT_EQ(reply.line,
              error("The service answered with something that is not a protocol message."))
        << body;
    EXPECT_EQ(reply.said, "The service answered with something that is not a protocol message.");
  }
  const std::string deep =
      R"({"id":1,"result":)" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_EQ(line(response(200, deep)),
            error("The service answered with something that is not a protocol message."));
}

// Statements 78, 79.
TEST(Answer, TransportFailuresNameTheirReason) {
  const Reply refused =
      reply_to_request(base::Error{base::Errc::refused, "connection refused"}, R"("x")");
  EXPECT_EQ(refused.line, error("The fleet could not be reached: connection refused", R"("x")"));
  EXPECT_EQ(refused.said, "The fleet could not be reached: connection refused");
  const Reply large = reply_to_request(base::Error{base::Errc::invalid, "too large"}, "1");
  EXPECT_EQ(large.line, error("The service's answer is larger than 16 MiB."));
}

// Statement 154.
TEST(Answer, ABatchAnsweredByOneErrorAnswersEachRequest) {
  const BatchReply reply = reply_to_batch(
      response(400, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batch"}})"),
      {"1", "\"b\""});
  ASSERT_EQ(reply.lines.size(), 2U);
  EXPECT_EQ(reply.lines.at(0), error("The service answered HTTP 400. no batch"));
  EXPECT_EQ(reply.lines.at(1), error("The service answered HTTP 400. no batch", "\"b\""));
  EXPECT_EQ(reply.said, "The service answered HTTP 400. no batch");
  EXPECT_EQ(reply_to_batch(response(502, "<html>"), {"1"}).lines.at(0),
            error("The service answered HTTP 502."));
  EXPECT_EQ(reply_to_batch(response(200, "[1,\n2]"), {"1"}).lines,
            std::vector<std::string>{"[1, 2]"});
  EXPECT_TRUE(reply_to_batch(response(202, ""), {}).lines.empty());
}

TEST(Answer, RetryAfterIsANumberOrADate) {
  net::ClientResponse answer;
  answer.headers.emplace_back("retry-after", " 7 ");
  EXPECT_EQ(retry_after_s(answer, 0), 7);
  answer.headers.at(0).second = "Sun, 06 Nov 1994 08:49:37 GMT";
  EXPECT_EQ(retry_after_s(answer, 784111776500), 1);
  EXPECT_EQ(retry_after_s(answer, 784111790000), 0);
  answer.headers.at(0).second = "soon";
  EXPECT_FALSE(retry_after_s(answer, 0));
}

}  // namespace
}  // namespace robot_council::bridge
