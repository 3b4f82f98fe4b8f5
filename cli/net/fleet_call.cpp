#include "cli/net/fleet_call.hpp"

#include <utility>
#include <vector>

#include "account/local_fleet.hpp"
#include "base/json_value.hpp"
#include "base/utf8.hpp"
#include "brake/person.hpp"
#include "brake/repository.hpp"
#include "net/url.hpp"
#include "service-api/paths.hpp"

namespace robot_council::cli {

namespace {

constexpr std::size_t kMaxAnswer = std::size_t{16}
                                   << 20U;  // bytes: an overview of thousands of sessions
constexpr base::Milliseconds kCallTime{30000};

}  // namespace

FleetCall::FleetCall(net::HttpClient client, std::string base, std::string token)
    : client_(std::move(client)), base_(std::move(base)), token_(std::move(token)) {}

base::Result<FleetCall> FleetCall::open(const base::Context& context, const Args& args) {
  const account::LocalFleet fleet = account::find_local_fleet(
      context, args.value("--data").value_or(""), args.value("--url").value_or(""));
  const auto url = net::parse_url(fleet.service);
  if (!url) {
    return base::Error{base::Errc::invalid, "The address " + base::for_display(fleet.service) +
                                                " is not usable: " + url.error().what};
  }
  if (auto safe = net::check_transport(*url); !safe) {
    return safe.error();
  }
  auto token = account::operator_token(fleet);
  if (!token) {
    return token.error();
  }
  net::ClientLimits limits;
  limits.max_body = kMaxAnswer;
  auto client = net::HttpClient::open(*url, limits);
  if (!client) {
    return client.error();
  }
  return FleetCall(*std::move(client),
                   url->path + std::string(service_api::path::kBase) + "/operator/", *token);
}

base::Result<FleetCall::Answer> FleetCall::send(net::ClientRequest request,
                                                base::Milliseconds limit) {
  request.headers.emplace_back("Authorization", "Bearer " + token_);
  request.headers.emplace_back("Accept", "application/json");
  auto response = client_.send(request, base::deadline_in(limit));
  if (!response) {
    return base::Error{response.error().code,
                       "The service could not be reached: " + response.error().what +
                           ". Is `robot-council serve` running?"};
  }
  auto json = base::parse_bounded(response->body, kMaxAnswer);
  if (response->status >= 400 || !json) {
    const std::string message =
        json ? base::get_string(*json, "message").value_or("") : std::string();
    return base::Error{
        base::Errc::refused,
        "The service answered " + std::to_string(response->status) +
            (message.empty() ? std::string(".") : ": " + base::for_display(message))};
  }
  return Answer{response->body, *std::move(json)};
}

base::Result<FleetCall::Answer> FleetCall::get(const std::string& path, base::Milliseconds limit) {
  net::ClientRequest request;
  request.target = base_ + path;
  return send(std::move(request), limit);
}

base::Result<FleetCall::Answer> FleetCall::post(const std::string& path, const std::string& body) {
  net::ClientRequest request;
  request.method = "POST";
  request.target = base_ + path;
  request.body = body;
  return send(std::move(request), kCallTime);
}

std::optional<std::string> refused_as_agent(const base::Context& context) {
  const auto here = brake::repository_at(brake::process_directory());
  const std::vector<std::string> checkouts =
      here.found ? std::vector<std::string>{here.repository.main_checkout}
                 : std::vector<std::string>{};
  const auto seen = brake::agent_seen(context.environment, checkouts);
  return seen ? std::optional<std::string>(brake::person_only(*seen)) : std::nullopt;
}

}  // namespace robot_council::cli
