#include "tests/soak/misbehaving_fleet.hpp"

#include <algorithm>

#include "base/json_scan.hpp"

namespace robot_council::test {

namespace {

constexpr base::Milliseconds kHeld{1500};      // a read without news is held so long
constexpr std::size_t kKeptEvents = 400;       // older ones are pruned, as a service does
constexpr std::size_t kLarge = 6U << 20U;      // bytes of a large answer
constexpr std::size_t kTooLarge = 17U << 20U;  // over the bridge's limit of 16 MiB

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string text_result(const std::string& id, const std::string& text) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"content":[{"type":"text","text":")" +
         text + R"("}],"isError":false}})";
}

}  // namespace

MisbehavingFleet::MisbehavingFleet(std::uint64_t seed) : random_(seed) {
  fleet_.keep_requests(16);
  fleet_.on("POST sessions", [this](const FleetRequest& request) { return start(request); });
  fleet_.on("GET events", [this](const FleetRequest& request) { return feed(request); });
  fleet_.on("POST mcp", [this](const FleetRequest& request) { return mcp(request); });
  fleet_.otherwise([this](const FleetRequest& request) {
    const bool renewal = request.method == "POST" && request.path.rfind("sessions/", 0) == 0;
    return renewal ? renew(request) : small(request);
  });
}

std::uint64_t MisbehavingFleet::draw(std::uint64_t below) {
  return random_() % below;
}

bool MisbehavingFleet::refused(const FleetRequest& request) {
  const base::MutexLock lock(mu_);
  return is_refused(request);
}

bool MisbehavingFleet::is_refused(const FleetRequest& request) {
  return expired_ || request.token != "S|" + number(token_);
}

void MisbehavingFleet::storm() {
  const base::MutexLock lock(mu_);
  calm_ = false;
}

void MisbehavingFleet::calm() {
  const base::MutexLock lock(mu_);
  calm_ = true;
}

void MisbehavingFleet::end_session() {
  const base::MutexLock lock(mu_);
  gone_ = true;
  expired_ = true;
  count("session ended");
  changed_.notify_all();
}

void MisbehavingFleet::stop() {
  {
    const base::MutexLock lock(mu_);
    stopping_ = true;
    changed_.notify_all();
  }
  fleet_.stop();
}

void MisbehavingFleet::expire_token() {
  const base::MutexLock lock(mu_);
  expired_ = true;
  count("token expired");
  changed_.notify_all();
}

std::vector<MisbehavingFleet::Owed> MisbehavingFleet::owed() {
  const base::MutexLock lock(mu_);
  return owed_;
}

std::int64_t MisbehavingFleet::restores() {
  const base::MutexLock lock(mu_);
  return restores_;
}

std::int64_t MisbehavingFleet::sessions() {
  const base::MutexLock lock(mu_);
  return session_ - 40;
}

std::size_t MisbehavingFleet::ends() {
  const base::MutexLock lock(mu_);
  return ends_;
}

std::string MisbehavingFleet::done() {
  const base::MutexLock lock(mu_);
  std::string text;
  for (const auto& [what, times] : done_) {
    text += (text.empty() ? "" : ", ") + what + " " + std::to_string(times);
  }
  return text;
}

void MisbehavingFleet::add_event(const std::string& type, const std::string& rest, For whom) {
  Event event;
  event.id = next_id_++;
  const std::string tag = "n" + number(next_tag_++);
  const std::uint64_t shape = draw(40);
  std::string padding;
  if (shape == 0) {
    padding.assign(100000 + draw(200000), 'x');
    count("large event");
  } else if (shape == 1) {
    padding = R"(\u0000\ud800 \u00e9 \/)";
  }
  const std::string id = draw(6) == 0 ? number(event.id) + ".0" : number(event.id);
  event.json = R"({"id":)" + id + R"(,"type":")" + type + R"(","body":")" + tag + " " + padding +
               R"(","created_at":"2026-09-24T12:00:00+00:00")" +
               (shape == 2 ? R"(,"odd":1e999)" : "") +
               (shape == 3 ? R"(,"deep":)" + std::string(100, '[') + std::string(100, ']') : "") +
               rest + "}";
  if (whom == For::session) {
    owed_.push_back({tag, event.id, std::nullopt});
  }
  events_.push_back(std::move(event));
  if (events_.size() > kKeptEvents) {
    events_.pop_front();
  }
  changed_.notify_all();
}

