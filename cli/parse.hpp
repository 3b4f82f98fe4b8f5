#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/command.hpp"

namespace robot_council::cli {

// What a command line said. An option with an empty value counts as not given.
class Args {
 public:
  [[nodiscard]] bool has(std::string_view option) const;
  // The last value given.
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  // What stood behind "--"; empty without one.
  [[nodiscard]] const std::vector<std::string>& after_dashes() const { return after_dashes_; }

 private:
  friend base::Result<Args> parse(const Command& command, const std::vector<std::string>& words);
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> positionals_;
  std::vector<std::string> after_dashes_;
};

// Reads the words behind the command's name. invalid: `what` is the whole message for the person.
[[nodiscard]] base::Result<Args> parse(const Command& command,
                                       const std::vector<std::string>& words);

}  // namespace robot_council::cli
