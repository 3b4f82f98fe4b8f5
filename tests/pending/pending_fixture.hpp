#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/signals.hpp"
#include "pending/engine.hpp"
#include "tests/lib/sink_fixture.hpp"

namespace robot_council::test {

inline std::string line_of(std::int64_t id) {
  return line_of_event(id);
}

// A seat whose sink a live bridge fills, and turn ends that are answered into a file.
class PendingTest : public ::testing::Test {
 protected:
  PendingTest() {
    base::ignore_sigpipe();  // as main() does
    store_.emplace(home_.bridge());
  }

  void add(const std::vector<sink::FeedEvent>& list) {
    auto added = store_->append({list, std::nullopt, {}, sink::Renumber::no});
    ASSERT_TRUE(added.ok()) << added.error().what;
  }
  void add_local(const std::string& type, const std::string& body) {
    ASSERT_TRUE(store_->put_local({type, body}).ok());
  }

  // A turn end of Claude Code; every call has another T, as another payload would.
  sink::Call turn_end(const std::string& session = "A", const std::string& turn = "turn-1") {
    sink::Call call;
    call.kind = sink::CallKind::hook;
    call.session = session;
    call.turn = turn;
    call.turn_end = "T" + std::to_string(++turn_ends_);
    call.has_continuation_field = true;
    return call;
  }
  sink::Call continued(const std::string& session = "A", const std::string& turn = "turn-1") {
    sink::Call call = turn_end(session, turn);
    call.continuation = true;
    return call;
  }
  static sink::Call goose() {
    sink::Call call;
    call.kind = sink::CallKind::hook;
    call.session = "goose-1";
    call.turn_end = "G";
    return call;
  }
  pending::Request request(const sink::Call& call, pending::Shape shape = pending::Shape::block) {
    pending::Request wanted;
    wanted.files = home_.files();
    wanted.harness = "claude";
    wanted.call = call;
    wanted.shape = shape;
    return wanted;
  }
  struct Delivered {
    base::Result<pending::Outcome> outcome;
    std::string text;
  };
  Delivered deliver(pending::Request wanted) {
    const std::string path = home_.dir / "stdout";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    wanted.output = fd;
    auto outcome = pending::deliver(wanted, home_.context());
    ::close(fd);
    return {std::move(outcome), read_text(path)};
  }
  // What a call prints; the test fails on an error.
  std::string text(const sink::Call& call, pending::Shape shape = pending::Shape::block) {
    auto delivered = deliver(request(call, shape));
    EXPECT_TRUE(delivered.outcome.ok())
        << (delivered.outcome.ok() ? "" : delivered.outcome.error().what);
    return delivered.text;
  }
  std::string plain() { return text(sink::Call(), pending::Shape::plain); }
  static std::string block(const std::string& lines) {
    return "{\"decision\":\"block\",\"reason\":\"Robot Council has news:" + lines + "\"}";
  }
  std::string states() const {
    std::string text;
    for (const sink::Entry& row : home_.rows()) {
      text += std::to_string(static_cast<int>(row.state)) + (row.maybe ? "?" : "") + " ";
    }
    return text;
  }
  // "confirmed confirmed undelivered"
  std::string left() const {
    std::string text;
    for (const sink::HistoryRow& row : home_.history()) {
      text += (text.empty() ? "" : " ") + row.why;
    }
    return text;
  }

  SinkHome home_;
  std::optional<sink::BridgeStore> store_;
  int turn_ends_ = 0;
};

}  // namespace robot_council::test
