#include "stops/judge_pipe.hpp"

#include <utility>

#include "base/json_value.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

constexpr std::int64_t kVersion = 1;

base::Error invalid(std::string what) {
  return {base::Errc::invalid, std::move(what)};
}

std::map<std::string, std::string> texts_of(const base::Json* object) {
  std::map<std::string, std::string> texts;
  if (object == nullptr) {
    return texts;
  }
  for (const auto& item : object->items()) {
    if (item.value().is_string()) {
      texts[item.key()] = item.value().get<std::string>();
    }
  }
  return texts;
}

JudgeError malformed(std::string message) {
  return {JudgeErrorKind::malformed_response, std::move(message)};
}

}  // namespace

std::string encode_request(const PipeRequest& request) {
  base::OrderedJson questions = base::OrderedJson::array();
  for (const Question& question : request.request.questions) {
    questions.push_back({{"name", question.name},
                         {"instructions", question.instructions},
                         {"criteria", base::OrderedJson(question.criteria)}});
    if (question.criteria.empty()) {
      questions.back()["criteria"] = base::OrderedJson::object();
    }
  }
  base::OrderedJson headers = base::OrderedJson::object();
  for (const auto& [name, value] : request.settings.headers) {
    headers[name] = value;
  }
  const base::OrderedJson all = {{"v", kVersion},
                                 {"judge", judge_text(request.settings.name)},
                                 {"url", request.settings.url},
                                 {"model", request.settings.model},
                                 {"key", request.settings.key},
                                 {"mode", request.settings.mode},
                                 {"headers", headers},
                                 {"timeout_ms", request.timeout.count()},
                                 {"state", request.request.state},
                                 {"questions", questions}};
  return base::dump_safe(all);
}

base::Result<PipeRequest> decode_request(std::string_view bytes) {
  const base::Result<base::Json> json = base::parse_bounded(bytes, kMaxJudgeRequestBytes);
  if (!json.ok()) {
    return json.error();
  }
  if (base::get_integer(*json, "v") != kVersion) {
    return invalid("another version");
  }
  const auto judge = judge_from(base::get_string(*json, "judge").value_or(""));
  const auto state = base::get_string(*json, "state");
  const auto timeout = base::get_integer(*json, "timeout_ms");
  const base::Json* questions = base::get_array(*json, "questions");
  if (!judge || !state || !timeout || questions == nullptr) {
    return invalid("judge, state, timeout_ms or questions is missing");
  }
  PipeRequest request;
  request.settings.name = *judge;
  request.settings.url = base::get_string(*json, "url").value_or("");
  request.settings.model = base::get_string(*json, "model").value_or("");
  request.settings.key = base::get_string(*json, "key").value_or("");
  request.settings.mode = base::get_string(*json, "mode").value_or("");
  request.settings.headers = texts_of(base::get_object(*json, "headers"));
  request.timeout = base::Milliseconds(*timeout);
  request.request.state = *state;
  for (const base::Json& item : *questions) {
    const auto name = base::get_string(item, "name");
    const auto instructions = base::get_string(item, "instructions");
    if (!name || !instructions) {
      return invalid("a question without name or instructions");
    }
    request.request.questions.push_back(
        {*name, *instructions, texts_of(base::get_object(item, "criteria"))});
  }
  return request;
}

std::string encode_result(const JudgeResult& result) {
  if (const auto* error = std::get_if<JudgeError>(&result)) {
    return base::dump_safe(base::OrderedJson{
        {"v", kVersion},
        {"error", {{"kind", judge_error_name(error->kind)}, {"message", error->message}}}});
  }
  const auto& reply = std::get<Reply>(result);
  base::OrderedJson answers = base::OrderedJson::object();
  for (const auto& [name, p] : reply.answers) {
    answers[name] = p;
  }
  return base::dump_safe(base::OrderedJson{{"v", kVersion},
                                           {"answers", answers},
                                           {"model", reply.model},
                                           {"p_kind", p_kind_name(reply.p_kind)}});
}

JudgeResult decode_result(std::string_view bytes) {
  const base::Result<base::Json> json = base::parse_bounded(bytes, kMaxJudgeReplyBytes);
  if (!json.ok() || base::get_integer(*json, "v") != kVersion) {
    return malformed("the judge's program wrote no reply");
  }
  if (const base::Json* error = base::get_object(*json, "error")) {
    const auto kind = judge_error_from(base::get_string(*error, "kind").value_or(""));
    return kind ? JudgeError{*kind, base::get_string(*error, "message").value_or("")}
                : malformed("the judge's program wrote an unknown error");
  }
  const base::Json* answers = base::get_object(*json, "answers");
  const auto p_kind = p_kind_from(base::get_string(*json, "p_kind").value_or(""));
  if (answers == nullptr || !p_kind) {
    return malformed("the judge's program wrote no answers");
  }
  Reply reply;
  reply.model = base::get_string(*json, "model").value_or("");
  reply.p_kind = *p_kind;
  for (const auto& item : answers->items()) {
    const double p = item.value().is_number() ? item.value().get<double>() : -1;
    if (!(p >= 0 && p <= 1)) {
      return malformed("an answer is no number from 0 to 1");
    }
    reply.answers[item.key()] = p;
  }
  return reply;
}

}  // namespace robot_council::stops
