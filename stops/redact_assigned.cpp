// Step 4 of redaction: values that go to a name which says that they are secret.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/utf8.hpp"
#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

constexpr std::string_view kKind = "assigned";
constexpr std::size_t kMaxNameBytes = 128;  // of a longer name its end is looked at
constexpr std::size_t kMaxBlanks = 8;       // between a name and what follows
constexpr std::size_t kLeastStrong = 4;
constexpr std::size_t kLeastWeak = 10;
constexpr std::size_t kMostWeak = 150;
constexpr double kLeastEntropy = 3.5;  // bits a byte

enum class Strength : std::uint8_t { none, weak, strong };

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// A part of a name, in lower case.
bool is_strong(std::string_view part, std::string_view before) {
  constexpr std::array<std::string_view, 11> kParts = {
      "password",   "passwd",      "passphrase", "pwd",       "secret",    "token",
      "credential", "credentials", "apikey",     "accesskey", "privatekey"};
  constexpr std::array<std::string_view, 3> kEnds = {"password", "passwd", "secret"};
  return std::find(kParts.begin(), kParts.end(), part) != kParts.end() ||
         std::any_of(kEnds.begin(), kEnds.end(),
                     [part](std::string_view end) { return part.ends_with(end); }) ||
         (part == "pass" && !before.empty()) ||
         (part == "key" && (before == "api" || before == "access" || before == "private"));
}

bool is_weak(std::string_view part) {
  constexpr std::array<std::string_view, 5> kParts = {"access", "auth", "api", "creds", "key"};
  return std::find(kParts.begin(), kParts.end(), part) != kParts.end();
}

// Only parts that end in one of these letters do.
bool may_count(std::string_view part) {
  if (part.size() < 3) {
    return false;
  }
  switch (part[part.size() - 1]) {
    case 'd':  // password, passwd, pwd
    case 'e':  // passphrase
    case 'h':  // auth
    case 'i':  // api
    case 'l':  // credential
    case 'n':  // token
    case 's':  // access, credentials, creds, pass
    case 't':  // secret
    case 'y':  // key
      return true;
    default:
      return false;
  }
}

// By the name's parts: split at _ - . and where the case changes, as `apiKey`, `APIKey`.
Strength strength_of(std::string_view name) {
  if (name.size() > kMaxNameBytes) {
    name.remove_prefix(name.size() - kMaxNameBytes);
  }
  std::array<char, kMaxNameBytes> lower{};
  Strength strength = Strength::none;
  std::string_view before;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const bool gap = i == name.size() || !in_class(name[i], kAlnum);
    const bool hump = !gap && i > begin && is_upper(name[i]) &&
                      (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (gap || hump) {
      const std::string_view part(lower.data() + begin, i - begin);
      if (may_count(part)) {
        if (is_strong(part, before)) {
          return Strength::strong;
        }
        strength = is_weak(part) ? Strength::weak : strength;
      }
      before = part.empty() ? before : part;
      begin = gap ? i + 1 : i;
    }
    if (!gap) {
      lower[i] = is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    }
  }
  return strength;
}

// Enough different bytes, evenly enough spread?
bool is_random(std::string_view value) {
  constexpr std::size_t kLeastDistinct = 12;  // so many are needed for kLeastEntropy
  std::array<std::uint16_t, 256> counts{};
  std::array<std::uint64_t, 4> present{};
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    ++counts[byte];
    present[byte / 64U] |= std::uint64_t{1} << (byte % 64U);
  }
  std::size_t distinct = 0;
  for (const std::uint64_t word : present) {
    distinct += static_cast<std::size_t>(std::popcount(word));
  }
  if (distinct < kLeastDistinct) {
    return false;
  }
  const auto bits_of = [&value](std::size_t count) {
    const double share = static_cast<double>(count) / static_cast<double>(value.size());
    return share * std::log2(share);
  };
  const double single = bits_of(1);
  double bits = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    for (std::uint64_t word = present[i]; word != 0; word &= word - 1) {
      const std::size_t count = counts[i * 64U + static_cast<std::size_t>(std::countr_zero(word))];
      bits -= count == 1 ? single : bits_of(count);
    }
  }
  return bits >= kLeastEntropy;
}

