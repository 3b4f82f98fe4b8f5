// Step 4 of redaction: values that go to a name which says that they are secret.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/text.hpp"
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

// A name's parts: split at _ - . and where the case changes, as `apiKey`, `APIKey`.
template <class Visit>
void for_parts(std::string_view name, const Visit& visit) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const bool gap = i == name.size() || !in_class(name[i], kAlnum);
    const bool hump = !gap && i > begin && is_upper(name[i]) &&
                      (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if (gap || hump) {
      if (i > begin) {
        visit(base::to_lower_ascii(name.substr(begin, i - begin)));
      }
      begin = gap ? i + 1 : i;
    }
  }
}

constexpr std::array<std::string_view, 5> kWeak = {"access", "auth", "api", "creds", "key"};

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

Strength strength_of(std::string_view name) {
  if (name.size() > kMaxNameBytes) {
    name.remove_prefix(name.size() - kMaxNameBytes);
  }
  Strength strength = Strength::none;
  std::string before;
  for_parts(name, [&strength, &before](std::string part) {
    if (is_strong(part, before)) {
      strength = Strength::strong;
    } else if (strength == Strength::none &&
               std::find(kWeak.begin(), kWeak.end(), part) != kWeak.end()) {
      strength = Strength::weak;
    }
    before = std::move(part);
  });
  return strength;
}

double entropy(std::string_view value) {
  std::array<std::size_t, 256> counts{};
  for (const char c : value) {
    ++counts[static_cast<unsigned char>(c)];
  }
  double bits = 0;
  for (const std::size_t count : counts) {
    if (count > 0) {
      const double share = static_cast<double>(count) / static_cast<double>(value.size());
      bits -= share * std::log2(share);
    }
  }
  return bits;
}

// Where a value stands, and how it is quoted.
struct Value {
  std::size_t begin = 0;
  std::size_t end = 0;
  Quotes quotes = Quotes::none;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), rewriter_(text) {}

  void scan() {
    for (std::size_t at = 0; at < text_.size();) {
      if (text_[at] == '[') {
        if (const std::size_t end = marker_end(text_, at); end != kNowhere) {
          at = end;
          continue;
        }
      }
      if (!in_class(text_[at], kName)) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text_.size() && in_class(text_[end], kName)) {
        ++end;
      }
      at = std::max(end, name(at, end));
    }
  }
  [[nodiscard]] bool changed() const { return rewriter_.changed(); }
  [[nodiscard]] std::string finish() { return rewriter_.finish(); }

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
    if (!is_secret(bytes, found.quotes, strength)) {
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

  [[nodiscard]] Value value_at(std::size_t at) const {
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

  [[nodiscard]] Value bare(std::size_t at) const {
    // A reference may hold blanks: {{ x }}, $(c d).
    const std::string_view rest = text_.substr(at, 2);
    const std::string_view close = rest == "{{" ? "}}" : rest == "$(" ? ")" : "";
    if (!close.empty()) {
      const std::size_t line = std::min(text_.find('\n', at), text_.size());
      const std::size_t end = text_.substr(at, line - at).find(close);
      if (end != kNowhere) {
        return {at, at + end + close.size(), Quotes::none};
      }
    }
    if (const std::size_t end = marker_end(text_, at); end != kNowhere) {
      return {at, end, Quotes::none};
    }
    return {at, std::min(text_.find_first_of(" \t\r\n\"'`,;)]}<>&|\\", at), text_.size()),
            Quotes::none};
  }

  [[nodiscard]] static bool is_secret(std::string_view value, Quotes quotes, Strength strength) {
    // In single quotes a shell refers to nothing.
    if (quotes == Quotes::literal && value.size() > 1 && value.front() == '$') {
      return strength == Strength::strong;
    }
    if (is_plain_value(value, quotes)) {
      return false;
    }
    const std::size_t length = base::count_code_points(value);
    if (strength == Strength::strong) {
      return length >= kLeastStrong;
    }
    const bool publishable = value.starts_with("pk_live_") || value.starts_with("pk_test_");
    return length >= kLeastWeak && length <= kMostWeak && !publishable &&
           entropy(value) >= kLeastEntropy;
  }

  std::string_view text_;
  Rewriter rewriter_;
};

}  // namespace

std::string redact_assigned(std::string text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.changed() ? scanner.finish() : std::move(text);
}

}  // namespace robot_council::stops::redaction
