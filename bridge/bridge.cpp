#include "bridge/bridge.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "account/credentials.hpp"
#include "account/identity.hpp"
#include "base/child.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "brake/decision.hpp"
#include "brake/decision_log.hpp"
#include "bridge/announcer.hpp"
#include "bridge/bridge_record.hpp"
#include "bridge/forwarder.hpp"
#include "bridge/inbox.hpp"
#include "bridge/join_record.hpp"
#include "bridge/keeper.hpp"
#include "bridge/notice_plan.hpp"
#include "bridge/output.hpp"
#include "bridge/reader.hpp"
#include "bridge/router.hpp"
#include "bridge/seat_keeper.hpp"
#include "bridge/session.hpp"
#include "bridge/sink_desk.hpp"
#include "bridge/texts.hpp"
#include "harness/names.hpp"
#include "sink/recorded_key.hpp"
#include "sink/seat.hpp"
#include "stop-hook/scan.hpp"

namespace robot_council::bridge {

namespace {

constexpr const char* kProjectVariable = "ROBOT_COUNCIL_PROJECT";
constexpr const char* kUnknownHarness = "unknown-harness";

// Who this bridge is: what the start decided once.
struct Identity {
  std::string service;
  std::string named;    // the harness a person named, "" none
  std::string harness;  // resolved, "" none
  std::string seat_harness;
  std::string folder;
  sink::Seat seat;
};

struct Start {
  Identity who;
  HookState hook = HookState::found;
  KeepWarmOptions keep_warm;
  RouterFacts facts;
  std::string join_record;
};

std::optional<std::string> given(const std::string& text) {
  const std::string_view trimmed = base::trim(text);
  return trimmed.empty() ? std::nullopt : std::optional<std::string>(trimmed);
}

// The whole bridge of one process.
class Bridge {
 public:
  Bridge(const base::Context& context, const BridgeOptions& options, const BridgeIo& io)
      : context_(context), options_(options), io_(io) {}
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  Bridge(Bridge&&) = delete;
  Bridge& operator=(Bridge&&) = delete;
  ~Bridge() = default;

  int run();

 private:
  bool identify();
  void claim_seat();
  void inspect_hooks();
  void decide_launch();
  void decide_rejoin();
  base::Status build();
  void route();
  // SIGTERM or the like is there already: then nothing is begun.
  [[nodiscard]] bool asked_to_stop() const;
  void serve();
  // How long main may wait; the parent and the seat are looked after in between.
  [[nodiscard]] int wait_ms() const;
  void look_around();
  void shut_down();
  void wake();
  [[nodiscard]] std::string refusal(const std::string& tool) const;
  [[nodiscard]] base::Result<account::Credential> read_credential() const;
  [[nodiscard]] BridgeRecord::Fixed record_facts() const;

  const base::Context& context_;
  const BridgeOptions& options_;
  BridgeIo io_;
  Start start_;
  std::optional<JoinRecord> old_join_;
  pid_t parent_ = ::getppid();

