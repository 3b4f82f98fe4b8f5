#include "fleet/reply.hpp"

#include "fleet/limits.hpp"

namespace robot_council::fleet {

Reply ok(std::string body) {
  Reply reply;
  reply.body = std::move(body);
  return reply;
}

Reply created(std::string body) {
  Reply reply = ok(std::move(body));
  reply.status = 201;
  return reply;
}

Reply refuse(int status, std::string_view text) {
  return refuse_with(status, service_api::message_body(text), text);
}

Reply refuse_with(int status, std::string body, std::string_view why) {
  Reply reply;
  reply.status = status;
  reply.body = std::move(body);
  reply.why = why;
  return reply;
}

Reply invalid_input(const service_api::FieldErrors& errors) {
  std::string why;
  for (const auto& [name, text] : errors) {
    why += (why.empty() ? "" : " ") + text;
  }
  return refuse_with(422, service_api::validation_body(errors), why);
}

Reply invalid_field(std::string_view name, std::string_view text) {
  return invalid_input({{std::string(name), std::string(text)}});
}

Reply unauthorized(std::string_view text) {
  Reply reply = refuse(401, text);
  reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

Reply unavailable() {
  Reply reply = refuse(503, "The fleet's store is not available. Nothing was written.");
  reply.headers.emplace_back("Retry-After", std::to_string(kRetryUnavailable));
  return reply;
}

}  // namespace robot_council::fleet