void MisbehavingFleet::post() {
  const base::MutexLock lock(mu_);
  const std::string me = number(session_);
  const std::string other = R"(,"actor":{"session_id":9})";
  for (std::uint64_t left = 1 + draw(4); left > 0; --left) {
    switch (draw(7)) {
      case 0:
        add_event("directive", R"(,"meta":{"targets":[)" + me + ".0]}" + other, For::session);
        break;
      case 1:
        add_event("directive", R"(,"meta":{"targets":[999]})" + other, For::nobody);
        break;
      case 2:
        add_event("narration", R"(,"meta":{"to":[7,)" + me + "]}" + other, For::session);
        break;
      case 3:
        add_event("task.claimed", R"(,"meta":{"task_id":5,"assigned_to":)" + me + "}" + other,
                  For::session);
        break;
      case 4:
        add_event("something.new", other, For::nobody);
        break;
      default:
        add_event("directive", R"(,"meta":null)" + other, For::session);
    }
  }
}

void MisbehavingFleet::change_role() {
  const base::MutexLock lock(mu_);
  coordinator_ = !coordinator_;
  const std::string to = coordinator_ ? "coordinator" : "build";
  const std::string from = coordinator_ ? "build" : "coordinator";
  add_event("session.role_changed",
            R"(,"meta":{"to":")" + to + R"(","from":")" + from + R"("},"actor":{"session_id":)" +
                number(session_) + "}",
            For::nobody);
  count("role changed");
}

MisbehavingFleet::Reply MisbehavingFleet::start(const FleetRequest& request) {
  const base::MutexLock lock(mu_);
  if (request.token != "I|secret") {
    return FleetReply{401, "{}", {}};
  }
  ++session_;
  ++token_;
  expired_ = gone_ = coordinator_ = false;
  restores_ = 0;
  owed_.clear();
  joined_at_ = next_id_ - 1;
  FleetReply reply{201,
                   R"({"session_id":)" + number(session_) + R"(.0,"token":"S|)" + number(token_) +
                       R"(","abilities":[],"expires_in":3600.0,"feed_cursor":)" +
                       number(joined_at_) + R"(.0,"capacity":1.0})",
                   {}};
  reply.after = base::Milliseconds(draw(200));
  return reply;
}

MisbehavingFleet::Reply MisbehavingFleet::renew(const FleetRequest& request) {
  const base::MutexLock lock(mu_);
  if (request.token != "I|secret") {
    return FleetReply{401, "{}", {}};
  }
  if (gone_) {
    return FleetReply{409, R"({"message":"This session is gone."})", {}};
  }
  count("renewal");
  ++token_;
  expired_ = false;
  FleetReply reply{200,
                   R"({"token":"S|)" + number(token_) + R"(","expires_in":3599.5,"abilities":[)" +
                       (coordinator_ ? R"("coordinator:direct")" : "") + "]}",
                   {}};
  reply.after = base::Milliseconds(draw(150));
  return reply;
}

MisbehavingFleet::Reply MisbehavingFleet::small(const FleetRequest& request) {
  const base::MutexLock lock(mu_);
  if (request.method == "DELETE") {
    ++ends_;
    return FleetReply{200, R"({"status":"gone"})", {}};
  }
  if (is_refused(request)) {
    return FleetReply{401, "{}", {}};
  }
  if (!calm_ && draw(2) == 0) {
    count("fault of a small call");
    return broken(draw(8));
  }
  return FleetReply{200, R"({"status":"active","fleet_can_direct":true,"capacity":1.0})", {}};
}

