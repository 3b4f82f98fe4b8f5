#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/check.hpp"
#include "harness/settings_edit.hpp"
#include "harness/settings_toml.hpp"
#include "harness/settings_wanted.hpp"

// Any bytes as a client's settings: reading never fails, an edit is refused or whole, and a second
// one changes nothing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council::harness;  // NOLINT(google-build-using-namespace): inside one
                                           // function
  if (size == 0) {
    return 0;
  }
  const auto client = static_cast<Client>(data[0] % 6);
  const std::string bytes(data + 1, data + size);
  (void)read_hooks_file(client, HookFileKind::settings, bytes);
  (void)read_hooks_file(client, HookFileKind::hooks_file, bytes);
  (void)read_command(bytes);
  (void)read_codex_config(bytes);
  EditPlan plan;
  plan.client = client;
  plan.file = client == Client::claude || client == Client::gemini ? EditFile::settings
                                                                   : EditFile::hooks_file;
  plan.script = "/s/robot-council-stop-hook";
  plan.hooks = wanted_hooks(client, plan.script, Wake::yes);
  const auto edited = edit_settings(bytes, plan);
  if (edited.ok()) {
    RC_CHECK(check_edit(bytes, edited->bytes, plan).ok());
    const auto again = edit_settings(edited->bytes, plan);
    RC_CHECK(again.ok() && !again->changed);
  }
  const auto block = edit_codex_block(bytes, codex_block({"/b", "https://a.example", "", {}}));
  if (block.ok()) {
    RC_CHECK(edit_codex_block(block->bytes, "").ok());
  }
  return 0;
}
