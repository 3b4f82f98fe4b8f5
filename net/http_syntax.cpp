#include "net/http_syntax.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace robot_council::net {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20U || byte == 0x7fU;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::optional<std::string> first_value(const Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(), [name](const auto& field) {
    return base::equals_ignoring_case(field.first, name);
  });
  return found == headers.end() ? std::nullopt : std::optional<std::string>(found->second);
}

}  // namespace robot_council::net
