#include "stops/judges/ask.hpp"

#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/child.hpp"
#include "base/fd.hpp"
#include "base/json_value.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "net/http_server.hpp"
#include "stops/judges/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

using base::Json;
using base::Milliseconds;

constexpr const char* kKey = "key-of-this-test";
constexpr const char* kState = R"({"closing_message":"Shall I \"merge\"?","cut":false})";

// A server that answers each of the four judges' paths by a script and keeps what it was asked.
class JudgeServer {
 public:
  using Script = std::function<net::HandlerResult(const net::ServerRequest&, int call)>;
  explicit JudgeServer(Script script) : script_(std::move(script)) {
    net::ServerOptions options;
    options.max_body = std::size_t{1} << 20U;
    auto server = net::HttpServer::open(options, log_);
    EXPECT_TRUE(server.ok());
    server_ = std::move(*server);
    for (const char* path :
         {"/v1/systemone", "/v1/messages", "/v1/chat/completions", "/api/chat"}) {
      server_->route("POST", path, [this](const net::ServerRequest& request) {
        int call = 0;
        if (request.turn == net::Turn::first) {
          const base::MutexLock lock(mu_);
          calls_.push_back(request);
          call = static_cast<int>(calls_.size());
        }
        return script_(request, call);
      });
    }
    EXPECT_TRUE(server_->start().ok());
  }
  ~JudgeServer() { server_->stop(Milliseconds(0)); }
  JudgeServer(const JudgeServer&) = delete;
  JudgeServer& operator=(const JudgeServer&) = delete;
  JudgeServer(JudgeServer&&) = delete;
  JudgeServer& operator=(JudgeServer&&) = delete;

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(server_->port());
  }
  [[nodiscard]] std::vector<net::ServerRequest> calls() const {
    const base::MutexLock lock(mu_);
    return calls_;
  }
  [[nodiscard]] Json body(std::size_t call = 0) const {
    return base::parse_bounded(calls().at(call).body, kMaxJudgeReplyBytes).value_or(Json());
  }

 private:
  Script script_;
  base::MemoryLog log_;
  mutable base::Mutex mu_;
  std::vector<net::ServerRequest> calls_ RC_GUARDED_BY(mu_);
  std::unique_ptr<net::HttpServer> server_;
};

JudgeServer::Script says(std::string body, int status = 200, net::Headers headers = {}) {
  return [body = std::move(body), status, headers = std::move(headers)](const net::ServerRequest&,
                                                                        int) -> net::HandlerResult {
    return net::ServerResponse{status, body, "application/json", headers};
  };
}

PipeRequest request_to(JudgeName name, const std::string& url, int timeout_ms = 3000) {
  PipeRequest request;
  request.settings.name = name;
  request.settings.url = url;
  request.settings.model = "test-model";
  request.settings.key = kKey;
  request.request.state = kState;
  request.request.questions = {
      {"asks_approval", "The text asks to approve.", {{"true", "asks"}, {"false", "reports"}}},
      {"needs_input", "The text needs a choice.", {}},
      {"hard_to_undo", "The step is hard to undo.", {{"true", "pushing"}}}};
  request.timeout = Milliseconds(timeout_ms);
  return request;
}

JudgeResult ask(const PipeRequest& request) {
  const base::SystemClock clock;
  return ask_over_http(request, clock, base::deadline_in(request.timeout));
}

// The answers, or the error's kind and message.
std::string told(const JudgeResult& result) {
  if (const auto* error = std::get_if<JudgeError>(&result)) {
    EXPECT_EQ(error->message.find(kKey), std::string::npos) << error->message;
    EXPECT_EQ(error->message.find("merge"), std::string::npos) << error->message;
    return std::string(judge_error_name(error->kind));
  }
  const auto& reply = std::get<Reply>(result);
  std::string text = reply.model + " " + std::string(p_kind_name(reply.p_kind));
  for (const auto& [name, p] : reply.answers) {
    text += " " + name + "=" + std::to_string(p).substr(0, 4);
  }
  return text;
}

std::string chat(const std::string& content, const std::string& finish = "stop") {
  return base::dump_safe(Json{
      {"model", "answered-by"},
      {"choices", Json::array({{{"finish_reason", finish},
                                {"message", {{"role", "assistant"}, {"content", content}}}}})}});
}
constexpr const char* kYesNoNo =
    R"({"asks_approval":true,"needs_input":false,"hard_to_undo":false})";

