#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "harness/brake_client.hpp"

// The brake's entry in a client's settings file: bytes in, bytes out. Text is spliced, so that
// every foreign byte stays.
namespace robot_council::harness {

// What an entry depends on besides the client.
struct BrakeEntryOptions {
  // mistral_vibe below 2.21.0 knows the event as "before_tool".
  bool old_vibe = false;
};

// The content of a file that holds nothing but our entry.
[[nodiscard]] std::string fresh_brake_file(const BrakeClient& client,
                                           const BrakeEntryOptions& options = {});

struct BrakeEdit {
  std::string text;  // the file's new content
  bool changed = false;
  bool only_ours = false;  // unwiring: the file held nothing else and can go
};

// Adds our entry as a new last group, replaces one that differs in its place (codex_cli trusts an
// entry by its position), and reduces several to one. An entry of ours is one whose command
// contains kBrakeEntryMark. Errors  invalid: the text is no strict JSON (comments, trailing commas,
// a byte order mark and nothing at all included) or
//         TOML, a container on the way has another type, or a key on the way is there twice.
//         Nothing may be written then.
[[nodiscard]] base::Result<BrakeEdit> wire_brake_entry(const BrakeClient& client,
                                                       std::string_view text,
                                                       const BrakeEntryOptions& options = {});
// Takes our entries out, with the containers that wiring made for them: the bytes from before
// wiring, if nobody edited the file since.
[[nodiscard]] base::Result<BrakeEdit> unwire_brake_entry(const BrakeClient& client,
                                                         std::string_view text,
                                                         const BrakeEntryOptions& options = {});

// factory_droid's hooks.json has its events at the top level when it has no "hooks" wrapper.
[[nodiscard]] BrakeClient droid_hooks_file(const BrakeClient& droid, std::string_view text);

}  // namespace robot_council::harness
