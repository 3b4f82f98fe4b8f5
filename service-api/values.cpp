#include "service-api/values.hpp"

#include <algorithm>
#include <cmath>

#include "base/json_scan.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "service-api/limits.hpp"

namespace robot_council::service_api {

namespace {

constexpr std::size_t kMaxPathDigits = 18;
constexpr double kMaxExactDouble =
    9007199254740992.0;  // 2^53: above it a double names no one integer

bool is_json_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Bytes that one string byte takes in the compact spelling: a code point outside ASCII is one or
// two \uXXXX, counted at its first byte.
std::size_t spelled_size(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr unsigned kAsciiEnd = 0x80;
  constexpr unsigned kLeadByte = 0xC0;
  constexpr unsigned kFourByteLead = 0xF0;
  constexpr std::size_t kEscape = 6;  // \uXXXX
  if (byte < kAsciiEnd) {
    return c == '/' ? 2 : 1;
  }
  if (byte < kLeadByte) {
    return 0;
  }
  return byte >= kFourByteLead ? 2 * kEscape : kEscape;
}

}  // namespace

std::optional<std::int64_t> parse_path_id(std::string_view segment) {
  if (segment.empty() || segment.size() > kMaxPathDigits) {
    return std::nullopt;
  }
  return base::parse_digits(segment);
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  bool negative = false;
  if (!text.empty() && text.front() == '-') {
    negative = true;
    text.remove_prefix(1);
  }
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    if (fraction.empty() || fraction.find_first_not_of('0') != std::string_view::npos) {
      return std::nullopt;
    }
    text = text.substr(0, point);
  }
  const auto digits = base::parse_digits(text);
  if (!digits) {
    return std::nullopt;
  }
  return negative ? -*digits : *digits;
}

std::optional<std::int64_t> integer_of(const base::Json& value) {
  if (value.is_string()) {
    return integer_of(std::string_view(value.get_ref<const std::string&>()));
  }
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::floor(number) != number || std::fabs(number) > kMaxExactDouble) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(number);
  }
  return base::as_integer(value);
}

std::vector<std::int64_t> sorted_ids(std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::size_t compact_size(std::string_view json) {
  std::size_t size = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      const char escaped = json[++i];
      size += 2;
      if (escaped == 'u') {
        // Counted as written: re-spelling \u0041 as one byte would only make it smaller.
        constexpr std::size_t kHexDigits = 4;
        size += kHexDigits;
        i += kHexDigits;
      }
      continue;
    }
    if (c == '"') {
      in_string = !in_string;
      ++size;
    } else if (in_string) {
      size += spelled_size(c);
    } else if (!is_json_blank(c)) {
      ++size;
    }
  }
  return size;
}

std::string without_blanks(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\' && i + 1 < json.size()) {
      text += c;
      text += json[++i];
      continue;
    }
    if (c == '"') {
      in_string = !in_string;
    }
    if (in_string || !is_json_blank(c)) {
      text += c;
    }
  }
  return text;
}

base::Status check_free_object(std::string_view json) {
  const bool object = base::json_kind(json) == base::JsonKind::object;
  // An empty list is what a writer without typed objects sends for an empty object.
  if (!object && !is_empty_container(json)) {
    return base::Error{base::Errc::invalid, "must be an object"};
  }
  if (!base::validate_json(json, kMaxJsonNesting)) {
    return base::Error{base::Errc::invalid, "must not be nested deeper than 8 levels"};
  }
  if (compact_size(json) > kMaxJsonBytes) {
    return base::Error{base::Errc::invalid, "must not be larger than 4096 bytes of JSON"};
  }
  return {};
}

bool is_empty_container(std::string_view json) {
  const std::string text = without_blanks(json);
  return text == "{}" || text == "[]";
}

}  // namespace robot_council::service_api
