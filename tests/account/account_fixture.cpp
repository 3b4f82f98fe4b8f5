#include "tests/account/account_fixture.hpp"

#include <sys/stat.h>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/signals.hpp"

namespace robot_council::test {

AccountTest::AccountTest() {
  base::ignore_sigpipe();
  environment_.set("HOME", home_.path());
  environment_.set("PATH", home_ / "bin");
}

std::string AccountTest::add_program(const std::string& name, const std::string& script) {
  const std::string path = home_ / ("bin/" + name);
  write_text(path, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script);
  EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
  return path;
}

void AccountTest::add_secret_tool() {
  add_program("secret-tool", R"(
folder=$HOME/secrets; mkdir -p "$folder"
{ tr '\0' ' ' </proc/$$/cmdline; tr '\0' '\n' </proc/$$/environ; } >>"$HOME/tool.log"
verb=$1; shift
case $1 in --label=*) shift;; esac
name=$(printf %s "$1|$2" | sha256sum | cut -c1-64)
case $verb in
  store) cat >"$folder/$name";;
  lookup) [ -f "$folder/$name" ] && cat "$folder/$name" || exit 1;;
  clear) [ -f "$folder/$name" ] && rm "$folder/$name" || exit 1;;
esac
)");
}

account::Service AccountTest::service(const std::string& text) const {
  auto checked = account::check_service(text);
  EXPECT_TRUE(checked.ok());
  return checked.ok() ? *checked : account::Service{};
}

void AccountTest::write_credentials(const std::map<std::string, std::string>& entries) {
  base::OrderedJson object = base::OrderedJson::object();
  for (const auto& [key, token] : entries) {
    object[key] = token;
  }
  write_text(config("credentials.json"), base::dump_pretty(object, 2));
  EXPECT_EQ(::chmod(config("credentials.json").c_str(), 0600), 0);
  EXPECT_EQ(::chmod(config("").c_str(), 0700), 0);
}

base::Result<account::Credential> AccountTest::read(const std::string& harness,
                                                    account::Named named) const {
  account::HarnessChoice choice;
  choice.name = harness;
  choice.named = named;
  choice.known = {"cursor", "claude", "codex"};
  return account::read_credential(context_, service(), choice);
}

std::vector<std::string> names_in(const std::string& folder) {
  return base::list_directory(folder).value_or({});
}

unsigned mode_of(const std::string& path) {
  const auto info = base::file_info(path, base::Links::dont);
  return info ? info->mode : 0U;
}

}  // namespace robot_council::test
