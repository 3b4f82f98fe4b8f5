#pragma once

#include <string_view>
#include <vector>

#include "harness/settings_hooks.hpp"

// The inside of a client's `hooks` object. For settings_hooks.cpp and settings_toml.cpp.
namespace robot_council::harness {

struct EventsRead {
  std::vector<HookEntry> entries;
  std::vector<SettingsFault> faults;
  bool voids_file = false;  // the client drops the whole file for one of the faults
};

[[nodiscard]] EventsRead read_events(Client client, HookFileKind kind,
                                     const SettingsDocument& document, const SettingsNode& events);

// A name that some client uses for an event: standing at the top level of a file it shows a missing
// wrapper.
[[nodiscard]] bool is_event_key(Client client, std::string_view key);

// Milliseconds of a timeout in the client's unit; the client's default for nothing.
[[nodiscard]] std::int64_t timeout_in_ms(Client client, std::optional<double> timeout);

}  // namespace robot_council::harness