// Answers that are wrong for every call.
FleetReply MisbehavingFleet::broken(std::uint64_t kind) {
  switch (kind) {
    case 0:
      return {502, "<html><body>Bad Gateway</body></html>", {{"Content-Type", "text/html"}}};
    case 1:
      return {500, "", {}};
    case 2:
      return {429, R"({"message":"Too many."})", {{"Retry-After", "1"}}};
    case 3:
      return {503, "<html>", {{"Retry-After", "1"}, {"Content-Type", "text/html"}}};
    case 4:
      return {200, "", {}, true};
    case 5: {
      FleetReply reply;
      reply.reset = true;
      reply.after = base::Milliseconds(draw(100));
      return reply;
    }
    case 6: {
      FleetReply reply{200, R"({"events":[],"cursor":1,"jsonrpc":"2.0","id":1,"result":{}})", {}};
      reply.half = true;
      return reply;
    }
    default:
      return {200, "{\"events\":\"\xff\xfe\", cursor", {}};
  }
}

FleetReply MisbehavingFleet::restored(std::int64_t after) {
  const std::int64_t head = std::max(joined_at_, after - 1 - static_cast<std::int64_t>(draw(5)));
  while (!events_.empty() && events_.back().id > head) {
    events_.pop_back();
  }
  // What this session had not read is gone with the service's disk; it is told of that.
  const auto lost = [after](const Owed& owed) { return owed.id > after; };
  owed_.erase(std::remove_if(owed_.begin(), owed_.end(), lost), owed_.end());
  for (Owed& owed : owed_) {
    owed.id = 0;  // read before, so that no later restoration takes it
  }
  next_id_ = head + 1;
  restored_to_ = head;
  ++epoch_;
  ++restores_;
  count("restored from a backup");
  changed_.notify_all();
  return page(after);
}

void MisbehavingFleet::prune(std::int64_t after) {
  const std::int64_t oldest = after + 2 + static_cast<std::int64_t>(draw(2));
  if (next_id_ - 1 < oldest) {
    return;
  }
  while (!events_.empty() && events_.front().id < oldest) {
    for (Owed& owed : owed_) {
      if (owed.id == events_.front().id && owed.id > after) {
        owed.pruned = owed.id;
      }
    }
    events_.pop_front();
  }
  count("pruned");
}

FleetReply MisbehavingFleet::page(std::int64_t after) {
  std::vector<std::string> listed;
  std::int64_t cursor = after;
  const std::int64_t again_from = std::max(restored_to_, joined_at_);
  const std::uint64_t disorder = calm_ ? 0 : draw(4);
  for (const Event& event : events_) {
    const bool again = disorder == 1 && event.id > again_from && event.id > after - 3;
    if (event.id > after || again) {
      listed.push_back(event.json);
      if (disorder == 1 && draw(3) == 0) {
        listed.push_back(event.json);
        count("event twice in a page");
      }
    }
    if (listed.size() >= 200) {
      cursor = event.id;
      break;
    }
    cursor = std::max(cursor, event.id);
  }
  cursor = std::min(std::max(cursor, after), next_id_ - 1);
  // A role change ends the page where it stands, so what comes after it stays after it.
  const bool role = std::any_of(listed.begin(), listed.end(), [](const std::string& json) {
    return json.find("role_changed") != std::string::npos;
  });
  if (disorder == 2 && !role) {
    std::shuffle(listed.begin(), listed.end(), random_);
    count("page out of order");
  }
  if (disorder == 3) {
    for (const char* odd : {"null", "5", "[]", "{}", R"("text")"}) {
      listed.emplace_back(odd);
    }
  }
  std::string body = R"({"events":[)";
  for (std::size_t i = 0; i < listed.size(); ++i) {
    body += (i == 0 ? "" : ",") + listed[i];
  }
  body += R"(],"cursor":)" + number(cursor) + (draw(3) == 0 ? ".0" : "");
  if (!events_.empty()) {
    body += R"(,"oldest":)" + number(events_.front().id) + (draw(3) == 0 ? ".0" : "");
  }
  body += R"(,"epoch":"e)" + number(epoch_) + R"(","epoch_head":)" + number(restored_to_) + "}";
  FleetReply reply{200, body, {{"Robot-Council-Wait", "25"}}};
  if (!calm_ && draw(5) == 0) {
    reply.slowly = base::Milliseconds(200 + draw(600));
    count("dripping page");
  }
  return reply;
}

