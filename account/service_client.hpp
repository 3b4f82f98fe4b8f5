#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "account/identity.hpp"
#include "account/limits.hpp"
#include "base/result.hpp"
#include "net/http_client.hpp"

namespace robot_council::account {

// JSON calls to one fleet service within the limits of a command: connect 10 s, call 30 s, no
// redirects (account contract, section 1). Threads: one call at a time; cancel() from any.
class ServiceClient {
 public:
  [[nodiscard]] static base::Result<ServiceClient> open(const Service& service,
                                                        std::size_t max_answer = kMaxAnswer);

  // path: as in service-api/paths.hpp, with its query. bearer: "" = no Authorization header. Any
  // status is an answer; errors are those of net::HttpClient::send.
  [[nodiscard]] base::Result<net::ClientResponse> call(const std::string& method,
                                                       std::string_view path,
                                                       const std::string& bearer,
                                                       std::optional<std::string> body,
                                                       base::Milliseconds limit = kCallTime);
  // The call under way and later ones end at once.
  void cancel() { client_.cancel(); }
  void reset_cancel() { client_.reset_cancel(); }

 private:
  ServiceClient(Service service, net::HttpClient client)
      : service_(std::move(service)), client_(std::move(client)) {}
  Service service_;
  net::HttpClient client_;
};

}  // namespace robot_council::account
