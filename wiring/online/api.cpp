#include "wiring/online/api.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "account/identity.hpp"
#include "account/service_client.hpp"
#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/json_scan.hpp"
#include "base/text.hpp"
#include "bridge/place.hpp"
#include "net/url.hpp"
#include "service-api/paths.hpp"
#include "service-api/patterns.hpp"
#include "sink/checkout.hpp"
#include "wiring/online/limits.hpp"
#include "wiring/online/short_session.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr int kOkFirst = 200;
constexpr int kOkEnd = 300;

bool is_method(const std::string& text) {
  return !text.empty() && text.size() <= kMaxApiMethod &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return text;
}

// The bytes to send, as given; nothing without --body.
base::Result<std::optional<std::string>> read_body(const std::string& given) {
  if (given.empty()) {
    return std::optional<std::string>();
  }
  std::string text = given;
  if (given == "-" || given.front() == '@') {
    auto bytes = given == "-"
                     ? base::read_all(STDIN_FILENO, kMaxApiBody, base::deadline_in(kApiStdinTime))
                     : base::read_file(given.substr(1), kMaxApiBody);
    if (!bytes) {
      return base::Error{bytes.error().code,
                         "The body could not be read: " + bytes.error().what + "."};
    }
    text = std::move(*bytes);
  }
  if (text.size() > kMaxApiBody) {
    return base::Error{base::Errc::invalid, "--body is longer than 1 MiB."};
  }
  const auto kind =
      base::validate_json(text, base::kMaxJsonDepth) ? base::json_kind(text) : base::JsonKind::null;
  if (kind != base::JsonKind::object && kind != base::JsonKind::array) {
    return base::Error{base::Errc::invalid, "--body must be valid JSON."};
  }
  return std::optional<std::string>(std::move(text));
}

// What was named, else what the checkout tells; each by itself, and only a shape that the fleet
// takes.
SessionPlace place_of(const ApiOptions& options, const std::string& method) {
  SessionPlace place;
  place.project_id = service_api::is_project_id(options.project) ? options.project : "";
  place.ephemeral = method == "GET" ? Ephemeral::yes : Ephemeral::no;
  const auto checkout = sink::find_checkout(options.folder);
  const bridge::Place here = checkout ? bridge::place_of_checkout(checkout->path) : bridge::Place{};
  place.repository = options.repository.empty()
                         ? here.repository.value_or("")
                         : bridge::checked_repository(options.repository).value_or("");
  place.work_location = options.work_location.empty()
                            ? here.work_location.value_or("")
                            : bridge::reduced_location(options.work_location).value_or("");
  return place;
}

class ApiCall {
 public:
  ApiCall(const base::Context& context, const ApiOptions& options, const account::Output& out,
          account::Interrupt& interrupt)
      : context_(context), options_(options), out_(out), interrupt_(interrupt) {}

  int run() {
    const std::string method = upper(options_.method);
    const auto target = api_target(options_.path);
    if (!is_method(method) || !target) {
      context_.log.error(target ? "The method must be 1 to 16 letters, such as GET."
                                : target.error().what);
      return account::kExitUsage;
    }
    auto service =
        account::check_service(account::service_text(options_.service, context_.environment));
    if (!service) {
      return fail(service.error().what);
    }
    auto credential = account::read_credential(context_, *service, options_.harness);
    if (!credential) {
      return fail(credential.error().what);
    }
    auto body = read_body(options_.body);
    if (!body) {
      return fail(body.error().what);
    }
    auto client = account::ServiceClient::open(*service, kMaxApiAnswer);
    if (!client) {
      return fail("Could not start a session.");
    }
    interrupt_.on_request([&client] { client->cancel(); });
    const int code = in_session(*client, *credential, method, *target, std::move(*body));
    interrupt_.on_request(nullptr);
    return interrupt_.requested() ? account::kExitInterrupted : code;
  }

 private:
  int fail(const std::string& text) {
    if (!interrupt_.requested()) {
      context_.log.error(text);
    }
    return account::kExitFailed;
  }

  int in_session(account::ServiceClient& client, const account::Credential& credential,
                 const std::string& method, const std::string& target,
                 std::optional<std::string> body) {
    int status = 0;
    const auto session =
        start_session(client, credential.token, place_of(options_, method), status);
    if (!session) {
      return fail(session.error().what);
    }
    const auto answer = client.call(method, target, session->token, std::move(body));
    // The end is sent after a signal too.
    interrupt_.on_request(nullptr);
    client.reset_cancel();
    (void)end_session(client, credential.token, *session);
    if (!answer) {
      return fail("The call did not complete.");
    }
    if (auto written = out_(answer->body + "\n"); !written) {
      return fail("cannot write the answer to stdout: " + written.error().what);
    }
    if (answer->status < kOkFirst || answer->status >= kOkEnd) {
      return fail("The service answered HTTP " + std::to_string(answer->status) + ".");
    }
    return account::kExitOk;
  }

  const base::Context& context_;
  const ApiOptions& options_;
  const account::Output& out_;
  account::Interrupt& interrupt_;
};

}  // namespace

base::Result<std::string> api_target(const std::string& path) {
  const base::Error bad{base::Errc::invalid,
                        "The path must be one below the service, such as tasks: without \"#\", "
                        "blanks, \"..\", \"://\"."};
  constexpr unsigned char kBlank = 0x20;
  constexpr unsigned char kDelete = 0x7f;
  const bool odd_byte = std::any_of(path.begin(), path.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= kBlank || byte == kDelete || c == '#';
  });
  const std::string before_query = path.substr(0, path.find('?'));
  if (path.empty() || odd_byte || path.find("://") != std::string::npos ||
      path.compare(0, 2, "//") == 0) {
    return bad;
  }
  for (const auto& segment : base::split(before_query, '/')) {
    const auto decoded = net::percent_decode(segment);
    if (!decoded || *decoded == "..") {
      return bad;
    }
  }
  if (path.compare(0, 15, "/robot-council/") == 0) {
    return path;
  }
  return std::string(service_api::path::kBase) + (path.front() == '/' ? "" : "/") + path;
}

int api(const base::Context& context, const ApiOptions& options, const account::Output& out,
        account::Interrupt& interrupt) {
  return ApiCall(context, options, out, interrupt).run();
}

int api(const base::Context& context, const ApiOptions& options) {
  auto interrupt = account::Interrupt::open();
  if (!interrupt) {
    context.log.error("cannot watch for signals: " + interrupt.error().what);
    return account::kExitFailed;
  }
  return api(context, options, account::write_stdout, **interrupt);
}

}  // namespace robot_council::wiring::online
