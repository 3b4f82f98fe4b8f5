#include "wiring/online/doctor_brake.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "brake/doctor.hpp"
#include "brake/homes.hpp"

namespace robot_council::wiring::online {

namespace {

constexpr std::string_view kClient = "brake-client-";

bool is_client(const brake::DoctorFact& fact) {
  return fact.id.compare(0, kClient.size(), kClient) == 0;
}

bool is_unwired(const brake::DoctorFact& fact) {
  return is_client(fact) && fact.text.find(": not wired") != std::string::npos;
}

CheckState state_of(brake::Finding finding) {
  switch (finding) {
    case brake::Finding::ok:
      return CheckState::ok;
    case brake::Finding::warning:
      return CheckState::warning;
    case brake::Finding::failed:
      return CheckState::failed;
    case brake::Finding::unknown:
      break;
  }
  return CheckState::unknown;
}

// The brake's remedies are commands or half sentences.
std::string remedy_of(const brake::DoctorFact& fact) {
  if (fact.finding == brake::Finding::ok || fact.remedy.empty()) {
    return "";
  }
  if (base::starts_with_ignoring_case(fact.remedy, "robot-council ") ||
      base::starts_with_ignoring_case(fact.remedy, "chmod ") ||
      base::starts_with_ignoring_case(fact.remedy, "git ")) {
    return "Run: " + fact.remedy;
  }
  std::string text = fact.remedy;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

}  // namespace

std::vector<Check> check_brake(const base::Context& context, const std::string& folder) {
  const auto facts = brake::brake_doctor(context, brake::find_homes(context.environment), folder);
  const bool wired = std::any_of(facts.begin(), facts.end(), [](const brake::DoctorFact& fact) {
    return is_client(fact) && !is_unwired(fact);
  });
  std::vector<Check> checks;
  std::vector<std::string> unwired;
  for (const brake::DoctorFact& fact : facts) {
    if (is_unwired(fact)) {
      unwired.push_back(fact.id.substr(kClient.size()));
      continue;
    }
    Check check{fact.id, state_of(fact.finding), fact.text, remedy_of(fact)};
    if (!wired && (fact.id == "brake-command" || fact.id == "brake-git") &&
        (check.state == CheckState::failed || check.state == CheckState::warning)) {
      continue;  // nobody calls them; the line below says what to do
    }
    checks.push_back(std::move(check));
  }
  if (!unwired.empty()) {
    const std::string text = "not wired to the brake: " + base::join(unwired, ", ");
    checks.push_back(wired ? check_ok("brake-clients", text)
                           : check_warning("brake-clients",
                                           "no client is wired to the brake, so `robot-council "
                                           "stop` would refuse no tool call",
                                           "Run `robot-council brake wire`; wiki/Brake.md."));
  }
  return checks;
}

}  // namespace robot_council::wiring::online
