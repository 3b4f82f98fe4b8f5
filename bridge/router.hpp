#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "base/context.hpp"
#include "bridge/announcer.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/forwarder.hpp"
#include "bridge/inbox.hpp"
#include "bridge/instructions.hpp"
#include "bridge/keeper.hpp"
#include "bridge/output.hpp"
#include "bridge/tools_list.hpp"

namespace robot_council::bridge {

// How the router ended.
enum class RouterEnd : std::uint8_t { end_of_input, ended_by_fleet, content_length, stopped };

struct RouterParts {
  const base::Context& context;
  Inbox& inbox;
  Output& output;
  Forwarder& forwarder;
  Keeper& keeper;
  Session& session;
  Announcer& announcer;
  BridgeRecord& record;
  // R, U or K while the brake is on for this checkout or the machine, else ""; logs the refusal of
  // `tool`.
  std::function<std::string(const std::string& tool)> refusal;
  std::function<std::string()> seat_warning;  // L3 while another bridge holds the seat, else ""
  std::function<void()> final_read;  // the reader hands over what is in the pipe, then ends
  std::function<bool()> stopping;    // nothing new is to be begun
};

// What the router knows from the start.
struct RouterFacts {
  std::string harness;
  HookState hook = HookState::found;
  bool keep_warm = false;
  std::string cursor;         // D, or nothing yet
  std::string cursor_joined;  // R: said once the join at launch succeeded
  std::string cursor_failed;  // D: said once it failed
  std::optional<JoinRequest> at_launch;
};

// The thread that takes messages in their order and answers them, hands them to the service, or
// lets them wait for a join (bridge contract, 4.2). It alone decides by the state of the session.
class Router {
 public:
  Router(RouterParts parts, RouterFacts facts, const Timings& timings)
      : parts_(std::move(parts)), facts_(std::move(facts)), timings_(timings) {}

  // Runs until the input ended and everything was answered, the fleet ended the session, or
  // StopNow.
  RouterEnd run();

 private:
  enum class State : std::uint8_t { unjoined, joining, joined, leaving };
  struct Held {
    Incoming incoming;
    std::optional<base::SteadyTime> until;  // answered as unjoined then
  };

  void take(Event event);
  void take_message(Incoming incoming);
  // True: it was one that is for the bridge itself.
  bool take_notification(const Message& message);
  // True: answered, or nothing is due in any state.
  bool answer_anywhere(const Message& message);
  void answer_invalid(const Message& message);
  void hold(Incoming incoming, std::optional<base::SteadyTime> until = std::nullopt);
  void route(Incoming incoming);  // unjoined or joined
  void route_unjoined(Incoming incoming);
  void route_joined(Incoming incoming);
  void call_tool(Incoming incoming);
  void begin_join(Incoming incoming);
  void begin_leave(Incoming incoming);
  void request_role(Incoming incoming);
  void cancelled(const Message& message);
  // True: refused by the brake, and answered.
  bool braked(const Message& message);
  void join_finished(JoinFinished finished);
  void leave_finished(const LeaveFinished& finished);
  void session_ended(const std::string& text);
  void release_held();
  void expire(base::SteadyTime now);
  [[nodiscard]] std::optional<base::SteadyTime> next_deadline() const;
  [[nodiscard]] bool settled();
  void answer_initialize(const Message& message);
  void tool_answer(const std::string& id, const std::string& text, ToolOutcome outcome);
  void list_changed();

  RouterParts parts_;
  RouterFacts facts_;
  Timings timings_;
  State state_ = State::unjoined;
  bool initialized_ = false;
  bool launch_join_ = false;  // the join under way is that of the launch
  std::string fleet_instructions_;
  std::optional<Incoming> joiner_;  // the call whose join is under way
  std::optional<Incoming> leaver_;
  std::optional<base::SteadyTime>
      leave_by_;  // calls before a leave are given up then; nothing once they were
  std::deque<Held> held_;
  std::optional<base::SteadyTime>
      end_by_;         // end of input: what is not answered then stays unanswered
  std::string ended_;  // the fleet ended the session: what requests are told
  std::optional<base::SteadyTime> ended_by_;
  bool input_over_ = false;
  std::optional<RouterEnd> end_;
};

}  // namespace robot_council::bridge
