#include "base/json.hpp"

#include <cmath>
#include <limits>

#include "base/json_value.hpp"

namespace robot_council::base {
namespace {

struct TooDeep {};

std::string place_of(std::string_view text, std::size_t byte) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

template <class T>
std::string dumped(const T& value, int indent) {
  try {
    return value.dump(indent, ' ', false, T::error_handler_t::replace);
  } catch (const std::exception&) {
    return "null";
  }
}

}  // namespace

Result<Json> parse_bounded(std::string_view text, std::size_t max_bytes, std::size_t max_depth) {
  if (text.size() > max_bytes) {
    return Error{Errc::invalid, "larger than " + std::to_string(max_bytes) + " bytes"};
  }
  const auto guard = [max_depth](int depth, Json::parse_event_t event, Json& /*parsed*/) {
    // depth counts the containers around the one that begins.
    if ((event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) &&
        static_cast<std::size_t>(depth) + 1 > max_depth) {
      throw TooDeep{};
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), guard);
  } catch (const TooDeep&) {
    return Error{Errc::invalid, "nested deeper than " + std::to_string(max_depth) + " levels"};
  } catch (const Json::parse_error& failure) {
    return Error{Errc::invalid, "not JSON at " + place_of(text, failure.byte)};
  } catch (const std::exception&) {
    return Error{Errc::invalid, "not JSON (a number is out of range)"};
  }
}

std::string dump_safe(const Json& value) {
  return dumped(value, -1);
}

std::string dump_safe(const OrderedJson& value) {
  return dumped(value, -1);
}

std::string dump_pretty(const OrderedJson& value, int indent) {
  return dumped(value, indent);
}

const Json* get_member(const Json& value, std::string_view key) {
  if (!value.is_object()) {
    return nullptr;
  }
  const auto found = value.find(key);
  return found == value.end() ? nullptr : &*found;
}

std::optional<std::string> get_string(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  if (member == nullptr || !member->is_string()) {
    return std::nullopt;
  }
  return member->get_ref<const std::string&>();
}

std::optional<bool> get_bool(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  if (member == nullptr || !member->is_boolean()) {
    return std::nullopt;
  }
  return member->get<bool>();
}

std::optional<std::int64_t> as_integer(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number_float()) {
    constexpr double kLimit = 9223372036854775808.0;  // 2^63
    const double number = value.get<double>();
    if (!(number >= -kLimit && number < kLimit) || std::trunc(number) != number) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

std::optional<std::int64_t> get_integer(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  return member == nullptr ? std::nullopt : as_integer(*member);
}

std::optional<double> get_number(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  if (member == nullptr || !member->is_number()) {
    return std::nullopt;
  }
  return member->get<double>();
}

const Json* get_object(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  return member != nullptr && member->is_object() ? member : nullptr;
}

const Json* get_array(const Json& value, std::string_view key) {
  const Json* member = get_member(value, key);
  return member != nullptr && member->is_array() ? member : nullptr;
}

std::string quote_json(std::string_view text) {
  return dumped(Json(std::string(text)), -1);
}

}  // namespace robot_council::base