MisbehavingFleet::Reply MisbehavingFleet::feed_fault(std::int64_t after) {
  if (calm_ || feed_was_faulty_) {
    feed_was_faulty_ = false;
    return std::nullopt;
  }
  const std::uint64_t kind = draw(24);
  feed_was_faulty_ = kind < 10;
  if (kind < 8) {
    count("fault of the feed");
    return broken(kind);
  }
  if (kind == 8 && after > joined_at_ + 3) {
    return restored(after);
  }
  if (kind == 9) {
    prune(after);
  }
  return std::nullopt;
}

MisbehavingFleet::Reply MisbehavingFleet::feed(const FleetRequest& request) {
  if (refused(request)) {
    return FleetReply{401, "{}", {}};
  }
  const std::int64_t after = std::stoll(query_value(request.query, "after").value_or("0"));
  {
    const base::MutexLock lock(mu_);
    if (Reply fault = feed_fault(after)) {
      return fault;
    }
  }
  const base::SteadyTime until = base::deadline_in(kHeld);
  const base::MutexLock lock(mu_);
  while (next_id_ - 1 == after && !expired_ && !stopping_ && changed_.wait_until(mu_, until)) {
  }
  if (is_refused(request)) {
    return FleetReply{401, "{}", {}};
  }
  return page(after);
}

std::string MisbehavingFleet::tool_list() {
  if (draw(3) == 0) {
    tools_ = 1 + draw(40);
    count("tool list changed");
  }
  std::string tools;
  for (std::size_t i = 0; i < tools_; ++i) {
    tools += (i == 0 ? "" : ",") + std::string(R"({"name":"tool_)") + std::to_string(i) + "\"" +
             (i % 7 == 6 ? "" : R"(,"inputSchema":{"type":"object","properties":{}})") + "}";
  }
  return R"({"tools":[)" + tools + "]}";
}

MisbehavingFleet::Reply MisbehavingFleet::mcp(const FleetRequest& request) {
  const std::string id(base::json_member(request.body, "id"));
  if (id.empty()) {
    return FleetReply{202, "", {}};
  }
  if (refused(request)) {
    return FleetReply{401, "{}", {}};
  }
  const base::MutexLock lock(mu_);
  if (request.body.find(R"("name":"hang")") != std::string::npos) {
    FleetReply reply;
    (draw(2) == 0 ? reply.hang : reply.drip) = true;
    return reply;
  }
  if (request.body.find(R"("name":"too_large")") != std::string::npos) {
    count("answer over the limit");
    return FleetReply{200, text_result(id, std::string(kTooLarge, 'x')), {}};
  }
  if (request.body.find(R"("name":"large")") != std::string::npos) {
    return FleetReply{200, text_result(id, std::string(kLarge, 'x')), {}};
  }
  if (request.body.find("tools/list") != std::string::npos) {
    return FleetReply{
        200, R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + tool_list() + "}", {}};
  }
  const std::string good = text_result(id, "ok");
  if (calm_) {
    return FleetReply{200, good, {}};
  }
  FleetReply reply{200, good, {}};
  const std::uint64_t kind = draw(24);
  if (kind < 8) {
    count("fault of a tool call");
    return broken(kind);
  }
  switch (kind) {
    case 8:
      reply.slowly = base::Milliseconds(draw(800));
      break;
    case 9:
      reply.after = base::Milliseconds(draw(600));
      break;
    case 10:
      reply.body = "{\n \"jsonrpc\": \"2.0\",\r\n \"id\": " + id + ",\n \"result\": {}\n}\n";
      break;
    case 11:
      reply = {200, ": ping\n\ndata: " + good + "\n\n", {{"Content-Type", "text/event-stream"}}};
      break;
    case 12:
      reply.body = text_result("987654321", "another's");
      break;
    case 13:
      reply.body = std::string(200, '[') + std::string(200, ']');
      break;
    case 14:
      reply = {302, "", {{"Location", "http://127.0.0.1:1/"}}};
      break;
    default:
      break;
  }
  return reply;
}

}  // namespace robot_council::test
