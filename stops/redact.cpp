#include "stops/redact.hpp"

#include <algorithm>

#include "stops/redact_text.hpp"

namespace robot_council::stops {
namespace {

// A replaced text may bring two others together; two rounds settle nearly every text.
constexpr int kMaxRounds = 6;

bool is_kind(std::string_view kind) {
  return kind == "private-key" || kind == "gcp-account" || kind == "auth" || kind == "assigned" ||
         redaction::is_shape_kind(kind);
}

std::vector<std::string> kinds_in(std::string_view text) {
  constexpr std::string_view kHead = "[REDACTED:";
  std::vector<std::string> kinds;
  for (std::size_t at = text.find(kHead); at != std::string_view::npos;
       at = text.find(kHead, at + 1)) {
    const std::size_t end = redaction::marker_end(text, at);
    if (end == redaction::kNowhere) {
      continue;
    }
    const std::string_view kind = text.substr(at + kHead.size(), end - at - kHead.size() - 1);
    if (is_kind(kind) && std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      kinds.emplace_back(kind);
    }
  }
  return kinds;
}

}  // namespace

Redacted redact(std::string_view text) {
  std::string now(text);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::string next = redaction::redact_assigned(
        redaction::redact_auth(redaction::redact_shapes(redaction::redact_blocks(now))));
    if (next == now) {
      break;
    }
    now = std::move(next);
  }
  std::vector<std::string> kinds = kinds_in(now);
  return {std::move(now), std::move(kinds)};
}

}  // namespace robot_council::stops