TEST(Judges, SystemoneSpeaksItsFormat) {
  const JudgeServer server(says(
      R"({"model":"jev-1.13.0","answers":{"asks_approval":{"type":"noul","noul":0.97},"needs_input":{"type":"noul","noul":0},"hard_to_undo":{"type":"noul","noul":1}}})"));
  EXPECT_EQ(told(ask(request_to(JudgeName::systemone, server.url()))),
            "jev-1.13.0 probability asks_approval=0.97 hard_to_undo=1.00 needs_input=0.00");
  ASSERT_EQ(server.calls().size(), 1U);
  EXPECT_EQ(server.calls()[0].path, "/v1/systemone");
  EXPECT_EQ(server.calls()[0].header("authorization"), std::string("Bearer ") + kKey);
  EXPECT_EQ(
      server.body(),
      Json::parse(
          R"({"model":"test-model","state":"{\"closing_message\":\"Shall I \\\"merge\\\"?\",\"cut\":false}","questions":{
          "asks_approval":{"type":"noul","instructions":"The text asks to approve.","criteria":{"true":"asks","false":"reports"}},
          "needs_input":{"type":"noul","instructions":"The text needs a choice."},
          "hard_to_undo":{"type":"noul","instructions":"The step is hard to undo.","criteria":{"true":"pushing"}}}})"));
}

const Json& schema() {
  static const Json kSchema = Json::parse(
      R"({"type":"object","properties":{"asks_approval":{"type":"boolean"},"needs_input":{"type":"boolean"},"hard_to_undo":{"type":"boolean"}},
      "required":["asks_approval","needs_input","hard_to_undo"],"additionalProperties":false})");
  return kSchema;
}

// The state stands between two equal marks that no message can know.
void expect_fenced(const std::string& text) {
  const auto lines = base::split(text, '\n');
  ASSERT_GE(lines.size(), 3U) << text;
  EXPECT_EQ(lines[1], kState);
  ASSERT_EQ(lines[0].rfind("BEGIN ", 0), 0U);
  EXPECT_EQ(lines[2], "END " + lines[0].substr(6));
  EXPECT_EQ(lines[0].size(), 6U + 24U);
}

TEST(Judges, AnthropicSpeaksItsFormat) {
  const JudgeServer server(says(
      base::dump_safe(Json{{"model", "claude-x"},
                           {"stop_reason", "end_turn"},
                           {"content", Json::array({{{"type", "thinking"}, {"thinking", "hm"}},
                                                    {{"type", "text"}, {"text", kYesNoNo}}})}})));
  EXPECT_EQ(told(ask(request_to(JudgeName::anthropic, server.url()))),
            "claude-x boolean asks_approval=1.00 hard_to_undo=0.00 needs_input=0.00");
  const auto call = server.calls().at(0);
  EXPECT_EQ(call.path, "/v1/messages");
  EXPECT_EQ(call.header("x-api-key"), kKey);
  EXPECT_EQ(call.header("anthropic-version"), "2023-06-01");
  EXPECT_FALSE(call.header("authorization"));
  const Json body = server.body();
  EXPECT_EQ(body["max_tokens"], 300);
  EXPECT_EQ(body["output_config"]["format"], (Json{{"type", "json_schema"}, {"schema", schema()}}));
  EXPECT_FALSE(body.contains("temperature"));
  ASSERT_EQ(body["messages"].size(), 1U);
  EXPECT_EQ(body["messages"][0]["role"], "user");
  expect_fenced(body["messages"][0]["content"].get<std::string>());
  const auto system = body["system"].get<std::string>();
  EXPECT_NE(system.find("asks_approval: The text asks to approve."), std::string::npos);
  EXPECT_NE(system.find("data"), std::string::npos);
  EXPECT_EQ(system.find("merge"), std::string::npos);
}

