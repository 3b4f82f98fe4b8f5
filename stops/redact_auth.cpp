// Step 3 of redaction: passwords and tokens that a protocol's own words announce.

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

constexpr std::string_view kKind = "auth";
constexpr std::size_t kLeastBearer = 20;  // bytes of a token after the bare word Bearer
constexpr std::size_t kLeastValue = 4;

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
      at = std::max(at + 1, step(at));
    }
  }
  [[nodiscard]] bool changed() const { return rewriter_.changed(); }
  [[nodiscard]] std::string finish() { return rewriter_.finish(); }

 private:
  // Looks at one place; the place to go on from, 0 = the next byte.
  std::size_t step(std::size_t at) {
    switch (text_[at]) {
      case ':':
        return url(at);
      case '-':
        return user_option(at);
      case 'a':
      case 'A':
        return is_start(at) ? authorization(at) : 0;
      case 'b':
      case 'B':
        return is_start(at) ? bearer(at) : 0;
      case 'c':
      case 'C':
        return is_start(at) ? cookie(at) : 0;
      default:
        return 0;
    }
  }

  [[nodiscard]] bool is_start(std::size_t at) const {
    return at == 0 || !in_class(text_[at - 1], kAlnum);
  }
  [[nodiscard]] std::size_t skip(std::size_t at, std::string_view any) const {
    return std::min(text_.find_first_not_of(any, at), text_.size());
  }
  [[nodiscard]] std::size_t until(std::size_t at, std::string_view any) const {
    return std::min(text_.find_first_of(any, at), text_.size());
  }
  std::size_t hide(std::size_t begin, std::size_t end) {
    rewriter_.replace(begin, end, kKind);
    return end;
  }

  // scheme://user:PASS@host
  std::size_t url(std::size_t at) {
    if (text_.substr(at, 3) != "://") {
      return 0;
    }
    const std::size_t begin = at + 3;
    const std::size_t end = until(begin, "/?# \t\r\n\"'<>`");
    const std::string_view authority = text_.substr(begin, end - begin);
    const std::size_t host = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (host == kNowhere || colon == kNowhere || colon + 1 >= host ||
        is_plain_value(authority.substr(colon + 1, host - colon - 1), Quotes::other)) {
      return end;
    }
    (void)hide(begin + colon + 1, begin + host);
    return end;
  }

  // curl's -u user:PASS; numbers on both sides are ids.
  std::size_t user_option(std::size_t at) {
    std::size_t value = 0;
    for (const std::string_view option : {std::string_view("-u"), std::string_view("--user")}) {
      if (text_.substr(at, option.size()) == option) {
        value = at + option.size();
      }
    }
    if (value == 0 || value >= text_.size() || !in_class(text_[value], kBlank) ||
        (at > 0 && !in_class(text_[at - 1], kBlank) && text_[at - 1] != '`')) {
      return 0;
    }
    value = skip(value, " \t\"'");
    const std::size_t end = until(value, " \t\r\n\"'`");
    const std::string_view pair = text_.substr(value, end - value);
    const std::size_t colon = pair.find(':');
    if (colon == kNowhere || colon == 0 || colon + 1 == pair.size() ||
        pair.find("://") != kNowhere) {
      return 0;
    }
    const std::string_view secret = pair.substr(colon + 1);
    const bool ids = base::parse_digits(secret) && base::parse_digits(pair.substr(0, colon));
    return ids || is_plain_value(secret, Quotes::other) ? 0 : hide(value + colon + 1, end);
  }

  // Authorization: Basic, Bearer, token
  std::size_t authorization(std::size_t at) {
    constexpr std::string_view kHeader = "authorization";
    constexpr std::array<std::string_view, 3> kSchemes = {"basic", "bearer", "token"};
    if (!starts_with_nocase(text_.substr(at), kHeader)) {
      return 0;
    }
    std::size_t value = skip(at + kHeader.size(), "\"'\\");
    value = skip(value, " \t");
    if (value >= text_.size() || (text_[value] != ':' && text_[value] != '=')) {
      return 0;
    }
    value = skip(value + 1, " \t\"'\\");
    for (const std::string_view scheme : kSchemes) {
      const std::size_t after = value + scheme.size();
      if (starts_with_nocase(text_.substr(value), scheme) && after < text_.size() &&
          (text_[after] == ' ' || text_[after] == '\t')) {
        return token(skip(after, " \t"), kLeastValue);
      }
    }
    return 0;
  }

  std::size_t bearer(std::size_t at) {
    constexpr std::string_view kWordBearer = "bearer";
    const std::size_t after = at + kWordBearer.size();
    if (!starts_with_nocase(text_.substr(at), kWordBearer) || after >= text_.size() ||
        (text_[after] != ' ' && text_[after] != '\t')) {
      return 0;
    }
    return token(skip(after, " \t"), kLeastBearer);
  }

  std::size_t token(std::size_t begin, std::size_t least) {
    std::size_t end = begin;
    while (end < text_.size() && in_class(text_[end], kToken)) {
      ++end;
    }
    if (end - begin < least || is_plain_value(text_.substr(begin, end - begin), Quotes::other)) {
      return end;
    }
    return hide(begin, end);
  }

  // Cookie: and Set-Cookie: to the end of the line or of its quotation marks.
  std::size_t cookie(std::size_t at) {
    constexpr std::string_view kHeader = "cookie:";
    if (!starts_with_nocase(text_.substr(at), kHeader)) {
      return 0;
    }
    const std::size_t begin = skip(at + kHeader.size(), " \t");
    const std::size_t end = until(begin, "\r\n\"'`");
    const std::string_view value = text_.substr(begin, end - begin);
    const std::size_t equals = value.find('=');
    if (equals == kNowhere || equals == 0 || marker_end(value, 0) != kNowhere ||
        is_plain_value(value.substr(equals + 1), Quotes::other)) {
      return end;
    }
    return hide(begin, end);
  }

  std::string_view text_;
  Rewriter rewriter_;
};

}  // namespace

std::string redact_auth(std::string text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.changed() ? scanner.finish() : std::move(text);
}

}  // namespace robot_council::stops::redaction
