#include "brake/decision.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "brake/homes.hpp"
#include "brake/texts.hpp"
#include "harness/brake_client.hpp"

namespace robot_council::brake {
namespace {

// Whose text is shown: the machine's stop, an unreadable file, a stop of all, a stop of some.
enum class Rank : std::uint8_t { everywhere, unreadable, all, listed, none };

Rank rank_of(const Copy& copy, const std::vector<std::string>& callers) {
  if (copy.read.state == StopState::unreadable) {
    // A machine's stop that cannot be read says U, before everything else.
    return copy.kind == CopyKind::everywhere ? Rank::everywhere : Rank::unreadable;
  }
  if (copy.kind == CopyKind::everywhere) {
    return Rank::everywhere;
  }
  if (copy.read.stop.scope.all) {
    return Rank::all;
  }
  const Scope& scope = copy.read.stop.scope;
  const bool reached =
      callers.empty() || std::any_of(callers.begin(), callers.end(),
                                     [&scope](const std::string& id) { return scope.reaches(id); });
  return reached ? Rank::listed : Rank::none;
}

// Among copies of one rank the newest stop speaks; a readable one before an unreadable one.
bool speaks_before(const Copy& a, const Copy& b) {
  const bool a_readable = a.read.state == StopState::present;
  const bool b_readable = b.read.state == StopState::present;
  if (a_readable != b_readable) {
    return a_readable;
  }
  return a.read.stop.when > b.read.stop.when;
}

}  // namespace

Decision cannot_run() noexcept {
  Decision decision;
  decision.verdict = Verdict::cannot_run;
  try {
    decision.text = cannot_run_text();
    // LCOV_EXCL_START: only without memory
  } catch (const std::exception&) {
    decision.text.clear();  // out of memory: refused without words
    // LCOV_EXCL_STOP
  }
  return decision;
}

Decision judge(const Survey& survey, const std::vector<std::string>& callers) {
  if (!survey.homes_known) {
    return cannot_run();
  }
  Decision decision;
  if (!survey.places.repositories.empty()) {
    decision.repository = survey.places.repositories.front().main_checkout;
  }
  Rank rank = Rank::none;
  const Copy* speaker = nullptr;
  for (const Copy& copy : survey.copies) {
    const Rank own = rank_of(copy, callers);
    if (own == Rank::none) {
      continue;
    }
    decision.copies.push_back(copy.path);
    if (speaker == nullptr || own < rank || (own == rank && speaks_before(copy, *speaker))) {
      rank = own;
      speaker = &copy;
    }
  }
  if (speaker == nullptr) {
    return decision;
  }
  decision.everywhere = speaker->kind == CopyKind::everywhere;
  for (const Repository& repository : survey.places.repositories) {
    if (repository.key == speaker->key) {
      decision.repository = repository.main_checkout;
    }
  }
  if (speaker->read.state == StopState::unreadable) {
    decision.verdict = Verdict::unreadable;
    decision.text = unreadable_text(speaker->path);
    return decision;
  }
  const Stop& stop = speaker->read.stop;
  decision.verdict = Verdict::stopped;
  decision.text = stopped_text(stop.reason);
  decision.scope = stop.scope;
  decision.reason = stop.reason;
  decision.who = stop.who;
  decision.when = stop.when;
  return decision;
}

Decision decide(const base::Environment& environment, const Query& query) noexcept {
  try {
    return judge(
        survey_stops(find_homes(environment), query.directories, ForeignStops::when_unknown),
        query.callers);
  } catch (...) {  // NOLINT(bugprone-empty-catch): whatever it was, the answer is to refuse
    return cannot_run();
  }
}

Decision decide_for_seat(const base::Environment& environment, std::string_view harness,
                         const std::vector<std::string>& directories) noexcept {
  try {
    return decide(environment,
                  Query{directories, {std::string(harness::brake_client_of_harness(harness))}});
    // LCOV_EXCL_START: only without memory
  } catch (...) {
    return cannot_run();
    // LCOV_EXCL_STOP
  }
}

}  // namespace robot_council::brake
