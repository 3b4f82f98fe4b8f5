#include "net/answer.hpp"

#include "base/json.hpp"

namespace robot_council::net {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

ServerResponse message_response(int status, std::string_view text) {
  ServerResponse response;
  response.status = status;
  response.body = "{\"message\":" + base::quote_json(text) + "}";
  return response;
}

std::string refusal_bytes(const Refusal& refusal) {
  const std::string body = message_response(refusal.status, refusal.why).body;
  std::string bytes = "HTTP/1.1 " + std::to_string(refusal.status) + " ";
  bytes += reason_of(refusal.status);
  bytes += "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  return bytes;
}

}  // namespace robot_council::net
