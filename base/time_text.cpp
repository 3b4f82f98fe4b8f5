#include "base/time_text.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "base/text.hpp"

namespace robot_council::base {
namespace {

struct Civil {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int millisecond = 0;
};

// Days since 1970-01-01 of a date of the Gregorian calendar. The year is taken to begin in March,
// so that the leap day is its last one.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

Civil civil_from_ms(std::int64_t wall_ms) {
  constexpr std::int64_t kDay = 86400000;
  std::int64_t days = wall_ms / kDay;
  std::int64_t rest = wall_ms % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  civil.month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.hour = static_cast<int>(rest / 3600000);
  civil.minute = static_cast<int>(rest / 60000 % 60);
  civil.second = static_cast<int>(rest / 1000 % 60);
  civil.millisecond = static_cast<int>(rest % 1000);
  return civil;
}

// The format is a constant of this file; the value has the fields it names.
std::string written(const char* format, std::int64_t wall_ms) {
  const Civil c = civil_from_ms(wall_ms);
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), format, static_cast<long long>(c.year),
                                 c.month, c.day, c.hour, c.minute, c.second, c.millisecond);
  return {text.data(), static_cast<std::size_t>(size)};
}

// Reads exactly n digits at `at` and moves it.
std::optional<int> digits(std::string_view text, std::size_t& at, std::size_t n) {
  if (at + n > text.size()) {
    return std::nullopt;
  }
  const auto value = parse_digits(text.substr(at, n));
  if (!value) {
    return std::nullopt;
  }
  at += n;
  return static_cast<int>(*value);
}

bool literal(std::string_view text, std::size_t& at, char c) {
  if (at < text.size() && text[at] == c) {
    ++at;
    return true;
  }
  return false;
}

std::optional<std::int64_t> to_ms(const Civil& c) {
  constexpr std::array<int, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (c.month < 1 || c.month > 12 || c.day < 1 ||
      c.day > kDays.at(static_cast<std::size_t>(c.month - 1)) || c.hour > 23 || c.minute > 59 ||
      c.second > 60) {
    return std::nullopt;
  }
  const std::int64_t days = days_from_civil(c.year, c.month, c.day);
  return ((days * 24 + c.hour) * 60 + c.minute) * 60000 + c.second * 1000LL + c.millisecond;
}

// "Z", "+01:00" or "+0100" at the end of the text: minutes east of UTC.
std::optional<int> offset_minutes(std::string_view text, std::size_t& at) {
  if (literal(text, at, 'Z')) {
    return 0;
  }
  const bool west = at < text.size() && text[at] == '-';
  if (!literal(text, at, '+') && !literal(text, at, '-')) {
    return std::nullopt;
  }
  const auto hours = digits(text, at, 2);
  (void)literal(text, at, ':');
  const auto minutes = digits(text, at, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) {
    return std::nullopt;
  }
  const int total = *hours * 60 + *minutes;
  return west ? -total : total;
}

}  // namespace

std::string iso_offset(std::int64_t wall_ms) {
  return written("%04lld-%02d-%02dT%02d:%02d:%02d+00:00", wall_ms);
}

std::string iso_zulu(std::int64_t wall_ms) {
  return written("%04lld-%02d-%02dT%02d:%02d:%02dZ", wall_ms);
}

std::string iso_zulu_ms(std::int64_t wall_ms) {
  return written("%04lld-%02d-%02dT%02d:%02d:%02d.%03dZ", wall_ms);
}

std::string compact_utc(std::int64_t wall_ms) {
  return written("%04lld%02d%02dT%02d%02d%02dZ", wall_ms);
}

std::string utc_date(std::int64_t wall_ms) {
  return written("%04lld-%02d-%02d", wall_ms);
}

std::optional<std::int64_t> parse_iso(std::string_view text) {
  std::size_t at = 0;
  Civil c;
  const auto year = digits(text, at, 4);
  if (!year || !literal(text, at, '-')) {
    return std::nullopt;
  }
  const auto month = digits(text, at, 2);
  if (!month || !literal(text, at, '-')) {
    return std::nullopt;
  }
  const auto day = digits(text, at, 2);
  if (!day || !literal(text, at, 'T')) {
    return std::nullopt;
  }
  const auto hour = digits(text, at, 2);
  if (!hour || !literal(text, at, ':')) {
    return std::nullopt;
  }
  const auto minute = digits(text, at, 2);
  if (!minute || !literal(text, at, ':')) {
    return std::nullopt;
  }
  const auto second = digits(text, at, 2);
  if (!second) {
    return std::nullopt;
  }
  c = Civil{*year, *month, *day, *hour, *minute, *second, 0};
  if (literal(text, at, '.')) {
    int scale = 100;
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      c.millisecond += (text[at] - '0') * scale;
      scale /= 10;
      ++at;
    }
    if (at == first) {
      return std::nullopt;
    }
  }
  const auto offset = offset_minutes(text, at);
  if (!offset || at != text.size()) {
    return std::nullopt;
  }
  const auto ms = to_ms(c);
  if (!ms) {
    return std::nullopt;
  }
  return *ms - *offset * 60000LL;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  // "Sun, 06 Nov 1994 08:49:37 GMT"
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  std::size_t at = 5;
  const auto day = digits(text, at, 2);
  const auto month = kMonths.find(text.substr(8, 3));
  at = 12;
  const auto year = digits(text, at, 4);
  at = 17;
  const auto hour = digits(text, at, 2);
  at = 20;
  const auto minute = digits(text, at, 2);
  at = 23;
  const auto second = digits(text, at, 2);
  if (!day || !year || !hour || !minute || !second || month == std::string_view::npos ||
      month % 3 != 0) {
    return std::nullopt;
  }
  return to_ms(Civil{*year, static_cast<int>(month / 3) + 1, *day, *hour, *minute, *second, 0});
}

std::string age_text(std::int64_t age_ms) {
  const std::int64_t seconds = age_ms < 0 ? 0 : age_ms / 1000;
  if (seconds < 60) {
    return std::to_string(seconds) + " s";
  }
  if (seconds < 3600) {
    return std::to_string(seconds / 60) + " min";
  }
  if (seconds < 86400) {
    return std::to_string(seconds / 3600) + " h";
  }
  return std::to_string(seconds / 86400) + " d";
}

}  // namespace robot_council::base
