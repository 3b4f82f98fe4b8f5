#include "bridge/follower.hpp"

#include <algorithm>
#include <exception>

#include "base/random.hpp"
#include "bridge/answer.hpp"
#include "bridge/interest.hpp"
#include "bridge/texts.hpp"
#include "service-api/paths.hpp"

namespace robot_council::bridge {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kUnprocessable = 422;
constexpr base::Milliseconds kHeldAtLeast{
    1000};  // a read cut sooner was not cut because it was held

double jitter() {
  constexpr std::uint64_t kSteps = 1000;
  return static_cast<double>(base::random_below(kSteps)) / static_cast<double>(kSteps);
}

std::optional<base::Milliseconds> retry_after(const net::ClientResponse& answer,
                                              const base::Clock& clock) {
  const std::optional<std::int64_t> seconds = retry_after_s(answer, clock.wall_ms());
  if (!seconds) {
    return std::nullopt;
  }
  return base::Milliseconds(std::chrono::seconds(std::min(*seconds, kMaxRetryAfterSeconds)));
}

std::string meta_text(const base::Json& event, std::string_view key) {
  const base::Json* meta = base::get_object(event, "meta");
  return meta == nullptr ? std::string() : base::get_string(*meta, key).value_or("");
}

}  // namespace

Follower::Follower(FollowerParts parts, std::unique_ptr<Upstream> upstream, FeedPlan& plan,
                   std::int64_t session, std::optional<std::int64_t> cursor)
    : parts_(std::move(parts)),
      upstream_(std::move(upstream)),
      plan_(plan),
      me_(session),
      cursor_(cursor),
      sink_backoff_(upstream_->timings().backoff) {
  thread_ = std::thread([this] { run(); });
}

Follower::~Follower() {
  stop();
}

void Follower::ask_to_stop() {
  {
    const base::MutexLock lock(mu_);
    stop_.store(true);
  }
  upstream_->cancel();
  woken_.notify_all();
  parts_.session.wake();
}