TEST(Judges, OpenaiSpeaksItsFormat) {
  const JudgeServer server(says(chat(kYesNoNo)));
  auto request = request_to(JudgeName::openai, server.url());
  EXPECT_EQ(told(ask(request)),
            "answered-by boolean asks_approval=1.00 hard_to_undo=0.00 needs_input=0.00");
  Json body = server.body();
  EXPECT_EQ(server.calls()[0].header("authorization"), std::string("Bearer ") + kKey);
  EXPECT_EQ(body["max_tokens"], 300);
  EXPECT_EQ(body["temperature"], 0);
  EXPECT_EQ(
      body["response_format"],
      (Json{{"type", "json_schema"},
            {"json_schema", {{"name", "stop_answers"}, {"strict", true}, {"schema", schema()}}}}));
  EXPECT_EQ(body["messages"][0]["role"], "system");
  expect_fenced(body["messages"][1]["content"].get<std::string>());
  request.settings.mode = "reasoning";
  request.settings.headers = {{"authorization", "Basic mine"}, {"x-team", "a"}};
  request.settings.url += "/v1/";
  EXPECT_EQ(told(ask(request)).substr(0, 11), "answered-by");
  body = server.body(1);
  EXPECT_EQ(body["max_completion_tokens"], 300);
  EXPECT_FALSE(body.contains("max_tokens") || body.contains("temperature"));
  EXPECT_EQ(server.calls()[1].header("authorization"), "Basic mine");
  EXPECT_EQ(server.calls()[1].header("x-team"), "a");
}

TEST(Judges, OllamaSpeaksItsFormat) {
  const JudgeServer server(
      says(base::dump_safe(Json{{"model", "small"},
                                {"message", {{"role", "assistant"}, {"content", kYesNoNo}}},
                                {"done", true}})));
  auto request = request_to(JudgeName::ollama, server.url());
  EXPECT_EQ(told(ask(request)),
            "small boolean asks_approval=1.00 hard_to_undo=0.00 needs_input=0.00");
  const Json body = server.body();
  EXPECT_EQ(body["format"], schema());
  EXPECT_EQ(body["stream"], false);
  EXPECT_EQ(body["think"], false);
  EXPECT_EQ(body["options"], (Json{{"num_ctx", 8192}, {"temperature", 0}}));
  EXPECT_FALSE(server.calls()[0].header("authorization"));
}

TEST(Judges, NoKeyIsAuthWithoutAConnection) {  // 64
  auto request = request_to(JudgeName::anthropic, "");
  request.settings.key.clear();
  EXPECT_EQ(told(ask(request)), "auth");
  const JudgeServer server(says(chat(kYesNoNo)));
  request = request_to(JudgeName::openai, server.url());
  request.settings.key.clear();  // this machine needs none
  EXPECT_EQ(told(ask(request)).substr(0, 11), "answered-by");
}

TEST(Judges, OnlyHttpsLeavesTheMachine) {  // 66
  for (const auto& [name, url] : std::vector<std::pair<JudgeName, std::string>>{
           {JudgeName::openai, "http://judge.example.org"},
           {JudgeName::ollama, "http://judge.example.org:11434"},
           {JudgeName::ollama, "https://127.0.0.1:11434"},
           {JudgeName::systemone, ""},
           {JudgeName::openai, "ftp://x"},
           {JudgeName::local, "http://127.0.0.1:1"}}) {
    EXPECT_EQ(told(ask(request_to(name, url))), "invalid_request") << url;
  }
  auto request = request_to(JudgeName::openai, "http://127.0.0.1:1");
  request.settings.model.clear();
  EXPECT_EQ(told(ask(request)), "invalid_request");
  request = request_to(JudgeName::openai, "http://127.0.0.1:1");
  request.settings.key = "a\r\nb: c";
  const auto result = ask(request);
  EXPECT_EQ(judge_error_name(std::get<JudgeError>(result).kind), "invalid_request");
}

TEST(Judges, StatusSaysTheKind) {  // 67, 68
  for (const auto& [status, kind, calls] :
       std::vector<std::tuple<int, std::string, std::size_t>>{{401, "auth", 1},
                                                              {403, "auth", 1},
                                                              {429, "rate_limited", 2},
                                                              {400, "invalid_request", 1},
                                                              {404, "invalid_request", 1},
                                                              {422, "invalid_request", 1},
                                                              {501, "invalid_request", 1},
                                                              {500, "unavailable", 2},
                                                              {529, "unavailable", 2}}) {
    const JudgeServer server(says(R"({"error":{"message":"no"}})", status));
    EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url()))), kind) << status;
    EXPECT_EQ(server.calls().size(), calls) << status;
  }
}

