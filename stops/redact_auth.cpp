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

// Bytes at which something may begin: : - [ and the letters of the words below.
constexpr std::array<bool, 256> kStarts = [] {
  std::array<bool, 256> starts{};
  for (const char c : std::string_view(":-[aAbBcC")) {
    starts[static_cast<unsigned char>(c)] = true;
  }
  return starts;
}();

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), plain_(text), rewriter_(text) {}

  void scan() {
    for (std::size_t at = 0; at < text_.size();) {
      if (!kStarts[static_cast<unsigned char>(text_[at])]) {
        ++at;
        continue;
      }
      if (text_[at] == '[') {
        if (const std::size_t end = marker_end(text_, at); end != kNowhere) {
          at = end;
          continue;
        }
      }
      at = std::max(at + 1, step(at));
    }
  }
  [[nodiscard]] bool finish(std::string& text) { return rewriter_.finish(text); }

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
  [[nodiscard]] std::size_t blanks(std::size_t at, std::string_view also = {}) const {
    while (at < text_.size() &&
           (text_[at] == ' ' || text_[at] == '\t' || also.find(text_[at]) != kNowhere)) {
      ++at;
    }
    return at;
  }
  [[nodiscard]] bool is_plain(std::size_t begin, std::size_t end) {
    return plain_.has(begin, end, Quotes::other);
  }
  std::size_t hide(std::size_t begin, std::size_t end) {
    rewriter_.replace(begin, end, kKind);
    return end;
  }

  // scheme://user:PASS@host
  std::size_t url(std::size_t at) {
    if (!text_.substr(at).starts_with("://")) {
      return 0;
    }
    const std::size_t begin = at + 3;
    const std::size_t end = skip(text_, begin, kAuthority);
    const std::string_view authority = text_.substr(begin, end - begin);
    const std::size_t host = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (host == kNowhere || colon == kNowhere || colon + 1 >= host ||
        is_plain(begin + colon + 1, begin + host)) {
      return end;
    }
    (void)hide(begin + colon + 1, begin + host);
    return end;
  }

  // curl's -u user:PASS; numbers on both sides are ids.
  std::size_t user_option(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    const std::size_t length = rest.starts_with("-u") ? 2 : rest.starts_with("--user") ? 6 : 0;
    std::size_t value = at + length;
    if (length == 0 || value >= text_.size() || !in_class(text_[value], kBlank) ||
        (at > 0 && !in_class(text_[at - 1], kBlank) && text_[at - 1] != '`')) {
      return 0;
    }
    value = blanks(value, "\"'");
    const std::size_t end = skip(text_, value, kArgument);
    const std::string_view pair = text_.substr(value, end - value);
    const std::size_t colon = pair.find(':');
    if (colon == kNowhere || colon == 0 || colon + 1 == pair.size() ||
        pair.find("://") != kNowhere) {
      return 0;
    }
    const std::string_view secret = pair.substr(colon + 1);
    const bool ids = base::parse_digits(secret) && base::parse_digits(pair.substr(0, colon));
    return ids || is_plain(value + colon + 1, end) ? 0 : hide(value + colon + 1, end);
  }

  // Authorization: Basic, Bearer, token
  std::size_t authorization(std::size_t at) {
    constexpr std::string_view kHeader = "authorization";
    constexpr std::array<std::string_view, 3> kSchemes = {"basic", "bearer", "token"};
    if (!starts_with_nocase(text_.substr(at), kHeader)) {
      return 0;
    }
    std::size_t value = at + kHeader.size();
    while (value < text_.size() && std::string_view("\"'\\").find(text_[value]) != kNowhere) {
      ++value;
    }
    value = blanks(value);
    if (value >= text_.size() || (text_[value] != ':' && text_[value] != '=')) {
      return 0;
    }
    value = blanks(value + 1, "\"'\\");
    for (const std::string_view scheme : kSchemes) {
      const std::size_t after = value + scheme.size();
      if (starts_with_nocase(text_.substr(value), scheme) && after < text_.size() &&
          (text_[after] == ' ' || text_[after] == '\t')) {
        return token(blanks(after), kLeastValue);
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
    return token(blanks(after), kLeastBearer);
  }

  std::size_t token(std::size_t begin, std::size_t least) {
    const std::size_t end = skip(text_, begin, kToken);
    if (end - begin < least || is_plain(begin, end)) {
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
    const std::size_t begin = blanks(at + kHeader.size());
    const std::size_t end = skip(text_, begin, kCookie);
    const std::string_view value = text_.substr(begin, end - begin);
    const std::size_t equals = value.find('=');
    if (equals == kNowhere || equals == 0 || marker_end(value, 0) != kNowhere ||
        is_plain(begin + equals + 1, end)) {
      return end;
    }
    return hide(begin, end);
  }

  std::string_view text_;
  PlainValues plain_;
  Rewriter rewriter_;
};

}  // namespace

bool redact_auth(std::string& text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.finish(text);
}

}  // namespace robot_council::stops::redaction
