// Step 1 of redaction: what spans lines. Private keys, and a Google service account's.

#include <algorithm>

#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

constexpr std::string_view kBeginHead = "-----BEGIN ";
constexpr std::string_view kEndHead = "-----END ";
constexpr Finder kPutty("PuTTY-User-Key-File-");
constexpr Finder kPuttyEnd("Private-MAC:");
constexpr std::size_t kMaxLabel = 48;  // bytes of what stands between BEGIN and the dashes

// End of the line `-----BEGIN .. PRIVATE KEY( BLOCK)-----` that begins at `at`.
std::size_t armour_end(std::string_view text, std::size_t at, std::string_view head) {
  const std::string_view rest = text.substr(at + head.size(), kMaxLabel);
  const std::size_t dashes = rest.find("-----");
  if (dashes == std::string_view::npos) {
    return kNowhere;
  }
  const std::string_view label = rest.substr(0, dashes);
  const bool ours = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
  return ours ? at + head.size() + dashes + 5 : kNowhere;
}

struct Armour {
  std::size_t begin = kNowhere;
  std::size_t end = kNowhere;
};

// The lines of one sort, -----BEGIN or -----END, from the text's start to its end.
class Armours {
 public:
  Armours(std::string_view text, std::string_view head) : text_(text), head_(head), finder_(head) {
    pass(0);
  }
  [[nodiscard]] const Armour& now() const { return now_; }
  // The first one that begins at `from` or behind it; never an earlier one than now().
  void pass(std::size_t from) {
    if (now_.begin != kNowhere && now_.begin >= from && now_.end > 0) {
      return;
    }
    while (from_ != kNowhere) {
      const std::size_t at = finder_.find(text_, std::max(from, from_));
      from_ = at == kNowhere ? kNowhere : at + 1;
      const std::size_t end = at == kNowhere ? kNowhere : armour_end(text_, at, head_);
      if (end != kNowhere) {
        now_ = {at, end};
        return;
      }
    }
    now_ = {};
  }

 private:
  std::string_view text_;
  std::string_view head_;
  Finder finder_;
  std::size_t from_ = 0;  // where to search for the next
  Armour now_{0, 0};
};

bool redact_keys(std::string& text) {
  Rewriter rewriter(text);
  Armours begins(text, kBeginHead);
  Armours ends(text, kEndHead);
  while (begins.now().begin != kNowhere || ends.now().begin != kNowhere) {
    std::size_t at = 0;
    if (ends.now().begin < begins.now().begin) {
      // The text begins inside a key.
      at = ends.now().end;
      rewriter.restart();
      rewriter.replace(0, at, "private-key");
    } else {
      const Armour key = begins.now();
      ends.pass(key.end);
      at = ends.now().begin == kNowhere ? text.size() : ends.now().end;
      rewriter.replace(key.begin, at, "private-key");
    }
    begins.pass(at);
    ends.pass(at);
  }
  return rewriter.finish(text);
}

bool redact_putty(std::string& text) {
  Rewriter rewriter(text);
  for (std::size_t at = kPutty.find(text, 0); at != kNowhere;) {
    const std::size_t mac = kPuttyEnd.find(text, at);
    const std::size_t end =
        mac == kNowhere ? text.size() : std::min(text.find('\n', mac), text.size());
    rewriter.replace(at, end, "private-key");
    at = kPutty.find(text, end);
  }
  return rewriter.finish(text);
}

// A key's value that the steps before left open: not in armour.
bool redact_account(std::string& text) {
  constexpr std::string_view kName = "\"private_key\"";
  constexpr Finder kNames(kName);
  constexpr Finder kAccount("auth_provider_x509_cert_url");
  if (kAccount.find(text, 0) == kNowhere) {
    return false;
  }
  Rewriter rewriter(text);
  for (std::size_t at = kNames.find(text, 0); at != kNowhere; at = kNames.find(text, at)) {
    at += kName.size();
    std::size_t value = at;
    while (value < text.size() && (in_class(text[value], kBlank) || text[value] == ':')) {
      ++value;
    }
    if (value == text.size() || text[value] != '"') {
      continue;
    }
    ++value;
    std::size_t end = value;
    while (end < text.size() && text[end] != '"') {
      end += text[end] == '\\' ? 2U : 1U;
    }
    end = std::min(end, text.size());
    at = end;
    if (end > value && marker_end(text, value) == kNowhere) {
      rewriter.replace(value, end, "gcp-account");
    }
  }
  return rewriter.finish(text);
}

}  // namespace

bool redact_blocks(std::string& text) {
  const bool keys = redact_keys(text);
  const bool putty = redact_putty(text);
  const bool account = redact_account(text);
  return keys || putty || account;
}

}  // namespace robot_council::stops::redaction
