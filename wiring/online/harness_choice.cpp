#include "wiring/online/harness_choice.hpp"

#include <string>

#include "harness/names.hpp"

namespace robot_council::wiring::online {

account::HarnessChoice choose_harness(std::string_view flag, const base::Environment& environment) {
  account::HarnessChoice choice;
  const std::string named = harness::named_harness(flag, environment);
  choice.named = named.empty() ? account::Named::no : account::Named::yes;
  choice.name = named.empty() ? harness::resolved_harness(flag, environment) : named;
  for (const std::string_view name : harness::known_names()) {
    choice.known.emplace_back(name);
  }
  return choice;
}

}  // namespace robot_council::wiring::online
