#include "fleet/store.hpp"

namespace robot_council::fleet {

std::int64_t Value::integer() const {
  const auto* number = std::get_if<std::int64_t>(&held_);
  return number == nullptr ? 0 : *number;
}

const std::string& Value::text() const {
  static const std::string nothing;
  const auto* text = std::get_if<std::string>(&held_);
  return text == nullptr ? nothing : *text;
}

const Value& Row::at(std::size_t column) const {
  static const Value null;
  return column < columns_.size() ? columns_[column] : null;
}

std::optional<std::int64_t> Row::maybe_integer(std::size_t column) const {
  const Value& value = at(column);
  return value.is_null() ? std::nullopt : std::optional<std::int64_t>(value.integer());
}

std::optional<std::string> Row::maybe_text(std::size_t column) const {
  const Value& value = at(column);
  return value.is_null() ? std::nullopt : std::optional<std::string>(value.text());
}

std::optional<Row> Transaction::first(std::string_view sql, const Values& values) {
  Rows rows = query(sql, values);
  if (rows.empty()) {
    return std::nullopt;
  }
  return std::move(rows.front());
}

std::int64_t Transaction::insert(std::string_view sql, const Values& values) {
  const auto row = first(sql, values);
  return row ? row->integer(0) : 0;
}

void Transaction::fail(base::Error error) {
  if (!failure_) {
    failure_ = std::move(error);
  }
}

}  // namespace robot_council::fleet
