#include "stops/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/paths.hpp"
#include "base/text.hpp"
#include "stops/endpoint.hpp"
#include "stops/limits.hpp"
#include "stops/yaml_tree.hpp"

namespace robot_council::stops {
namespace {

constexpr unsigned kOthers = 077;

JudgeError invalid(std::string message) {
  return {JudgeErrorKind::invalid_request, std::move(message)};
}

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return all;
}

bool is_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

// The judge's map in judges.yaml; a null node where there is no file or no such judge.
base::Result<YamlNode> file_settings(JudgeName name, const base::Environment& environment) {
  const std::string path = base::config_directory(environment) + "/judges.yaml";
  const auto info = base::file_info(path, base::Links::follow);
  if (!info.ok()) {
    return info.error().code == base::Errc::not_found ? base::Result<YamlNode>(YamlNode{})
                                                      : info.error();
  }
  if (info->kind != base::FileKind::regular || info->owner != ::geteuid() ||
      (info->mode & kOthers) != 0) {
    return base::Error{base::Errc::refused,
                       "judges.yaml must be a file of yours that nobody else can read (chmod 600)"};
  }
  const base::Result<std::string> bytes = base::read_file(path, kMaxPolicyBytes);
  if (!bytes.ok()) {
    return bytes.error();
  }
  const base::Result<YamlNode> root = read_yaml(*bytes, kMaxPolicyBytes);
  if (!root.ok()) {
    return base::Error{base::Errc::invalid, "judges.yaml: " + root.error().what};
  }
  const YamlNode* judge = root->member(judge_text(name));
  if (judge == nullptr) {
    return YamlNode{};
  }
  if (judge->kind != YamlNode::Kind::map) {
    return base::Error{base::Errc::invalid,
                       "judges.yaml: " + yaml_error(*judge, "a judge is a map").what};
  }
  return *judge;
}

class Reader {
 public:
  Reader(JudgeName name, const base::Environment& environment, const YamlNode& file)
      : name_(name), environment_(environment), file_(file) {}

  // The variable, else the file's member, else "".
  [[nodiscard]] std::string text(std::string_view field) const {
    const std::string variable =
        "ROBOT_COUNCIL_STOP_" + upper(judge_text(name_)) + "_" + upper(field);
    if (const auto value = environment_.nonblank(variable)) {
      return std::string(base::trim(*value));
    }
    const YamlNode* member = file_.member(field);
    return member != nullptr && member->is_text() ? std::string(base::trim(member->text)) : "";
  }

  [[nodiscard]] base::Result<std::string> key() const {
    if (std::string key = text("key"); !key.empty()) {
      return key;
    }
    const std::string path = text("key_file");
    if (path.empty()) {
      return std::string();
    }
    const base::Result<std::string> bytes = base::read_file(path, kMaxKeyFileBytes);
    if (!bytes.ok()) {
      return base::Error{bytes.error().code, "its key file cannot be read"};
    }
    return std::string(base::trim(*bytes));
  }

  [[nodiscard]] base::Result<std::map<std::string, std::string>> headers() const {
    std::map<std::string, std::string> headers;
    const YamlNode* member = file_.member("headers");
    if (member == nullptr) {
      return headers;
    }
    for (const auto& [name, value] : member->members) {
      if (!value.is_text() || !is_line(name) || !is_line(value.text)) {
        return base::Error{base::Errc::invalid, "a header in judges.yaml is no text of one line"};
      }
      headers[name] = value.text;
    }
    if (member->kind != YamlNode::Kind::map || headers.size() > kMaxHeaders) {
      return base::Error{base::Errc::invalid, "headers in judges.yaml is no map, or too long"};
    }
    return headers;
  }

