#include "fleet/json_text.hpp"

#include "base/json.hpp"
#include "base/time_text.hpp"

namespace robot_council::fleet {

void ObjectText::key(std::string_view name) {
  if (text_.size() > 1) {
    text_ += ',';
  }
  text_ += '"';
  text_ += name;  // our own words: nothing to escape
  text_ += "\":";
}

ObjectText& ObjectText::text(std::string_view name, std::string_view value) {
  key(name);
  text_ += base::quote_json(value);
  return *this;
}

ObjectText& ObjectText::text(std::string_view name, const std::optional<std::string>& value) {
  return value ? text(name, std::string_view(*value)) : null(name);
}

ObjectText& ObjectText::integer(std::string_view name, std::int64_t value) {
  key(name);
  text_ += std::to_string(value);
  return *this;
}

ObjectText& ObjectText::integer(std::string_view name, const std::optional<std::int64_t>& value) {
  return value ? integer(name, *value) : null(name);
}

ObjectText& ObjectText::flag(std::string_view name, bool value) {
  key(name);
  text_ += value ? "true" : "false";
  return *this;
}

ObjectText& ObjectText::null(std::string_view name) {
  key(name);
  text_ += "null";
  return *this;
}

ObjectText& ObjectText::raw(std::string_view name, std::string_view json) {
  key(name);
  text_ += json.empty() ? std::string_view("null") : json;
  return *this;
}

ObjectText& ObjectText::time(std::string_view name, const std::optional<std::int64_t>& wall_ms) {
  return wall_ms ? text(name, std::string_view(base::iso_offset(*wall_ms))) : null(name);
}

ObjectText& ObjectText::ids(std::string_view name, const std::vector<std::int64_t>& values) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const std::int64_t value : values) {
    items.push_back(std::to_string(value));
  }
  return raw(name, array_text(items));
}

ObjectText& ObjectText::texts(std::string_view name, const std::vector<std::string>& values) {
  return raw(name, text_list(values));
}

std::string text_list(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    items.push_back(base::quote_json(text));
  }
  return array_text(items);
}

std::string array_text(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) {
      text += ',';
    }
    text += item;
  }
  return text + "]";
}

}  // namespace robot_council::fleet