TEST(Judges, RedirectIsNotFollowed) {  // 68
  const JudgeServer other(says(chat(kYesNoNo)));
  const JudgeServer server(says("", 302, {{"Location", other.url() + "/v1/chat/completions"}}));
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url()))), "unavailable");
  EXPECT_TRUE(other.calls().empty());
}

TEST(Judges, NobodyThereIsUnavailable) {  // 68
  std::string url;
  {
    const JudgeServer gone(says(""));
    url = gone.url();
  }
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, url))), "unavailable");
}

TEST(Judges, ForeignCertificateIsUnavailable) {  // 68
  const test::TempDir dir;
  const auto made =
      test::run({"/bin/sh", "-c",
                 "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                 "-nodes -days 2 -subj /CN=other.example.org -keyout k.pem -out c.pem"},
                {}, {}, dir.path());
  ASSERT_EQ(made.code, 0) << made.err;
  base::ChildOptions options;
  options.argv = {"/usr/bin/openssl", "s_server", "-accept",    "127.0.0.1:0", "-www", "-key",
                  dir / "k.pem",      "-cert",    dir / "c.pem"};
  options.environment = {"PATH=/usr/bin:/bin"};
  options.standard_out = base::Stdio::pipe;
  options.standard_err = base::Stdio::null;
  auto server = base::Child::start(options);
  ASSERT_TRUE(server.ok());
  std::string said;
  while (said.find("ACCEPT ") == std::string::npos || said.back() != '\n') {
    char byte = 0;
    ASSERT_TRUE(base::wait_readable(server->standard_out.get(), test::in_time()).ok());
    ASSERT_EQ(base::read_some(server->standard_out.get(), {&byte, 1}).value_or(0), 1U) << said;
    said += byte;
  }
  const std::string port = said.substr(said.rfind(':') + 1, said.size() - said.rfind(':') - 2);
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, "https://localhost:" + port))), "unavailable");
}

TEST(Judges, RetryAfterIsFollowedWhenShort) {  // 69
  for (const auto& [after, calls] : std::vector<std::pair<std::string, std::size_t>>{
           {"0", 2}, {"1", 2}, {"99", 1}, {"Sun, 06 Nov 2094 08:49:37 GMT", 1}}) {
    const JudgeServer server(
        [&pause = after](const net::ServerRequest&, int call) -> net::HandlerResult {
          if (call == 1) {
            return net::ServerResponse{429, "{}", "application/json", {{"Retry-After", pause}}};
          }
          return net::ServerResponse{200, chat(kYesNoNo), "application/json", {}};
        });
    EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url()))).substr(0, 11),
              calls == 2 ? "answered-by" : "rate_limite")
        << after;
    EXPECT_EQ(server.calls().size(), calls) << after;
  }
}

TEST(Judges, NoSecondAttemptWithoutTimeForIt) {
  const JudgeServer server(says("", 500));
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url(), 200))), "unavailable");
  EXPECT_EQ(server.calls().size(), 1U);
}

TEST(Judges, NoAnswerInTimeIsTimeoutWithoutRetry) {  // 70
  const JudgeServer server([](const net::ServerRequest& request, int) -> net::HandlerResult {
    if (request.turn == net::Turn::first) {
      return net::Park{test::in_time()};
    }
    return net::ServerResponse{};
  });
  const auto start = base::deadline_in(Milliseconds(0));
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url(), 300))), "timeout");
  EXPECT_LT(base::deadline_in(Milliseconds(0)) - start, test::allowed(Milliseconds(3000)));
  EXPECT_EQ(server.calls().size(), 1U);
}

