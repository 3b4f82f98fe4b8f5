#include "fleet/serve_options.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "base/files.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "fleet/gate.hpp"
#include "net/url.hpp"
#include "service-api/limits.hpp"

namespace robot_council::fleet {

namespace {

using base::Errc;
using base::Error;

constexpr std::int64_t kMaxDays = 36500;
constexpr std::int64_t kMaxRate = 1000000;
constexpr std::int64_t kMaxMaxHeld = 1000000;

// The name of the user that runs this, for the one developer of an embedded fleet.
std::string user_name(const base::Environment& environment) {
  std::array<char, 4096> buffer{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr && found->pw_name != nullptr) {
    return found->pw_name;
  }
  return environment.nonblank("USER").value_or("operator");
}

base::Result<std::int64_t> number(std::string_view option, const std::string& word,
                                  std::int64_t fallback, std::int64_t min, std::int64_t max) {
  if (word.empty()) {
    return fallback;
  }
  const auto value = base::parse_digits(word);
  if (!value || *value < min || *value > max) {
    return Error{Errc::invalid, std::string(option) + " takes a number from " +
                                    std::to_string(min) + " to " + std::to_string(max) + ", not " +
                                    word};
  }
  return *value;
}

base::Status read_listen(const std::string& word, ServeOptions& options) {
  if (word.empty()) {
    return {};
  }
  const std::size_t colon = word.rfind(':');
  const auto port = colon == std::string::npos
                        ? std::nullopt
                        : base::parse_digits(std::string_view(word).substr(colon + 1));
  if (!port || *port > std::numeric_limits<std::uint16_t>::max()) {
    return Error{Errc::invalid, "--listen takes HOST:PORT, not " + word};
  }
  std::string host = word.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (host.empty()) {
    return Error{Errc::invalid, "--listen takes HOST:PORT, not " + word};
  }
  options.host = host == "localhost" ? "127.0.0.1" : host;
  options.port = static_cast<std::uint16_t>(*port);
  return {};
}

base::Status read_rates(const std::vector<std::string>& words, Settings& settings) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || default_rates().find(name) == default_rates().end()) {
      std::vector<std::string> names;
      for (const auto& [known, rate] : default_rates()) {
        names.push_back(known);
      }
      return Error{Errc::invalid, "--rate-limit takes NAME=N with NAME one of " +
                                      base::join(names, ", ") + ", not " + word};
    }
    auto rate = number("--rate-limit " + name, word.substr(equals + 1), 0, 1, kMaxRate);
    if (!rate) {
      return rate.error();
    }
    settings.rates[name] = *rate;
  }
  return {};
}

base::Status read_numbers(const ServeWords& words, Settings& settings) {
  struct Entry {
    std::string_view option;
    const std::string& word;
    std::int64_t& into;
    std::int64_t min;
    std::int64_t max;
  };
  auto max_held = static_cast<std::int64_t>(settings.max_held);
  const std::array<Entry, 6> entries{{
      {"--tasks-at-once", words.tasks_at_once, settings.tasks_at_once, 1,
       service_api::kMaxCapacity},
      {"--max-held", words.max_held, max_held, 1, kMaxMaxHeld},
      {"--keep-events", words.keep_events, settings.keep_events, 0, kMaxDays},
      {"--keep-tasks", words.keep_tasks, settings.keep_tasks, 0, kMaxDays},
      {"--keep-locks", words.keep_locks, settings.keep_locks, 0, kMaxDays},
      {"--keep-sessions", words.keep_sessions, settings.keep_sessions, 0, kMaxDays},
  }};
  for (const Entry& entry : entries) {
    auto value = number(entry.option, entry.word, entry.into, entry.min, entry.max);
    if (!value) {
      return value.error();
    }
    entry.into = *value;
  }
  settings.max_held = static_cast<std::size_t>(max_held);
  return {};
}

base::Status read_network(const ServeWords& words, ServeOptions& options) {
  if (words.behind_proxy && (words.auto_approve || words.no_rate_limit)) {
    return Error{Errc::invalid,
                 "--behind-proxy excludes --auto-approve and --no-rate-limit: every peer looks "
                 "local behind a proxy"};
  }
  if (words.behind_proxy && words.public_url.empty()) {
    return Error{Errc::invalid,
                 "--behind-proxy needs --public-url, the address that people and agents use"};
  }
  if (!words.public_url.empty()) {
    auto url = net::parse_url(words.public_url);
    if (!url) {
      return Error{Errc::invalid, "--public-url is not a usable URL: " + url.error().what};
    }
    options.settings.public_url = base::without_trailing(words.public_url, '/');
    const std::string origin = url->origin();
    options.public_host = origin.substr(origin.find("://") + 3);
  }
  if (!is_loopback(options.host) && !words.behind_proxy) {
    return Error{Errc::refused,
                 "cannot listen on " + options.host +
                     ": without --behind-proxy only a loopback address is safe. "
                     "Put a proxy with TLS in front and give --behind-proxy and --public-url"};
  }
  options.behind_proxy = words.behind_proxy;
  return {};
}

// Shown to agents and in every event's author, so a word without blanks and controls.
bool is_login(std::string_view word) {
  constexpr std::size_t kMaxLogin = 64;  // GitHub's are at most 39 characters
  return word.size() <= kMaxLogin &&
         word.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-") ==
             std::string_view::npos;
}

}  // namespace

std::string fleet_directory(std::string_view data, const base::Environment& environment) {
  if (data.empty()) {
    return base::join_path(base::data_directory(environment), "fleet");
  }
  if (data.front() == '/') {
    return std::string(data);
  }
  const auto here = base::working_directory();
  return base::join_path(here ? *here : ".", data);
}

base::Result<ServeOptions> read_serve_options(const ServeWords& words,
                                              const base::Environment& environment) {
  ServeOptions options;
  if (!words.store.empty() && words.store != "sqlite") {
    return Error{Errc::invalid, "--store takes sqlite, not " + words.store};
  }
  if (!is_login(words.login)) {
    return Error{Errc::invalid,
                 "--login takes 1 to 64 of the characters A-Z a-z 0-9 . _ @ -, not \"" +
                     base::for_display(words.login) + "\""};
  }
  options.data = fleet_directory(words.data, environment);
  options.settings.login = words.login.empty() ? user_name(environment) : words.login;
  options.settings.auto_approve = words.auto_approve;
  options.settings.rate_limits_for_loopback = !words.no_rate_limit;
  if (auto read = read_listen(words.listen, options); !read) {
    return read.error();
  }
  if (auto read = read_numbers(words, options.settings); !read) {
    return read.error();
  }
  if (auto read = read_rates(words.rate_limits, options.settings); !read) {
    return read.error();
  }
  if (auto read = read_network(words, options); !read) {
    return read.error();
  }
  return options;
}

}  // namespace robot_council::fleet
