// Step 1 of redaction: what spans lines. Private keys, and a Google service account's.

#include <algorithm>

#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kPutty = "PuTTY-User-Key-File-";
constexpr std::string_view kPuttyEnd = "Private-MAC:";
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

Armour next_armour(std::string_view text, std::size_t from, std::string_view head) {
  for (std::size_t at = text.find(head, from); at != kNowhere; at = text.find(head, at + 1)) {
    if (const std::size_t end = armour_end(text, at, head); end != kNowhere) {
      return {at, end};
    }
  }
  return {};
}

std::string redact_keys(std::string text) {
  Rewriter rewriter(text);
  const Armour begin = next_armour(text, 0, kBegin);
  Armour end = next_armour(text, 0, kEnd);
  std::size_t at = 0;
  if (end.begin != kNowhere && (begin.begin == kNowhere || end.begin < begin.begin)) {
    // The text begins inside a key.
    rewriter.replace(0, end.end, "private-key");
    at = end.end;
  }
  for (Armour key = next_armour(text, at, kBegin); key.begin != kNowhere;
       key = next_armour(text, at, kBegin)) {
    end = next_armour(text, key.end, kEnd);
    at = end.begin == kNowhere ? text.size() : end.end;
    rewriter.replace(key.begin, at, "private-key");
  }
  return rewriter.changed() ? rewriter.finish() : std::move(text);
}

std::string redact_putty(std::string text) {
  Rewriter rewriter(text);
  for (std::size_t at = text.find(kPutty); at != kNowhere;) {
    const std::size_t mac = text.find(kPuttyEnd, at);
    const std::size_t end =
        mac == kNowhere ? text.size() : std::min(text.find('\n', mac), text.size());
    rewriter.replace(at, end, "private-key");
    at = text.find(kPutty, end);
  }
  return rewriter.changed() ? rewriter.finish() : std::move(text);
}

// A key's value that the steps before left open: not in armour.
std::string redact_account(std::string text) {
  constexpr std::string_view kName = "\"private_key\"";
  if (text.find("auth_provider_x509_cert_url") == kNowhere) {
    return text;
  }
  Rewriter rewriter(text);
  for (std::size_t at = text.find(kName); at != kNowhere; at = text.find(kName, at)) {
    at += kName.size();
    std::size_t value = std::min(text.find_first_not_of(" \t\r\n:", at), text.size());
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
  return rewriter.changed() ? rewriter.finish() : std::move(text);
}

}  // namespace

std::string redact_blocks(std::string text) {
  return redact_account(redact_putty(redact_keys(std::move(text))));
}

}  // namespace robot_council::stops::redaction