TEST(Judges, WhatIsNoAnswerIsMalformed) {  // 71
  std::vector<std::pair<JudgeName, std::string>> bodies = {
      {JudgeName::openai, "<html><body>Welcome</body></html>"},
      {JudgeName::openai, chat(kYesNoNo).substr(0, 60)},
      {JudgeName::openai, R"({"choices":[{"message":{"refusal":"I cannot","content":null}}]})"},
      {JudgeName::openai, chat(kYesNoNo, "length")},
      {JudgeName::openai, chat(kYesNoNo, "content_filter")},
      {JudgeName::openai, chat("yes")},
      {JudgeName::openai, chat(R"({"asks_approval":1,"needs_input":false,"hard_to_undo":false})")},
      {JudgeName::openai, "[]"},
      {JudgeName::openai, R"({"choices":[]})"},
      {JudgeName::openai, std::string(std::size_t{2} << 20U, ' ')},
      {JudgeName::openai, std::string(200, '[')},
      {JudgeName::anthropic, R"({"stop_reason":"refusal","content":[]})"},
      {JudgeName::anthropic,
       R"({"stop_reason":"max_tokens","content":[{"type":"text","text":"{"}]})"},
      {JudgeName::ollama, R"({"message":"no"})"},
      {JudgeName::systemone, R"({"answers":{}})"},
      {JudgeName::systemone, R"({"answers":[]})"},
  };
  for (const char* value : {"-0.1", "1.1", "\"0.5\"", "NaN", "1e999", "true", "null"}) {
    bodies.emplace_back(JudgeName::systemone,
                        std::string(R"({"answers":{"asks_approval":{"noul":)") + value + "}}}");
  }
  for (const auto& [name, body] : bodies) {
    const JudgeServer server(says(body));
    EXPECT_EQ(told(ask(request_to(name, server.url()))), "malformed_response")
        << body.substr(0, 100);
    EXPECT_EQ(server.calls().size(), 1U);
  }
}

TEST(Judges, FiftyMegabytesAreNotRead) {  // 71
  const JudgeServer server(says(std::string(std::size_t{50} << 20U, 'x')));
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, server.url()))), "malformed_response");
}

TEST(Judges, TwoOfThreeAnswers) {  // 72
  const JudgeServer some(says(
      R"({"answers":{"asks_approval":{"noul":0.9},"needs_input":{"noul":0.1},"hard_to_undo":null}})"));
  EXPECT_EQ(told(ask(request_to(JudgeName::systemone, some.url()))),
            "test-model probability asks_approval=0.90 needs_input=0.10");
  const JudgeServer boolean(says(chat(R"({"asks_approval":true,"needs_input":false})")));
  EXPECT_EQ(told(ask(request_to(JudgeName::openai, boolean.url()))), "malformed_response");
}

// 74: the real child of the recorder.
TEST(Judges, ChildAsksAndHoldsNoKeyWhereOthersSeeIt) {
  std::atomic<int> child_pid{0};
  std::string seen;
  const JudgeServer server([&](const net::ServerRequest&, int) -> net::HandlerResult {
    const std::string folder = "/proc/" + std::to_string(child_pid) + "/";
    for (const char* file : {"cmdline", "environ"}) {
      std::ifstream in(folder + file);
      seen.append(std::istreambuf_iterator<char>(in), {});
    }
    return net::ServerResponse{200, chat(kYesNoNo), "application/json", {}};
  });
  base::ChildOptions options;
  options.argv = {test::program("robot-council-net"), "stops", "judge"};
  options.environment = {"PATH=/usr/bin:/bin"};
  options.standard_in = base::Stdio::pipe;
  options.standard_out = base::Stdio::pipe;
  auto child = base::Child::start(options);
  ASSERT_TRUE(child.ok());
  child_pid = child->pid();
  const auto deadline = test::in_time();
  ASSERT_TRUE(base::write_all(child->standard_in.get(),
                              encode_request(request_to(JudgeName::openai, server.url())), deadline)
                  .ok());
  child->standard_in.reset();
  const auto out = base::read_all(child->standard_out.get(), kMaxJudgeReplyBytes, deadline);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(told(decode_result(*out)),
            "answered-by boolean asks_approval=1.00 hard_to_undo=0.00 needs_input=0.00");
  EXPECT_TRUE(child->wait(deadline).value_or({}).success());
  EXPECT_NE(seen.find("judge"), std::string::npos);
  EXPECT_EQ(seen.find(kKey), std::string::npos);
  const auto call = server.calls().at(0);
  for (const auto& [name, value] : call.headers) {
    for (const char* word : {"session", "cwd", "path", "prompt"}) {
      EXPECT_EQ(base::to_lower_ascii(name).find(word), std::string::npos) << name;
    }
  }
}

TEST(Judges, ChildTellsABadRequest) {
  const auto ran = test::run({test::program("robot-council-net"), "stops", "judge"}, {}, "no json");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(told(decode_result(ran.out)), "invalid_request");
}

}  // namespace
}  // namespace robot_council::stops
