#include "account/service_client.hpp"

#include <utility>

namespace robot_council::account {

base::Result<ServiceClient> ServiceClient::open(const Service& service, std::size_t max_answer) {
  net::ClientLimits limits;
  limits.connect = kConnectTime;
  limits.max_body = max_answer;
  auto client = net::HttpClient::open(service.url, limits);
  if (!client) {
    return client.error();
  }
  return ServiceClient(service, std::move(*client));
}

base::Result<net::ClientResponse> ServiceClient::call(const std::string& method,
                                                      std::string_view path,
                                                      const std::string& bearer,
                                                      std::optional<std::string> body,
                                                      base::Milliseconds limit) {
  net::ClientRequest request;
  request.method = method;
  request.target = service_.target(path);
  request.headers.emplace_back("Accept", "application/json");
  if (!bearer.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + bearer);
  }
  request.body = std::move(body);
  return client_.send(request, base::deadline_in(limit));
}

}  // namespace robot_council::account