// Where a value stands, and how it is quoted.
struct Value {
  std::size_t begin = 0;
  std::size_t end = 0;
  Quotes quotes = Quotes::none;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text)
      : text_(text), runs_(text), plain_(text), rewriter_(text) {}

  void scan() {
    for (std::size_t at = 0; at < text_.size();) {
      if (in_class(text_[at], kName)) {
        const std::size_t end = skip(text_, at, kName);
        at = std::max(end, name(at, end));
        continue;
      }
      const std::size_t end = marker_end(text_, at);
      at = end == kNowhere ? at + 1 : end;
    }
  }
  [[nodiscard]] bool finish(std::string& text) { return rewriter_.finish(text); }

 private:
  // What follows a name. The place to go on from.
  std::size_t name(std::size_t begin, std::size_t end) {
    const std::size_t after = behind_quote(end);
    const std::size_t sign = skip_blanks(after);
    if (sign >= text_.size()) {
      return end;
    }
    const bool option = text_.substr(begin, 2) == "--" && after == end && sign > end;
    const std::size_t value = behind_sign(sign, after != end, option);
    if (value == kNowhere) {
      return end;
    }
    const Strength strength = strength_of(text_.substr(begin, end - begin));
    if (strength == Strength::none) {
      return end;
    }
    const Value found = value_at(value);
    if (text_[sign] == ',' && found.quotes == Quotes::none) {
      return end;  // a comma of a sentence
    }
    const std::string_view bytes = text_.substr(found.begin, found.end - found.begin);
    const bool by_blank = value == sign;
    if (by_blank &&
        (bytes.empty() || bytes.front() == '-' || bytes.find_first_of("0123456789") == kNowhere)) {
      return end;
    }
    if (!is_secret(found, strength)) {
      return end;
    }
    rewriter_.replace(found.begin, found.end, kKind);
    return found.end;
  }

  // Over a closing quotation mark, escaped or not.
  [[nodiscard]] std::size_t behind_quote(std::size_t at) const {
    std::size_t end = at;
    if (end < text_.size() && text_[end] == '\\') {
      ++end;
    }
    return end < text_.size() && is_quote(text_[end]) ? end + 1 : at;
  }
  [[nodiscard]] static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

  [[nodiscard]] std::size_t skip_blanks(std::size_t at) const {
    const std::size_t limit = std::min(text_.size(), at + kMaxBlanks);
    while (at < limit && (text_[at] == ' ' || text_[at] == '\t')) {
      ++at;
    }
    return at;
  }

  // Behind = : := => or a comma; behind the blanks after an option. kNowhere: no value follows.
  [[nodiscard]] std::size_t behind_sign(std::size_t sign, bool quoted_name, bool option) const {
    const std::string_view rest = text_.substr(sign);
    if (rest.front() != '=' && rest.front() != ':' && rest.front() != ',') {
      return option ? sign : kNowhere;
    }
    std::size_t length = 0;
    if (rest.starts_with(":=") || rest.starts_with("=>")) {
      length = 2;
    } else if (rest.starts_with("==")) {
      length = rest.find_first_not_of('=');
    } else if (rest.starts_with("::") || rest.starts_with("://")) {
      return kNowhere;
    } else if (rest.front() == '=' || rest.front() == ':' || (rest.front() == ',' && quoted_name)) {
      length = 1;
    } else {
      return option ? sign : kNowhere;
    }
    return length == kNowhere ? kNowhere : skip_blanks(sign + length);
  }

  [[nodiscard]] Value value_at(std::size_t at) {
    std::size_t open = at;
    const bool escaped =
        open + 1 < text_.size() && text_[open] == '\\' && is_quote(text_[open + 1]);
    open += escaped ? 1 : 0;
    if (open < text_.size() && is_quote(text_[open])) {
      const char quote = text_[open];
      const std::size_t begin = open + 1;
      for (std::size_t i = begin; i < text_.size() && text_[i] != '\n'; ++i) {
        if (text_[i] == '\\' && !(escaped && i + 1 < text_.size() && text_[i + 1] == quote)) {
          ++i;
        } else if (text_[i] == quote || text_[i] == '\\') {
          return {begin, i, quote == '\'' ? Quotes::literal : Quotes::other};
        }
      }
      return bare(begin);
    }
    return bare(at);
  }

  [[nodiscard]] Value bare(std::size_t at) {
    // A reference may hold blanks: {{ x }}, $(c d).
    const std::string_view rest = text_.substr(at, 2);
    const std::size_t close = rest == "{{" ? braces(at) : rest == "$(" ? bracket(at) : kNowhere;
    if (close != kNowhere && close <= line(at)) {
      return {at, close, Quotes::none};
    }
    if (const std::size_t end = marker_end(text_, at); end != kNowhere) {
      return {at, end, Quotes::none};
    }
    return {at, at < text_.size() ? runs_.end(kBare, at) : at, Quotes::none};
  }

  // Behind the next }} or ), and the end of the line.
  std::size_t braces(std::size_t at) {
    const std::size_t found =
        braces_.from(at, [this](std::size_t from) { return text_.find("}}", from); });
    return found == kNowhere ? kNowhere : found + 2;
  }
  std::size_t bracket(std::size_t at) {
    const std::size_t found =
        bracket_.from(at, [this](std::size_t from) { return text_.find(')', from); });
    return found == kNowhere ? kNowhere : found + 1;
  }
  std::size_t line(std::size_t at) {
    return std::min(line_.from(at, [this](std::size_t from) { return text_.find('\n', from); }),
                    text_.size());
  }

  [[nodiscard]] bool is_secret(const Value& found, Strength strength) {
    const std::string_view value = text_.substr(found.begin, found.end - found.begin);
    // In single quotes a shell refers to nothing.
    if (found.quotes == Quotes::literal && value.size() > 1 && value.front() == '$') {
      return strength == Strength::strong;
    }
    if (plain_.has(found.begin, found.end, found.quotes)) {
      return false;
    }
    // A longer value need not be counted to its end. A code point has at most four bytes.
    if (strength == Strength::weak && value.size() > 4 * kMostWeak) {
      return false;
    }
    const std::size_t most = strength == Strength::strong ? kLeastStrong : kMostWeak + 1;
    const std::size_t length = base::count_code_points(base::prefix_code_points(value, most));
    if (strength == Strength::strong) {
      return length >= kLeastStrong;
    }
    const bool publishable = value.starts_with("pk_live_") || value.starts_with("pk_test_");
    return length >= kLeastWeak && length <= kMostWeak && !publishable && is_random(value);
  }

  std::string_view text_;
  Runs runs_;
  PlainValues plain_;
  Next braces_;
  Next bracket_;
  Next line_;
  Rewriter rewriter_;
};

}  // namespace

bool redact_assigned(std::string& text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.finish(text);
}

}  // namespace robot_council::stops::redaction
