#include "account/identity.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "account/limits.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace robot_council::account {

namespace {

constexpr std::size_t kSuffixDigits = 8;

bool is_label_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

// Reduced, "" when nothing is left.
std::string reduced(std::string_view text, std::size_t most) {
  constexpr std::string_view kLocal = ".local";
  if (text.size() >= kLocal.size() && text.substr(text.size() - kLocal.size()) == kLocal) {
    text.remove_suffix(kLocal.size());
  }
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), is_label_character);
  return kept.substr(0, most);
}

}  // namespace

std::string Service::target(std::string_view path) const {
  return url.path + std::string(path);
}

std::string service_text(std::string_view flag, const base::Environment& environment) {
  const std::string given =
      flag.empty() ? environment.get_or_empty("ROBOT_COUNCIL_SERVICE") : std::string(flag);
  return base::without_trailing(given, '/');
}

base::Result<Service> check_service(const std::string& text) {
  if (text.empty()) {
    return base::Error{base::Errc::not_found,
                       "Pass --service, or set ROBOT_COUNCIL_SERVICE, with the URL of your fleet."};
  }
  auto url = net::parse_url(text);
  if (!url) {
    return base::Error{base::Errc::invalid,
                       "The service is not a usable URL: " + url.error().what + "."};
  }
  if (!net::check_transport(*url)) {
    return base::Error{
        base::Errc::refused,
        "The service must be reached over https. Only a loopback address may use http."};
  }
  return Service{text, std::move(*url)};
}

std::string reduce_label(std::string_view text) {
  const std::string kept = reduced(text, kMaxLabel);
  return kept.empty() ? "unknown-machine" : kept;
}

std::string machine_label(std::string_view given, const Machine& machine) {
  if (!given.empty()) {
    return reduce_label(given);
  }
  std::string label = reduced(machine.host_name, kMaxDefaultLabel);
  if (label.empty()) {
    label = "unknown-machine";
  }
  if (!machine.id.empty()) {
    label += "-" + base::sha256_hex(machine.id).substr(0, kSuffixDigits);
  }
  return label;
}

}  // namespace robot_council::account