  std::optional<sink::RecordedKey> recorded_;
  std::unique_ptr<SeatKeeper> seat_;
  std::unique_ptr<BridgeRecord> record_;
  std::unique_ptr<Output> output_;
  Inbox inbox_;
  WaitingRoom room_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<SinkDesk> sink_;
  std::unique_ptr<Announcer> announcer_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Forwarder> forwarder_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<Router> router_;
  base::Pipe wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> over_{false};  // the router ended, or stdout is gone
  std::atomic<bool> failed_{false};
  base::SteadyTime parent_at_{};
  base::SteadyTime seat_at_{};
  std::thread routing_;
};

bool Bridge::identify() {
  Identity& who = start_.who;
  const base::Environment& environment = context_.environment;
  who.service = account::service_text(options_.service, environment);
  if (who.service.empty()) {
    context_.log.error(text::kNoService);
    return false;
  }
  who.named = harness::named_harness(options_.harness, environment);
  who.harness = harness::resolved_harness(options_.harness, environment);
  who.seat_harness = who.harness.empty() ? kUnknownHarness : who.harness;
  base::Result<std::string> folder = base::working_directory();
  who.folder = folder.ok() ? *folder : std::string();
  sink::BridgeSeat found = sink::resolve_bridge_seat(
      {who.service, who.seat_harness, options_.project}, who.folder, environment);
  who.seat = std::move(found.seat);
  recorded_ = sink::RecordedKey::write(who.seat);
  if (found.checkout_error) {
    context_.log.warning(text::checkout_unreadable(*found.checkout_error));
  }
  const std::string variable = environment.get_or_empty(kProjectVariable);
  if (!variable.empty() && variable != options_.project) {
    context_.log.warning(text::project_differs(variable, options_.project));
  }
  return true;
}

void Bridge::claim_seat() {
  const Timings& timings = options_.timings;
  const bool cursor = start_.who.named == "cursor";
  if (cursor) {
    start_.join_record = start_.who.seat.files.joined();
    if (!options_.auto_join) {
      old_join_ = read_join_record(start_.join_record);
    }
  }
  // Cursor starts the next bridge while the one before still shuts down.
  const bool succession = old_join_ && same_parent(*old_join_, sink::parent_process());
  seat_ = std::make_unique<SeatKeeper>(start_.who.seat.files);
  if (!seat_->claim(succession ? timings.seat_wait : base::Milliseconds(0), timings.seat_step)) {
    context_.log.warning(seat_->warning());
  }
}

void Bridge::inspect_hooks() {
  const Identity& who = start_.who;
  start_.keep_warm = keep_warm_options(options_.keep_warm, options_.keep_warm_for, who.harness);
  if (!start_.keep_warm.said.empty()) {
    context_.log.warning(start_.keep_warm.said);
  }
  const stop_hook::DiskSettingsFiles files;
  const stop_hook::ScanWorld world{files, context_.environment, who.folder};
  const stop_hook::StartScan scan =
      stop_hook::scan_at_start(world, who.seat_harness, {who.service, options_.project});
  for (const std::string& line : scan.lines) {
    context_.log.info(line);
  }
  start_.hook = scan.has_hook ? HookState::found : HookState::none;
}

void Bridge::decide_rejoin() {
  if (!old_join_) {
    return;
  }
  constexpr std::int64_t kMsPerSecond = 1000;
  const std::int64_t now_ms = context_.clock.wall_ms();
  const std::string told =
      text::not_rejoined(std::max<std::int64_t>(0, now_ms / kMsPerSecond - old_join_->joined_s));
  const SeatAtStart seat = seat_->held() ? SeatAtStart::obtained : SeatAtStart::held;
  switch (choose_rejoin(*old_join_, sink::parent_process(), seat, now_ms)) {
    case RejoinChoice::rejoin:
      context_.log.info(text::kRejoining);
      start_.facts.at_launch = old_join_->arguments;
      start_.facts.cursor_joined = text::kRejoined;
      start_.facts.cursor_failed = told;
      break;
    case RejoinChoice::forget:
      remove_join_record(start_.join_record);
      break;
    case RejoinChoice::tell:
      context_.log.warning(told);
      start_.facts.cursor = told;
      break;
  }
}

void Bridge::decide_launch() {
  decide_rejoin();
  start_.facts.harness = start_.who.seat_harness;
  start_.facts.hook = start_.hook;
  start_.facts.keep_warm = start_.keep_warm.interval.has_value();
  if (!options_.auto_join) {
    for (const auto& [name, value] :
         {std::pair("role", &options_.role), std::pair("capacity", &options_.capacity)}) {
      if (!value->empty()) {
        context_.log.warning(text::only_with_auto_join(name));
      }
    }
    return;
  }
  JoinRequest request;
  request.role = given(options_.role);
  if (!options_.capacity.empty()) {
    request.capacity = capacity_of_option(options_.capacity);
    if (!request.capacity) {
      context_.log.error(text::kBadCapacityOption);
      return;
    }
  }
  start_.facts.at_launch = request;
}

BridgeRecord::Fixed Bridge::record_facts() const {
  BridgeRecord::Fixed fixed;
  fixed.service = start_.who.service;
  fixed.harness = start_.who.seat_harness;
  fixed.project = options_.project;
  fixed.project_env = context_.environment.get_or_empty(kProjectVariable);
  fixed.folder = start_.who.folder;
  fixed.path = context_.environment.get_or_empty("PATH");
  fixed.state = start_.who.seat.files.folder;
  fixed.channel = start_.who.harness == "claude";
  return fixed;
}

base::Result<account::Credential> Bridge::read_credential() const {
  const base::Result<account::Service> service = account::check_service(start_.who.service);
  if (!service.ok()) {
    return service.error();
  }
  account::HarnessChoice choice;
  choice.name = start_.who.harness;
  choice.named = start_.who.named.empty() ? account::Named::no : account::Named::yes;
  for (const std::string_view name : harness::known_names()) {
    choice.known.emplace_back(name);
  }
  return account::read_credential(context_, *service, choice);
}

std::string Bridge::refusal(const std::string& tool) const {
  const brake::Decision decision = brake::decide_for_seat(
      context_.environment, start_.who.seat_harness, {start_.who.seat.checkout, start_.who.folder});
  if (!decision.refused()) {
    return {};
  }
  brake::RefusedCall call;
  call.surface = brake::Surface::bridge;
  call.actor = start_.who.seat_harness;
  call.target = "mcp:" + tool;
  call.repository = decision.repository;
  brake::log_refused(context_.environment, context_.clock, call);
  return decision.text;
}

base::Status Bridge::build() {
  const Timings& timings = options_.timings;
  const sink::SeatFiles& files = start_.who.seat.files;
  base::Result<base::Pipe> wake = base::Pipe::open();
  base::Result<Output> output = Output::open(io_.out);
  if (!wake.ok() || !output.ok()) {
    return wake.ok() ? output.error() : wake.error();
  }
  wake_ = *std::move(wake);
  output_ = std::make_unique<Output>(*std::move(output));
  output_->on_broken([this] {
    over_.store(true);
    this->wake();
  });
  record_ = std::make_unique<BridgeRecord>(context_, files, record_facts(), seat_->held(),
                                           timings.record);
  if (seat_->held()) {
    record_->take_leftover();
  }
  record_->write();
  session_ = std::make_unique<Session>(context_.clock, timings);
  sink_ = std::make_unique<SinkDesk>(files, context_);
  const auto channel =
      start_.who.harness == "claude" ? Announcer::Channel::claude : Announcer::Channel::none;
  AnnouncerParts announcing{context_, *output_, *record_, files, [this] {
                              return brake::decide_for_seat(
                                         context_.environment, start_.who.seat_harness,
                                         {start_.who.seat.checkout, start_.who.folder})
                                  .refused();
                            }};
  announcer_ = std::make_unique<Announcer>(std::move(announcing), timings, channel, start_.hook,
                                           start_.keep_warm);
  const auto connect = [this] {
    return std::make_unique<Upstream>(start_.who.service, options_.timings);
  };
  KeeperParts keeping{context_,
                      *session_,
                      *sink_,
                      *record_,
                      *announcer_,
                      inbox_,
                      connect,
                      [this] { return read_credential(); },
                      [this] { return seat_->held(); }};
  JoinDefaults defaults;
  defaults.harness = start_.who.harness;
  defaults.project = options_.project;
  defaults.repository = given(options_.repository);
  defaults.work_location = given(options_.work_location);
  defaults.folder = start_.who.folder;
  defaults.join_record = start_.join_record;
  keeper_ = std::make_unique<Keeper>(std::move(keeping), std::move(defaults), timings);
  ForwarderParts forwarding{context_,
                            *session_,
                            *output_,
                            connect,
                            [this] { inbox_.push(CallFinished{}); },
                            [this](const std::string& tool) {
                              if (tool == "events_read") {
                                announcer_->feed_was_read();
                              }
                            }};
  forwarder_ = std::make_unique<Forwarder>(std::move(forwarding), timings);
  RouterParts routing{context_,
                      inbox_,
                      *output_,
                      *forwarder_,
                      *keeper_,
                      *session_,
                      *announcer_,
                      *record_,
                      [this](const std::string& tool) { return refusal(tool); },
                      [this] { return seat_->warning(); },
                      [this] { reader_->finish(); },
                      [this] { return stopping_.load(); }};
  router_ = std::make_unique<Router>(std::move(routing), start_.facts, timings);
  return {};
}

void Bridge::wake() {
  const char byte = 0;
  const ssize_t ignored = ::write(wake_.write_end.get(), &byte, 1);
  static_cast<void>(ignored);
}

void Bridge::route() {
  try {
    failed_.store(router_->run() == RouterEnd::content_length);
  } catch (const std::exception& error) {
    context_.log.error(error.what());
    failed_.store(true);
  } catch (...) {
    context_.log.error(text::kStoppedUnexpectedly);
    failed_.store(true);
  }
  over_.store(true);
  wake();
}

int Bridge::wait_ms() const {
  std::optional<base::SteadyTime> next;
  if (parent_ != 1) {
    next = parent_at_;
  }
  if (!seat_->held() && (!next || seat_at_ < *next)) {
    next = seat_at_;
  }
  return next ? static_cast<int>(base::time_left(*next).count()) : -1;
}

void Bridge::look_around() {
  const base::SteadyTime now = context_.clock.steady();
  if (parent_ != 1 && now >= parent_at_) {
    parent_at_ = now + options_.timings.parent;
    if (::getppid() != parent_) {
      over_.store(true);
    }
  }
  if (!seat_->held() && now >= seat_at_) {
    seat_at_ = now + options_.timings.seat_retry;
    if (seat_->try_again()) {
      context_.log.info(text::kSeatObtained);
      record_->take_leftover();
      record_->seat_obtained();
      sink_->seat_obtained();
    }
  }
}

void Bridge::serve() {
  parent_at_ = context_.clock.steady() + options_.timings.parent;
  seat_at_ = context_.clock.steady() + options_.timings.seat_retry;
  while (!over_.load()) {
    std::array<pollfd, 2> watched = {pollfd{wake_.read_end.get(), POLLIN, 0},
                                     pollfd{io_.stop, POLLIN, 0}};
    const int ready = ::poll(watched.data(), io_.stop >= 0 ? 2 : 1, wait_ms());
    if (ready < 0 && errno != EINTR) {
      return;
    }
    if (ready > 0 && watched[1].revents != 0) {
      return;
    }
    look_around();
  }
}

void Bridge::shut_down() {
  stopping_.store(true);
  keeper_->ask_to_stop();
  output_->close();
  inbox_.push(StopNow{});
  forwarder_->stop();
  keeper_->stop();
  announcer_->stop();
  if (reader_) {
    reader_->stop();
  }
  if (routing_.joinable()) {
    routing_.join();
  }
  reader_.reset();
  record_->close();
}

bool Bridge::asked_to_stop() const {
  pollfd watched{io_.stop, POLLIN, 0};
  return io_.stop >= 0 && ::poll(&watched, 1, 0) > 0;
}

int Bridge::run() {
  if (!identify()) {
    return 1;
  }
  claim_seat();
  inspect_hooks();
  decide_launch();
  base::Status built = build();
  if (built.ok()) {
    keeper_->start();
    if (!asked_to_stop()) {
      base::Result<std::unique_ptr<Reader>> reader = Reader::start(io_.in, inbox_, room_);
      if (reader.ok()) {
        reader_ = *std::move(reader);
        routing_ = std::thread([this] { route(); });
        serve();
      } else {
        built = reader.error();
      }
    }
    shut_down();
  }
  seat_.reset();
  if (recorded_) {
    recorded_->remove();
  }
  if (!built.ok()) {
    context_.log.error(built.error().what);
    return 1;
  }
  return failed_.load() ? 1 : 0;
}

}  // namespace

int run_bridge(const base::Context& context, const BridgeOptions& options, const BridgeIo& io) {
  Bridge bridge(context, options, io);
  return bridge.run();
}

}  // namespace robot_council::bridge
