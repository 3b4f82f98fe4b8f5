#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/crash/sink_view.hpp"

namespace robot_council::crash {

// A line of an answer that left whole.
struct Print {
  std::int64_t event_id = 0;
  bool marked = false;  // `[repeat] `
};
// One answer, and to whom: a session's name, or "" for a call without one.
struct Printed {
  std::string to;
  std::vector<Print> lines;
};

// Keeps the history of a run and finds what the product promises not to do: an event that is lost,
// a second print that does not say so, first prints that are not in feed order, a cursor that is
// past what is stored. It is told what the fleet, the harness and the disk saw, and nothing else.
class Judge {
 public:
  void fed(std::int64_t id) { head_ = id; }
  // A bridge joined: it must store what comes after `from`.
  void joined(std::int64_t session, std::int64_t from);
  // The bridge asked the service for what comes after `after`: so all before it is on the disk.
  void asked(std::int64_t session, std::int64_t after);
  // One answer, or two that were made at the same time.
  void printed(std::vector<Printed> answers);
  void saw(const SinkView& view);
  // The file was damaged or taken away; `view` is what it held. What comes is another file.
  void sink_gone(const SinkView& view);
  // The bridge's own word about it: events after this number may be missing.
  void gap_said(std::int64_t session, std::int64_t after);
  void broken(std::string sentence) { problems_.push_back(std::move(sentence)); }
  // Whoever was told of the gap has read it.
  void gap_taken_in();
  // At the end, with a bridge that has caught up.
  void conclude(std::int64_t last_session);

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  // One of them is a lost event.
  [[nodiscard]] bool lost_one() const;
  [[nodiscard]] std::int64_t head() const { return head_; }
  [[nodiscard]] std::int64_t history_seen() const { return history_seen_; }
  // The cursor of a session's join as it was last seen in the file.
  [[nodiscard]] std::optional<std::int64_t> cursor_of(std::int64_t session) const;
  // The lowest cursor that the successor of a session's bridge can be given, so that all it reads
  // again is in feed order.
  [[nodiscard]] std::int64_t join_floor(std::int64_t session) const;
  [[nodiscard]] std::size_t known() const { return copies_.size(); }
  [[nodiscard]] std::size_t first_prints() const { return whole_prints_.size(); }
  [[nodiscard]] std::size_t repeats() const { return repeats_; }

 private:
  struct Join {
    std::int64_t from = 0;
    std::int64_t asked = 0;              // 0: nothing yet
    std::optional<std::int64_t> cursor;  // as stored
  };
  void know(std::int64_t id, std::int64_t join_no) { copies_[id].insert({file_, join_no}); }
  void note_dropped_notice(const std::string& json);
  void check_unmarked();
  void check_left(std::int64_t id, const std::string& why);
  void check_stored();
  void check_dropped();

  std::int64_t head_ = 0;
  std::map<std::int64_t, Join> joins_;  // by session
  int file_ = 0;                        // counts the files at the sink's path
  std::map<std::int64_t, std::set<std::pair<int, std::int64_t>>> copies_;  // joins that stored it
  std::set<std::int64_t> left_;                                            // of the history
  std::map<std::int64_t, int> whole_prints_;
  std::map<std::int64_t, std::map<std::string, int>> unmarked_;  // by receiver
  std::map<std::int64_t, std::string> last_receiver_;
  std::set<std::int64_t> to_check_;  // printed more than once without a mark
  std::size_t repeats_ = 0;
  std::int64_t last_first_print_ = 0;
  std::int64_t history_seen_ = 0;
  std::set<std::int64_t> dropped_;
  std::vector<std::pair<std::int64_t, std::int64_t>> dropped_said_;
  std::set<std::int64_t> in_gap_;
  std::map<std::int64_t, std::set<std::int64_t>> gone_;  // ids a session had stored in a lost file
  std::vector<std::string> problems_;
};

}  // namespace robot_council::crash
