#pragma once

#include <memory>
#include <string>

#include "account/store.hpp"
#include "base/context.hpp"

namespace robot_council::account {

// The macOS Keychain through `security` (path of the program). The token goes in on stdin, in hex,
// and comes back on stderr.
[[nodiscard]] std::unique_ptr<CredentialStore> make_keychain_store(const base::Context& context,
                                                                   std::string program);

// The Secret Service (GNOME Keyring, KWallet, KeePassXC) through `secret-tool`. Without
// DBUS_SESSION_BUS_ADDRESS the tool is told of <run_folder>/bus if that socket is ours: some
// harnesses start bridges with an empty environment. run_folder: "/run/user/<uid>".
[[nodiscard]] std::unique_ptr<CredentialStore> make_secret_service_store(
    const base::Context& context, std::string program, std::string run_folder);

// Token in the stderr of `security find-generic-password -g`: the line `password: ` with `0x` and
// hex digits up to a blank, or with text in quotes, whose inner quotes are not escaped. Nothing if
// there is no such line.
[[nodiscard]] std::optional<std::string> keychain_password(std::string_view tool_stderr);

}  // namespace robot_council::account