void Follower::stop() {
  ask_to_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Follower::wait_until(base::SteadyTime when) {
  const base::MutexLock lock(mu_);
  while (!stop_.load() && parts_.context.clock.steady() < when) {
    static_cast<void>(woken_.wait_until(mu_, when));
  }
}

void Follower::run() {
  while (!stopped()) {
    try {
      loop();
      return;
    } catch (const std::exception& error) {
      // Nothing was committed past the cursor in memory: going on from it loses nothing.
      parts_.context.log.error(text::feed_unreadable(error.what()));
      wait_until(parts_.context.clock.steady() + upstream_->timings().backoff_most);
    }
  }
}

void Follower::loop() {
  while (!stopped()) {
    const base::SteadyTime next = plan_.spaced(read_once());
    wait_until(next);
    if (!parts_.session.id()) {
      return;
    }
  }
}

base::SteadyTime Follower::read_once() {
  const base::Clock& clock = parts_.context.clock;
  const TokenResult token = parts_.session.acquire([this] { return stopped(); },
                                                   clock.steady() + upstream_->timings().call);
  if (!token.token) {
    if (token.why != NoToken::abandoned) {
      const base::MutexLock lock(mu_);
      stop_.store(true);  // the session is over; so is this thread
    }
    return clock.steady();
  }
  Upstream::Call call;
  call.method = "GET";
  call.path = std::string(service_api::path::kEvents) + plan_.query(cursor_);
  call.token = token.token->text;
  const bool asked_to_hold = plan_.wait_seconds() > 0;
  const base::SteadyTime begun = clock.steady();
  const Answer answer = upstream_->call(call, begun + plan_.read_time());
  const base::SteadyTime now = clock.steady();
  const auto took = std::chrono::duration_cast<base::Milliseconds>(now - begun);
  if (stopped()) {
    return now;
  }
  if (!answer.ok()) {
    if (answer.error().code == base::Errc::invalid) {
      return failed(0, std::nullopt, false,
                    "the service answered with something that is not a page.");
    }
    const bool cut = asked_to_hold && answer.error().code == base::Errc::io && took >= kHeldAtLeast;
    return failed(0, std::nullopt, cut, transport_text(answer.error()) + ".");
  }
  if (answer->status == kUnauthorized) {
    return refused(*answer, token.token->generation);
  }
  if (answer->status == kUnprocessable &&
      plan_.drop(names_field(answer->body, "acknowledge"), names_field(answer->body, "wait"))) {
    return now;
  }
  if (!is_success(answer->status)) {
    return failed(answer->status, retry_after(*answer, clock), false,
                  "the service answered " + std::to_string(answer->status) + ".");
  }
  const base::Result<FeedPage> page = read_feed_page(answer->body);
  if (!page.ok()) {
    return failed(0, std::nullopt, false, page.error().what + ".");
  }
  refusals_.over();
  FeedPlan::PageFacts facts;
  facts.held = answer->header("Robot-Council-Wait").has_value();
  facts.took = took;
  facts.retry_after = retry_after(*answer, clock);
  return take(*page, facts);
}

base::SteadyTime Follower::refused(const net::ClientResponse& answer, std::uint64_t generation) {
  static_cast<void>(answer);
  const base::Clock& clock = parts_.context.clock;
  if (!parts_.session.is_current(generation)) {
    return clock.steady();  // a newer token was issued meanwhile
  }
  const bool say = refusals_.refused();
  parts_.session.make_due();
  if (say) {
    parts_.context.log.warning(text::feed_refused(refusals_.count()));
    return plan_.after_failure(kUnauthorized, std::nullopt, false, jitter(), clock.steady());
  }
  const base::SteadyTime longest =
      clock.steady() + upstream_->timings().renew_pause + upstream_->timings().call;
  static_cast<void>(parts_.session.await_attempt([this] { return stopped(); }, longest));
  if (!parts_.session.is_current(generation)) {
    return clock.steady();
  }
  return plan_.after_failure(kUnauthorized, std::nullopt, false, jitter(), clock.steady());
}

base::SteadyTime Follower::failed(int status, std::optional<base::Milliseconds> retry_after,
                                  bool cut_while_held, const std::string& what) {
  refusals_.over();
  parts_.context.log.warning(text::feed_unreadable(what));
  return plan_.after_failure(status, retry_after, cut_while_held, jitter(),
                             parts_.context.clock.steady());
}

bool Follower::own_role(const FeedEvent& event, Harvest& harvest) const {
  if (actor_session(event.json) != me_) {
    return false;
  }
  if (event.type == "session.role_changed") {
    if (!event.id || (harvest.last_role_event && *event.id <= *harvest.last_role_event)) {
      return true;  // served again: it was followed by its renewal
    }
    harvest.new_role = meta_text(event.json, "to");
    harvest.said.push_back(text::role_changed(harvest.new_role, meta_text(event.json, "from"),
                                              meta_text(event.json, "how")));
    harvest.role_event = event.id;
    return true;
  }
  if (event.type == "session.role_requested") {
    const std::string denied = meta_text(event.json, "refused");
    if (!denied.empty()) {
      harvest.said.push_back(text::role_denied(denied, meta_text(event.json, "stays")));
    }
    return true;
  }
  return false;
}

Follower::Harvest Follower::harvest(const FeedPage& page) const {
  Harvest harvest;
  harvest.held = held_;
  harvest.last_role_event = last_role_event_;
  harvest.new_epoch = page.epoch.value_or(epoch_);
  const GapVerdict gap = feed_gap(page, cursor_, epoch_);
  harvest.page.cursor = page.cursor ? page.cursor : cursor_;
  if (gap.gap != FeedGap::none) {
    const bool back = gap.gap == FeedGap::went_back;
    const std::string line =
        back ? text::feed_went_back(gap.from, gap.to) : text::feed_pruned(gap.from, gap.to);
    harvest.page.local.push_back({"bridge.feed-gap", line});
    harvest.said.push_back(line);
    harvest.page.renumber = back ? sink::Renumber::yes : sink::Renumber::no;
    if (back) {
      harvest.last_role_event.reset();  // its id may be given again
    }
    if (gap.page_left) {
      harvest.page.cursor = gap.to;
      return harvest;
    }
  }
  Holder holder;
  holder.session = me_;
  holder.coordinator = parts_.session.coordinator();
  holder.held = &harvest.held;
  for (const FeedEvent& event : page.events) {
    if (own_role(event, harvest)) {
      if (harvest.role_event) {
        harvest.page.cursor = harvest.role_event;
        return harvest;
      }
      continue;
    }
    if (interest(event.json, holder).stored) {
      harvest.page.events.push_back({event.id, event.type, event.bytes});
    }
    follow_held(event.json, me_, harvest.held);
  }
  return harvest;
}

base::SteadyTime Follower::commit_failed(const base::Error& error) {
  if (!sink_failing_) {
    parts_.context.log.error(error.what);
    sink_failing_ = true;
  }
  const base::SteadyTime next = parts_.context.clock.steady() + sink_backoff_;
  sink_backoff_ = std::min(sink_backoff_ * 2, upstream_->timings().backoff_most);
  return next;
}

base::SteadyTime Follower::after_role_change() {
  const base::Clock& clock = parts_.context.clock;
  const Timings& timings = upstream_->timings();
  parts_.session.make_due();
  const base::SteadyTime longest = clock.steady() + timings.renew_pause + timings.call;
  const bool ended = parts_.session.await_attempt([this] { return stopped(); }, longest);
  if (ended && !parts_.session.wanted().due) {
    return clock.steady();
  }
  return clock.steady() + timings.poll;
}

base::SteadyTime Follower::take(const FeedPage& page, FeedPlan::PageFacts facts) {
  Harvest harvested = harvest(page);
  const std::optional<std::int64_t> before = cursor_;
  const bool moved = harvested.page.cursor != before;
  std::size_t rows = 0;
  if (moved || !harvested.page.events.empty() || !harvested.page.local.empty()) {
    const base::Result<sink::Appended> added = parts_.sink.append(harvested.page);
    if (!added.ok()) {
      return commit_failed(added.error());
    }
    rows = added->events + added->local;
  }
  sink_failing_ = false;
  sink_backoff_ = upstream_->timings().backoff;
  cursor_ = harvested.page.cursor;
  held_ = std::move(harvested.held);
  epoch_ = std::move(harvested.new_epoch);
  last_role_event_ = harvested.last_role_event;
  for (const std::string& line : harvested.said) {
    parts_.context.log.info(line);
  }
  parts_.record.feed_read(cursor_);
  if (rows > 0) {
    parts_.stored(rows);
  }
  if (harvested.role_event) {
    last_role_event_ = harvested.role_event;
    parts_.record.role(harvested.new_role);
    return after_role_change();
  }
  const base::SteadyTime now = parts_.context.clock.steady();
  if (moved && before && cursor_ && *cursor_ < *before) {
    return now;  // the feed went back: what it has now is read at once
  }
  facts.moved = moved;
  facts.full = page.listed >= kFullPage;
  facts.moved_by = before && cursor_ ? *cursor_ - *before : 0;
  facts.empty = page.events.empty();
  return plan_.after_page(facts, now);
}

}  // namespace robot_council::bridge
