#include "stops/redact.hpp"

#include <algorithm>
#include <array>

#include "stops/redact_text.hpp"

namespace robot_council::stops {
namespace {

// A replaced text may bring two others together; two rounds settle nearly every text.
constexpr std::size_t kMaxRounds = 6;

bool is_kind(std::string_view kind) {
  return kind == "private-key" || kind == "gcp-account" || kind == "auth" || kind == "assigned" ||
         redaction::is_shape_kind(kind);
}

std::vector<std::string> kinds_in(std::string_view text) {
  constexpr std::string_view kHead = "[REDACTED:";
  constexpr redaction::Finder kMarker(kHead);
  std::vector<std::string> kinds;
  for (std::size_t at = kMarker.find(text, 0); at != redaction::kNowhere;
       at = kMarker.find(text, at + 1)) {
    const std::size_t end = redaction::marker_end(text, at);
    if (end == redaction::kNowhere) {
      continue;
    }
    const std::string_view kind = text.substr(at + kHead.size(), end - at - kHead.size() - 1);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end() && is_kind(kind)) {
      kinds.emplace_back(kind);
    }
  }
  return kinds;
}

}  // namespace

Redacted redact(std::string_view text) {
  using Step = bool (*)(std::string&);
  constexpr std::array<Step, 4> kSteps = {&redaction::redact_blocks, &redaction::redact_shapes,
                                          &redaction::redact_auth, &redaction::redact_assigned};
  std::string now(text);
  // Until each step has seen the text as it is and changed nothing.
  std::size_t quiet = 0;
  for (std::size_t i = 0; i < kMaxRounds * kSteps.size() && quiet < kSteps.size(); ++i) {
    quiet = kSteps.at(i % kSteps.size())(now) ? 0 : quiet + 1;
  }
  std::vector<std::string> kinds = kinds_in(now);
  return {std::move(now), std::move(kinds)};
}

}  // namespace robot_council::stops
