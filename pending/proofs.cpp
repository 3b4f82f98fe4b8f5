#include "pending/proofs.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "pending/transcript.hpp"

namespace robot_council::pending {
namespace {

using Place = std::pair<std::string, std::optional<std::int64_t>>;

// Where a row's transcript is: this call's if the session is the same, else the stored one.
std::optional<Place> place_of(const sink::Entry& row, const sink::Call& call) {
  const bool same_session = call.session && row.to_session == call.session;
  const auto& path = same_session && call.transcript ? call.transcript : row.transcript;
  if (!path) {
    return std::nullopt;
  }
  return Place{*path, path == row.transcript ? row.transcript_at : std::nullopt};
}

bool needs_transcript(const sink::Entry& row, const sink::Call& call, sink::Scope scope,
                      std::int64_t now_ms) {
  const auto without = sink::settle_row(row, call, sink::Seen::no, scope, now_ms);
  const auto with = sink::settle_row(row, call, sink::Seen::yes, scope, now_ms);
  return with != without;
}

}  // namespace

std::set<std::int64_t> seen_rows(const std::vector<sink::Entry>& rows, const sink::Call& call,
                                 sink::Scope scope, std::int64_t now_ms) {
  std::set<std::int64_t> seen;
  std::map<Place, TranscriptText> texts;  // rows of one answer share a place
  for (const sink::Entry& row : rows) {
    const auto place = place_of(row, call);
    if (!place || !needs_transcript(row, call, scope, now_ms)) {
      continue;
    }
    auto found = texts.find(*place);
    if (found == texts.end()) {
      found = texts.emplace(*place, read_transcript(place->first, place->second)).first;
    }
    const Lines lines = row.proof == sink::Proof::wake ? Lines::user_and_queued : Lines::user;
    if (transcript_shows(found->second, evidence_of(row.json), lines)) {
      seen.insert(row.seq);
    }
  }
  return seen;
}

}  // namespace robot_council::pending
