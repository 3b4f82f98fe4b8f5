#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace robot_council::fleet::test {

// One call as its client saw it.
struct Call {
  std::int64_t actor = 0;  // session id, or 0
  std::string action;      // "acquire", "claim", ...
  std::string object;      // lock name, task id, role
  int status = 0;
  std::int64_t fence = 0;  // or another number of the answer
  std::string answer;      // a word of the answer, where the status does not say enough
  base::SteadyTime begin;
  base::SteadyTime end;
};

// What a call does to a state in which its answer is right.
struct Effect {
  std::string event;  // that it writes, empty: none
};

// Judges a history of concurrent calls: whether there is one order of them all in which each answer
// is right, a call that had ended before another began comes first, and the changes write exactly
// the feed, event by event (linearizability, Herlihy and Wing 1990; the search is Wing and Gong's).
// Model: copyable, ordered by <, with
//   std::optional<Effect> apply(const Call&)      moves it on; nothing when the answer is wrong
//   here,
//                                                 and the model is then not used further
//   static bool may_change(const Call&)           false: no state makes a call with this answer a
//                                                 change
// Each client's calls are one list, in its own order. The cost grows with calls x 2^clients.
template <typename Model>
class LinearHistory {
 public:
  LinearHistory(std::vector<std::vector<Call>> clients, std::vector<std::string> feed)
      : clients_(std::move(clients)), feed_(std::move(feed)) {}

  // Nothing when there is such an order; else where the longest attempt ended.
  [[nodiscard]] std::optional<std::string> refusal(Model start) {
    furthest_ = 0;
    stuck_.clear();
    Place begin{std::vector<std::size_t>(clients_.size(), 0), 0, std::move(start)};
    std::vector<Place> open{std::move(begin)};
    std::set<Place> seen;
    while (!open.empty()) {
      Place place = std::move(open.back());
      open.pop_back();
      take_what_changes_nothing(place);
      if (!seen.insert(place).second) {
        continue;
      }
      if (finished(place)) {
        return std::nullopt;
      }
      note(place);
      for (const std::size_t client : candidates(place)) {
        if (std::optional<Place> after = step(place, client)) {
          open.push_back(*std::move(after));
        }
      }
    }
    return stuck_;
  }

 private:
  struct Place {
    std::vector<std::size_t> done;  // calls of each client that are in the order
    std::size_t events = 0;
    Model state;
    bool operator<(const Place& other) const {
      return std::tie(done, events, state) < std::tie(other.done, other.events, other.state);
    }
  };

  [[nodiscard]] const Call* next(const Place& place, std::size_t client) const {
    const std::size_t at = place.done[client];
    return at < clients_[client].size() ? &clients_[client][at] : nullptr;
  }

  // Clients whose next call may come next: no other one left had ended before it began.
  [[nodiscard]] std::vector<std::size_t> candidates(const Place& place) const {
    auto first_end = base::SteadyTime::max();
    for (std::size_t client = 0; client < clients_.size(); ++client) {
      if (const Call* call = next(place, client)) {
        first_end = std::min(first_end, call->end);
      }
    }
    std::vector<std::size_t> found;
    for (std::size_t client = 0; client < clients_.size(); ++client) {
      const Call* call = next(place, client);
      if (call != nullptr && call->begin <= first_end) {
        found.push_back(client);
      }
    }
    return found;
  }

  // A right answer of a call that never changes anything may as well be given now: it takes no
  // order from the rest.
  void take_what_changes_nothing(Place& place) const {
    for (bool taken = true; taken;) {
      taken = false;
      for (const std::size_t client : candidates(place)) {
        if (Model::may_change(*next(place, client))) {
          continue;
        }
        Model state = place.state;
        if (state.apply(*next(place, client))) {
          ++place.done[client];
          taken = true;
          break;
        }
      }
    }
  }

  [[nodiscard]] std::optional<Place> step(const Place& place, std::size_t client) const {
    Place after = place;
    const std::optional<Effect> effect = after.state.apply(*next(place, client));
    if (!effect) {
      return std::nullopt;
    }
    if (!effect->event.empty()) {
      if (after.events == feed_.size() || feed_[after.events] != effect->event) {
        return std::nullopt;
      }
      ++after.events;
    }
    ++after.done[client];
    return after;
  }

  [[nodiscard]] bool finished(const Place& place) const {
    for (std::size_t client = 0; client < clients_.size(); ++client) {
      if (next(place, client) != nullptr) {
        return false;
      }
    }
    return place.events == feed_.size();
  }

  void note(const Place& place) {
    std::size_t ordered = 1;
    for (const std::size_t done : place.done) {
      ordered += done;
    }
    if (ordered <= furthest_) {
      return;
    }
    furthest_ = ordered;
    stuck_ = "after " + std::to_string(ordered - 1) + " calls and " + std::to_string(place.events) +
             " events; the feed goes on with \"" +
             (place.events < feed_.size() ? feed_[place.events] : std::string("nothing")) +
             "\", and these calls do not fit:";
    for (const std::size_t client : candidates(place)) {
      const Call& call = *next(place, client);
      stuck_ += "\n  session " + std::to_string(call.actor) + " " + call.action + " " +
                call.object + " -> " + std::to_string(call.status) + " " + call.answer + " fence " +
                std::to_string(call.fence);
    }
  }

  std::vector<std::vector<Call>> clients_;
  std::vector<std::string> feed_;
  std::size_t furthest_ = 0;
  std::string stuck_;
};

}  // namespace robot_council::fleet::test