  // A command: the variable's JSON array, else the file's list.
  [[nodiscard]] base::Result<std::vector<std::string>> command() const {
    const base::Error wrong{base::Errc::invalid, "its command is no list of words"};
    std::vector<std::string> words;
    if (const auto value = environment_.nonblank("ROBOT_COUNCIL_STOP_COMMAND")) {
      const base::Result<base::Json> json = base::parse_bounded(*value, kMaxPolicyBytes);
      if (!json.ok() || !json->is_array()) {
        return wrong;
      }
      for (const base::Json& word : *json) {
        if (!word.is_string()) {
          return wrong;
        }
        words.push_back(word.get<std::string>());
      }
    } else if (const YamlNode* member = file_.member("command")) {
      if (member->kind != YamlNode::Kind::sequence) {
        return wrong;
      }
      for (const YamlNode& word : member->items) {
        if (!word.is_text()) {
          return wrong;
        }
        words.push_back(word.text);
      }
    }
    const bool nul = std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word.find('\0') != std::string::npos;
    });
    if (words.empty() || words.front().empty() || words.size() > kMaxCommandWords || nul) {
      return wrong;
    }
    return words;
  }

 private:
  JudgeName name_;
  const base::Environment& environment_;
  const YamlNode& file_;
};

std::string default_url(JudgeName name) {
  if (name == JudgeName::anthropic) {
    return "https://api.anthropic.com";
  }
  return name == JudgeName::ollama ? "http://127.0.0.1:11434" : "";
}

// A URL that is there and no good is said first; then the key, then what else is missing.
std::variant<UsableJudge, JudgeError> net_judge(UsableJudge judge, const Reader& reader) {
  JudgeSettings& settings = judge.settings;
  const std::string name(judge_text(settings.name));
  settings.url = reader.text("url");
  if (settings.url.empty()) {
    settings.url = default_url(settings.name);
  }
  Endpoint endpoint;
  if (!settings.url.empty()) {
    const base::Result<Endpoint> read = read_endpoint(settings.url);
    if (!read.ok()) {
      return invalid("judge " + name + ": " + read.error().what);
    }
    endpoint = *read;
    if (!endpoint.tls && !endpoint.loopback) {
      return invalid("judge " + name + ": its URL is not https://, and not of this machine");
    }
    if (settings.name == JudgeName::ollama && (endpoint.tls || !endpoint.loopback)) {
      return invalid("judge ollama: only http:// of this machine is asked");
    }
  }
  judge.endpoint = endpoint.host;
  const base::Result<std::string> key = reader.key();
  if (!key.ok()) {
    return JudgeError{JudgeErrorKind::auth, "judge " + name + ": " + key.error().what};
  }
  settings.key = *key;
  if (settings.key.empty() && !endpoint.loopback) {
    return JudgeError{JudgeErrorKind::auth, "judge " + name + ": no key; set ROBOT_COUNCIL_STOP_" +
                                                upper(name) + "_KEY or a key in judges.yaml"};
  }
  settings.model = reader.text("model");
  settings.mode = reader.text("mode");
  const auto headers = reader.headers();
  if (!headers.ok()) {
    return invalid("judge " + name + ": " + headers.error().what);
  }
  settings.headers = *headers;
  if (settings.url.empty() || settings.model.empty()) {
    return invalid("judge " + name + ": no " + (settings.url.empty() ? "URL" : "model"));
  }
  if (!is_line(settings.key) || !is_line(settings.model)) {
    return invalid("judge " + name + ": its key or model is no text of one line");
  }
  if (!settings.mode.empty() && settings.mode != "reasoning") {
    return invalid("judge " + name + ": its mode is not \"reasoning\"");
  }
  return judge;
}

}  // namespace

std::variant<UsableJudge, JudgeError> usable_judge(JudgeName name,
                                                   const base::Environment& environment) {
  UsableJudge judge;
  judge.settings.name = name;
  if (!sends(name)) {
    return judge;
  }
  const base::Result<YamlNode> file = file_settings(name, environment);
  if (!file.ok()) {
    return invalid("judge " + std::string(judge_text(name)) + ": " + file.error().what);
  }
  const Reader reader(name, environment, *file);
  if (is_net_judge(name)) {
    return net_judge(std::move(judge), reader);
  }
  const auto command = reader.command();
  if (!command.ok()) {
    return invalid("judge command: " + command.error().what);
  }
  judge.settings.command = *command;
  return judge;
}

}  // namespace robot_council::stops
