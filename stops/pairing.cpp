#include "stops/pairing.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace robot_council::stops {
namespace {

using Stops = std::vector<const Stop*>;

// First stop after a time; nullptr if there is none.
const Stop* stop_after(const Stops& stops, std::int64_t ms) {
  const auto found =
      std::upper_bound(stops.begin(), stops.end(), ms,
                       [](std::int64_t time, const Stop* stop) { return time < stop->ts_ms; });
  return found == stops.end() ? nullptr : *found;
}

// Prompts that count, by the time they were submitted and by the time they were taken in. A prompt
// that was sent, stopped with Esc before its turn ended, edited and sent again has the same parent:
// only the later one counts. After a finished turn both do (a rewind).
class Prompts {
 public:
  Prompts(const std::vector<Prompt>& all, const Stops& stops) {
    std::unordered_map<std::string, std::size_t> latest;  // by parent: place in submitted_
    for (const Prompt& prompt : all) {
      if (!prompt.parent_uuid.empty()) {
        const auto [found, first] = latest.try_emplace(prompt.parent_uuid, submitted_.size());
        if (!first) {
          const Stop* between = stop_after(stops, submitted_[found->second]->submit_ms);
          if (between == nullptr || between->ts_ms > prompt.submit_ms) {
            submitted_[found->second] = nullptr;
          }
          found->second = submitted_.size();
        }
      }
      submitted_.push_back(&prompt);
    }
    submitted_.erase(std::remove(submitted_.begin(), submitted_.end(), nullptr), submitted_.end());
    taken_.assign(submitted_.begin(), submitted_.end());
    std::stable_sort(taken_.begin(), taken_.end(),
                     [](const Prompt* a, const Prompt* b) { return a->taken_ms < b->taken_ms; });
  }

  // The first one submitted after the stop, nullptr if there is none.
  [[nodiscard]] const Prompt* answer_to(const Stop& stop) const {
    return first_after(submitted_, &Prompt::submit_ms, stop);
  }
  // The first one that the agent got after the stop.
  [[nodiscard]] const Prompt* taken_after(const Stop& stop) const {
    return first_after(taken_, &Prompt::taken_ms, stop);
  }

 private:
  static const Prompt* first_after(const std::vector<const Prompt*>& prompts,
                                   std::int64_t Prompt::*time, const Stop& stop) {
    auto at = std::upper_bound(
        prompts.begin(), prompts.end(), stop.ts_ms,
        [time](std::int64_t ms, const Prompt* prompt) { return ms < prompt->*time; });
    while (at != prompts.end() && !stop.prompt_id.empty() && (*at)->prompt_id == stop.prompt_id) {
      ++at;
    }
    return at == prompts.end() ? nullptr : *at;
  }

  std::vector<const Prompt*> submitted_;
  std::vector<const Prompt*> taken_;
};

Match left(std::string_view reason) {
  Match match;
  match.left_out = reason;
  return match;
}

Match::Anchor anchor_of(const Stop& stop, const Transcript& transcript) {
  if (!stop.prompt_id.empty() && transcript.prompt_ids.count(stop.prompt_id) > 0) {
    return Match::Anchor::prompt_id;
  }
  return transcript.first_ms && *transcript.first_ms <= stop.ts_ms ? Match::Anchor::time
                                                                   : Match::Anchor::none;
}

Match match_of(const Stop& stop, const Stops& stops, const Prompts& prompts,
               std::optional<std::chrono::milliseconds> max_gap) {
  const Prompt* answer = prompts.answer_to(stop);
  const Prompt* taken = prompts.taken_after(stop);
  const Stop* next = stop_after(stops, stop.ts_ms);
  const bool sent_before = taken != nullptr && taken->submit_ms <= stop.ts_ms;
  // What comes next decides: a prompt that was on its way already, or another turn end.
  if (sent_before && (next == nullptr || taken->taken_ms <= next->ts_ms)) {
    return left("overtaken");
  }
  if (next != nullptr && (answer == nullptr || next->ts_ms <= answer->submit_ms)) {
    return left("superseded");
  }
  if (sent_before) {
    return left("overtaken");
  }
  if (answer == nullptr) {
    return left("ended");
  }
  if (max_gap && answer->submit_ms - stop.ts_ms > max_gap->count()) {
    return left("too_late");
  }
  Match match;
  match.next = *answer;
  return match;
}

}  // namespace

std::string_view left_out_by_log(const Stop& stop) {
  switch (stop.outcome) {
    case Outcome::policy_error:
      return "policy_error";
    case Outcome::skipped:
      return stop.skip != nullptr && !stop.skip->empty() ? std::string_view(*stop.skip)
                                                         : std::string_view("skipped");
    case Outcome::error:
      return "error";
    case Outcome::judged:
      break;
  }
  if (*stop.host != "claude") {
    return "no_transcript_reader";
  }
  return stop.delivered.value_or(false) ? "delivered" : "";
}

std::vector<Match> pair_session(const Stops& stops, const Transcript* transcript,
                                std::optional<std::chrono::milliseconds> max_gap) {
  const std::vector<Prompt> none;
  const Prompts prompts(transcript != nullptr ? transcript->prompts : none, stops);
  std::vector<Match> matches;
  matches.reserve(stops.size());
  for (const Stop* stop : stops) {
    if (const auto reason = left_out_by_log(*stop); !reason.empty()) {
      matches.push_back(left(reason));
    } else if (transcript == nullptr) {
      matches.push_back(left("no_transcript"));
    } else if (transcript->sdk && transcript->prompts.empty()) {
      matches.push_back(left("sdk_session"));
    } else if (const auto anchor = anchor_of(*stop, *transcript); anchor == Match::Anchor::none) {
      matches.push_back(left("unmatched"));
    } else {
      matches.push_back(match_of(*stop, stops, prompts, max_gap));
      matches.back().anchor = anchor;
    }
  }
  return matches;
}

}  // namespace robot_council::stops
