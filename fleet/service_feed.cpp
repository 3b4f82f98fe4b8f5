// GET events, for sessions and for the operator, held while there is nothing to tell (service
// contract, 4.1, 8.4).

#include <chrono>
#include <utility>

#include "fleet/feed.hpp"
#include "fleet/limits.hpp"
#include "fleet/operation.hpp"
#include "fleet/service.hpp"
#include "service-api/limits.hpp"
#include "service-api/names.hpp"
#include "service-api/paths.hpp"

namespace robot_council::fleet {

namespace path = service_api::path;

namespace {

net::ServerResponse with_wait_header(net::ServerResponse response) {
  response.headers.emplace_back(service_api::kWaitHeader, std::to_string(service_api::kMaxWait));
  return response;
}

net::ServerResponse failed(const Reply& reply) {
  return with_wait_header(to_response(reply));
}

}  // namespace

net::ServerResponse Service::feed_response(const Page& page) const {
  return with_wait_header(to_response(ok(page_text(*core_, page))));
}

void Service::install_feed(net::HttpServer& server) {
  server.route("GET", std::string(path::kEvents), [this](const net::ServerRequest& request) {
    return request.turn == net::Turn::first ? read_feed(request) : resume(request);
  });
  server.route(
      "GET", std::string(path::kOperatorEvents), [this](const net::ServerRequest& request) {
        return request.turn == net::Turn::first ? read_operator_feed(request) : resume(request);
      });
}

net::HandlerResult Service::read_feed(const net::ServerRequest& request) {
  const auto caller = gate_.session(request, "agent");
  if (const auto* refused = std::get_if<Reply>(&caller)) {
    return failed(*refused);
  }
  const auto& session = std::get<Session>(caller);
  note_contact(*core_, session);
  const Input input = Input::from_query(request.query);
  Fields fields(input);
  const FeedQuery query = read_feed_query(fields);
  if (!fields.ok()) {
    return failed(invalid_input(fields.errors()));
  }
  core_->presence.watcher(session.id, core_->now());
  const std::int64_t after = query.after.value_or(session.feed_cursor);
  if (query.acknowledge) {
    const Reply stored = acknowledge(*core_, session, after);
    if (stored.refused()) {
      return failed(stored);
    }
  }
  const auto page = feed_page(*core_, after, query.limit, session.reader());
  if (!page) {
    return failed(unavailable());
  }
  if (page->at_once || query.wait == 0) {
    return feed_response(*page);
  }
  Waiter waiter{session.reader(), after, query.limit,
                base::deadline_in(std::chrono::seconds(query.wait)), false};
  return hold(request, waiter, *page);
}

net::HandlerResult Service::read_operator_feed(const net::ServerRequest& request) {
  if (auto refused = gate_.operator_(request)) {
    return failed(*refused);
  }
  const Input input = Input::from_query(request.query);
  Fields fields(input);
  const FeedQuery query = read_feed_query(fields);
  if (!fields.ok()) {
    return failed(invalid_input(fields.errors()));
  }
  const Reader everything{0, 0, true};
  const std::int64_t after = query.after ? *query.after : before_last(*core_, query.limit);
  auto page = feed_page(*core_, after, query.limit, everything);
  if (!page) {
    return failed(unavailable());
  }
  if (page->at_once || query.wait == 0 || !query.after) {
    return feed_response(*page);
  }
  Waiter waiter{everything, after, query.limit, base::deadline_in(std::chrono::seconds(query.wait)),
                false};
  return hold(request, waiter, *page);
}

net::HandlerResult Service::hold(const net::ServerRequest& request, const Waiter& waiter,
                                 const Page& page) {
  if (!core_->waiters.add(request.id, waiter)) {
    net::ServerResponse response = feed_response(page);
    response.headers.emplace_back("Retry-After", std::to_string(kRetryNoPlace));
    return response;
  }
  // An event may have come between the first look and the registration: nobody wakes for that one.
  const auto again = feed_page(*core_, waiter.after, waiter.limit, waiter.reader);
  if (again && again->at_once) {
    core_->waiters.remove(request.id);
    return feed_response(*again);
  }
  return net::Park{waiter.until};
}

net::HandlerResult Service::resume(const net::ServerRequest& request) {
  const auto waiter = core_->waiters.find(request.id);
  if (!waiter) {
    return failed(unauthorized("This session has ended."));
  }
  if (waiter->ended) {
    core_->waiters.remove(request.id);
    return failed(unauthorized("This session has ended."));
  }
  const auto page = feed_page(*core_, waiter->after, waiter->limit, waiter->reader);
  if (request.turn == net::Turn::woken && page && !page->at_once) {
    return net::Park{waiter->until};
  }
  core_->waiters.remove(request.id);
  return page ? feed_response(*page) : failed(unavailable());
}

}  // namespace robot_council::fleet
