#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "account/identity.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "bridge/limits.hpp"
#include "bridge/place.hpp"
#include "net/http_client.hpp"

namespace robot_council::bridge {

using Answer = base::Result<net::ClientResponse>;

[[nodiscard]] inline bool is_success(int status) {
  return status >= 200 && status <= 299;
}

// One thread's way to the service: its connection and the calls of the wire. Opened at the first
// call. Threads: calls from one; cancel() from any.
class Upstream {
 public:
  // `service`: the URL as given; it is checked when the connection is opened.
  Upstream(std::string service, Timings timings) : text_(std::move(service)), timings_(timings) {}

  struct Call {
    std::string method;
    std::string path;  // of service-api/paths.hpp, with its query
    std::string token;
    std::optional<std::string> body;
    std::string accept = "application/json";
    std::function<void()> on_written;
  };
  // One HTTP call; any status is an answer. on_written is called in every case.
  [[nodiscard]] Answer call(const Call& call, base::SteadyTime deadline);

  // The call under way and all later ones end at once, until resume().
  void cancel();
  void resume();

  [[nodiscard]] const Timings& timings() const { return timings_; }

 private:
  [[nodiscard]] base::Status open() RC_REQUIRES(mu_);
  std::string text_;
  Timings timings_;
  base::Mutex mu_;
  std::unique_ptr<net::HttpClient> client_ RC_GUARDED_BY(mu_);
  std::string prefix_ RC_GUARDED_BY(mu_);  // path of the service's URL
  bool cancelled_ RC_GUARDED_BY(mu_) = false;
};

// --- the session's calls ---

struct StartFields {
  std::string project_id;  // "" = not sent
  std::string repository;
  std::string work_location;
  std::optional<std::int64_t> capacity;
  Platform platform;
};
[[nodiscard]] std::string start_body(const StartFields& fields, bool with_platform);

struct Started {
  std::int64_t session = 0;
  std::string token;
  std::optional<std::int64_t> feed_cursor;
  std::optional<std::int64_t> expires_in_s;
  std::optional<std::int64_t> capacity;
  std::optional<std::int64_t> declared_capacity;
  bool coordinator = false;
};
// POST sessions, once more without the platform if that is refused. The error's `what` is the
// reason of the failed join.
[[nodiscard]] base::Result<Started> start_session(Upstream& upstream, const std::string& credential,
                                                  const StartFields& fields,
                                                  base::SteadyTime deadline);

struct Renewed {
  std::string token;
  std::optional<std::int64_t> expires_in_s;
  bool coordinator = false;
};
// Reads a 2xx answer of a renewal; nothing without a token.
[[nodiscard]] std::optional<Renewed> read_renewal(std::string_view body);

struct AgentSession {
  std::optional<bool> fleet_can_direct;
  std::optional<std::int64_t> capacity;
};
// Reads a 2xx answer of GET agent/session; empty when it is none.
[[nodiscard]] AgentSession read_agent_session(std::string_view body);

struct RoleReply {
  bool pending = false;
  std::string role;
};
[[nodiscard]] RoleReply read_role_reply(std::string_view body);

// `result.instructions` of an initialize answer, "" if there are none.
[[nodiscard]] std::string read_instructions(std::string_view body);

// Whether a 422 names a field (itself or below it) in its `errors`.
[[nodiscard]] bool names_field(std::string_view body, std::string_view name);
// An answer that is a JSON object, so that a 404 came from the service and not from something
// before it.
[[nodiscard]] bool is_json_object(std::string_view body);

}  // namespace robot_council::bridge
