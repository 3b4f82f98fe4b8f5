#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robot_council::fleet {

// Writes one JSON object as text, members in the order of the calls. Answers are joined from such
// texts, so that what an agent posted keeps its bytes and a feed page is never parsed again.
class ObjectText {
 public:
  ObjectText& text(std::string_view name, std::string_view value);
  ObjectText& text(std::string_view name,
                   const std::optional<std::string>& value);  // null when absent
  ObjectText& text(std::string_view name, const char* value) {
    return text(name, std::string_view(value));
  }
  ObjectText& text(std::string_view name, const std::string& value) {
    return text(name, std::string_view(value));
  }
  ObjectText& integer(std::string_view name, std::int64_t value);
  ObjectText& integer(std::string_view name,
                      const std::optional<std::int64_t>& value);  // null when absent
  ObjectText& flag(std::string_view name, bool value);
  ObjectText& null(std::string_view name);
  ObjectText& raw(std::string_view name, std::string_view json);  // valid JSON; "" is null
  ObjectText& time(std::string_view name,
                   const std::optional<std::int64_t>& wall_ms);  // ISO 8601; null when absent
  ObjectText& ids(std::string_view name, const std::vector<std::int64_t>& values);
  ObjectText& texts(std::string_view name, const std::vector<std::string>& values);

  // "{...}".
  [[nodiscard]] std::string done() const { return text_ + "}"; }
  [[nodiscard]] bool empty() const { return text_.size() == 1; }

 private:
  void key(std::string_view name);
  std::string text_ = "{";
};

// ["a","b"] of texts.
[[nodiscard]] std::string text_list(const std::vector<std::string>& texts);
// [a,b] of JSON texts.
[[nodiscard]] std::string array_text(const std::vector<std::string>& items);

}  // namespace robot_council::fleet
