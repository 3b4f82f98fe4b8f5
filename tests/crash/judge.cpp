#include "tests/crash/judge.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "base/json_scan.hpp"

namespace robot_council::crash {
namespace {

// The number that follows `label` in a text; nothing if there is none.
std::optional<std::int64_t> number_after(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  const std::size_t digits = at == std::string::npos ? at : at + label.size();
  if (digits == std::string::npos || digits >= text.size() || text[digits] < '0' ||
      text[digits] > '9') {
    return std::nullopt;
  }
  return std::stoll(text.substr(digits));
}

std::string name(std::int64_t id) {
  return "event " + std::to_string(id);
}

}  // namespace

void Judge::joined(std::int64_t session, std::int64_t from) {
  joins_[session].from = from;
}

void Judge::asked(std::int64_t session, std::int64_t after) {
  Join& join = joins_[session];
  join.asked = std::max(join.asked, after);
}

void Judge::printed(std::vector<Printed> answers) {
  // Two at once took turns; which came first shows in what they got.
  const auto first_new = [this](const Printed& answer) {
    for (const Print& line : answer.lines) {
      if (whole_prints_.count(line.event_id) == 0) {
        return line.event_id;
      }
    }
    return std::int64_t{0};
  };
  std::stable_sort(answers.begin(), answers.end(),
                   [&](const Printed& a, const Printed& b) { return first_new(a) < first_new(b); });
  for (const Printed& answer : answers) {
    for (const Print& line : answer.lines) {
      if (++whole_prints_[line.event_id] == 1) {
        if (line.event_id < last_first_print_) {
          broken("order: " + name(line.event_id) + " was printed for the first time after " +
                 name(last_first_print_));
        }
        last_first_print_ = std::max(last_first_print_, line.event_id);
      }
      repeats_ += line.marked ? 1U : 0U;
      if (!line.marked) {
        auto& receivers = unmarked_[line.event_id];
        // A row knows its newest receiver only: one that got it before another did may be given
        // a second row of the event as if it were new.
        const bool newest = last_receiver_[line.event_id] == answer.to;
        if (++receivers[answer.to] > 1 && newest) {
          broken("repeat: " + name(line.event_id) + " was printed a second time without a mark" +
                 (answer.to.empty() ? std::string() : " to " + answer.to));
        }
        if (receivers.size() > 1 || receivers[answer.to] > 1) {
          to_check_.insert(line.event_id);
        }
      }
      last_receiver_[line.event_id] = answer.to;
    }
  }
}

// A session that joined again may be given an event a second time: as another row, which each
// receiver gets once without a mark. How many rows there are is known once the sink was looked at.
void Judge::check_unmarked() {
  for (const std::int64_t id : std::exchange(to_check_, {})) {
    const auto& receivers = unmarked_[id];
    const auto twice = std::find_if(receivers.begin(), receivers.end(),
                                    [](const auto& receiver) { return receiver.second > 1; });
    const bool one_row_twice = twice != receivers.end() && copies_[id].size() < 2;
    if (one_row_twice || receivers.size() > copies_[id].size()) {
      broken("repeat: " + name(id) + " was printed a second time without a mark" +
             (one_row_twice && !twice->first.empty() ? " to " + twice->first : std::string()));
    }
  }
}

void Judge::saw(const SinkView& view) {
  if (!view.problem.empty()) {
    broken("damage: " + view.problem);
    return;
  }
  for (const SinkView::Row& row : view.rows) {
    if (row.event_id) {
      know(*row.event_id, row.join_no);
    } else {
      note_dropped_notice(row.json);
    }
  }
  for (const SinkView::Left& left : view.history) {
    history_seen_ = std::max(history_seen_, left.seq);
    if (!left.event_id) {
      note_dropped_notice(left.json);
      continue;
    }
    know(*left.event_id, left.join_no);
    left_.insert(*left.event_id);
    check_left(*left.event_id, left.why);
    if (left.why == "dropped") {
      dropped_.insert(*left.event_id);
    }
  }
  for (const SinkView::Join& join : view.joins) {
    if (join.session && join.cursor) {
      joins_[*join.session].cursor = join.cursor;
    }
  }
  check_unmarked();
  check_stored();
}

// What is said to be taken in has been printed, and what was given up has been printed three times.
void Judge::check_left(std::int64_t id, const std::string& why) {
  const int prints = whole_prints_.count(id) != 0 ? whole_prints_.at(id) : 0;
  if (why == "confirmed" && prints == 0) {
    broken("lost: " + name(id) + " left as confirmed and was never printed");
  }
  if (why == "undelivered" && prints < 3) {
    broken("lost: " + name(id) + " was given up after " + std::to_string(prints) + " prints");
  }
}

// All that a join's cursor has passed is known: waiting, printed, in the history or said.
void Judge::check_stored() {
  for (auto& [session, join] : joins_) {
    if (!join.cursor) {
      continue;
    }
    for (std::int64_t id = join.from + 1; id <= std::min(*join.cursor, head_); ++id) {
      if (copies_.count(id) == 0 && in_gap_.count(id) == 0) {
        broken("lost: " + name(id) + " was read by session " + std::to_string(session) +
               " and is neither waiting nor in the history");
        in_gap_.insert(id);  // once
      }
    }
    if (join.asked > *join.cursor) {
      broken("cursor: session " + std::to_string(session) + " asked for what follows " +
             std::to_string(join.asked) + ", and " + std::to_string(*join.cursor) + " is stored");
      join.asked = 0;
    }
  }
}

void Judge::note_dropped_notice(const std::string& json) {
  const std::string body = base::json_unescape(base::json_member(json, "body"));
  const auto first = number_after(body, "feed ids ");
  const auto last = number_after(body, " to ");
  if (first && last && body.find("left this seat unread") != std::string::npos) {
    dropped_said_.emplace_back(*first, *last);
  }
}

void Judge::check_dropped() {
  for (const std::int64_t id : dropped_) {
    const bool said =
        std::any_of(dropped_said_.begin(), dropped_said_.end(),
                    [id](const auto& range) { return range.first <= id && id <= range.second; });
    if (!said) {
      broken("lost: " + name(id) + " left because too many waited, and nothing says so");
    }
  }
}

void Judge::sink_gone(const SinkView& view) {
  saw(view);
  for (const SinkView::Row& row : view.rows) {
    if (!row.event_id) {
      continue;
    }
    in_gap_.insert(*row.event_id);
    for (const SinkView::Join& join : view.joins) {
      if (join.number == row.join_no && join.session) {
        gone_[*join.session].insert(*row.event_id);
      }
    }
  }
  ++file_;
  history_seen_ = 0;
}

bool Judge::lost_one() const {
  return std::any_of(problems_.begin(), problems_.end(),
                     [](const std::string& problem) { return problem.starts_with("lost: "); });
}

void Judge::gap_taken_in() {
  gone_.clear();
}

std::int64_t Judge::join_floor(std::int64_t session) const {
  std::int64_t floor = cursor_of(session).value_or(head_);
  // An event below the floor that was never stored, or left unread, would be printed after later
  // ones.
  for (int back = 0; back < 6; ++back, --floor) {
    const bool left_unread = left_.count(floor) != 0 && whole_prints_.count(floor) == 0;
    if (copies_.count(floor) == 0 || left_unread || in_gap_.count(floor) != 0) {
      break;
    }
  }
  return floor;
}

void Judge::gap_said(std::int64_t session, std::int64_t after) {
  for (const std::int64_t id : gone_[session]) {
    if (id <= after) {
      broken("lost: " + name(id) +
             " was in the sink that was set aside, and the gap is said to begin after " +
             std::to_string(after));
    }
  }
}

std::optional<std::int64_t> Judge::cursor_of(std::int64_t session) const {
  const auto found = joins_.find(session);
  return found == joins_.end() ? std::nullopt : found->second.cursor;
}

void Judge::conclude(std::int64_t last_session) {
  check_stored();
  check_dropped();
  const auto cursor = cursor_of(last_session);
  if (!cursor || *cursor != head_) {
    broken("stuck: the last bridge stored up to " + std::to_string(cursor.value_or(0)) + " of " +
           std::to_string(head_));
  }
}

}  // namespace robot_council::crash
