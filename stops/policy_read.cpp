// Reads a policy file: grammar by yaml_tree.hpp, meaning here.

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/files.hpp"
#include "base/json_value.hpp"
#include "base/text.hpp"
#include "stops/hash.hpp"
#include "stops/policy.hpp"
#include "stops/yaml_tree.hpp"

namespace robot_council::stops {
namespace {

constexpr std::size_t kMaxListed = 64;  // entries of a list of names

base::Error broken(const YamlNode& node, const std::string& why) {
  return yaml_error(node, why);
}

void warn(Policy& policy, const YamlNode& node, const std::string& why) {
  if (policy.warnings.size() < kMaxPolicyWarnings) {
    policy.warnings.push_back(yaml_error(node, why).what);
  } else if (policy.warnings.size() == kMaxPolicyWarnings) {
    policy.warnings.emplace_back("more of the file has no effect than is listed");
  }
}

void warn_of_others(Policy& policy, const YamlNode& map, std::string_view where,
                    std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : map.members) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      warn(policy, value,
           quoted_text(key) + " is no setting of " + std::string(where) + "; it has no effect");
    }
  }
}

// A number of the form 12, 0.5, .5, 1.; nothing else.
std::optional<double> plain_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos ||
      text == ".") {
    return std::nullopt;
  }
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

base::Status read_bool(const YamlNode& root, std::string_view key, bool& into) {
  const YamlNode* node = root.member(key);
  if (node == nullptr) {
    return {};
  }
  if (node->kind == YamlNode::Kind::scalar && !node->quoted) {
    const std::string word = base::to_lower_ascii(node->text);
    if (word == "true" || word == "false") {
      into = word == "true";
      return {};
    }
  }
  return broken(*node, std::string(key) + " is true or false");
}

base::Status read_count(const YamlNode& root, std::string_view key,
                        std::pair<std::int64_t, std::int64_t> range, std::int64_t& into) {
  const YamlNode* node = root.member(key);
  if (node == nullptr) {
    return {};
  }
  const auto value = node->kind == YamlNode::Kind::scalar && !node->quoted
                         ? base::parse_digits(node->text)
                         : std::nullopt;
  if (!value || *value < range.first || *value > range.second) {
    return broken(*node, std::string(key) + " is a number from " + std::to_string(range.first) +
                             " to " + std::to_string(range.second));
  }
  into = *value;
  return {};
}

base::Status read_names(const YamlNode& root, std::string_view key,
                        std::vector<std::string>& into) {
  const YamlNode* node = root.member(key);
  if (node == nullptr) {
    return {};
  }
  if (node->kind != YamlNode::Kind::sequence || node->items.size() > kMaxListed) {
    return broken(*node, std::string(key) + " is a list of names");
  }
  into.clear();
  for (const YamlNode& item : node->items) {
    if (!item.is_text()) {
      return broken(item, std::string(key) + " is a list of names");
    }
    into.push_back(item.text);
  }
  return {};
}

base::Status read_settings(const YamlNode& root, Policy& policy) {
  std::int64_t timeout = policy.timeout.count();
  auto tail = static_cast<std::int64_t>(policy.tail_chars);
  const std::array<base::Status, 4> read = {
      read_count(root, "timeout_ms", {kMinJudgeTime.count(), kMaxJudgeTime.count()}, timeout),
      read_count(
          root, "tail_chars",
          {static_cast<std::int64_t>(kMinTailChars), static_cast<std::int64_t>(kMaxTailChars)},
          tail),
      read_names(root, "skip_permission_modes", policy.skip_permission_modes),
      read_names(root, "ignore_background", policy.ignore_background)};
  for (const base::Status& status : read) {
    if (!status) {
      return status;
    }
  }
  policy.timeout = std::chrono::milliseconds(timeout);
  policy.tail_chars = static_cast<std::size_t>(tail);
  if (const YamlNode* judge = root.member("judge")) {
    const auto name = judge->is_text() ? judge_from(judge->text) : std::nullopt;
    if (!name) {
      return broken(*judge,
                    "judge is one of: local systemone anthropic openai ollama command mock");
    }
    policy.judge = *name;
  }
  if (const YamlNode* unattended = root.member("unattended")) {
    if (!unattended->is_text() || (unattended->text != "skip" && unattended->text != "judge")) {
      return broken(*unattended, "unattended is skip or judge");
    }
    policy.judge_unattended = unattended->text == "judge";
  }
  return {};
}

base::Status read_criteria(const YamlNode& node, Policy& policy, Question& question) {
  if (node.kind != YamlNode::Kind::map) {
    return broken(node, R"(criteria is a map with the texts "true" and "false")");
  }
  warn_of_others(policy, node, "criteria", {"true", "false"});
  for (const auto& [key, value] : node.members) {
    if (!value.is_text()) {
      return broken(value, "a criterion is a text");
    }
    if (key == "true" || key == "false") {
      question.criteria[key] = value.text;
    }
  }
  return {};
}

base::Status read_questions(const YamlNode& node, Policy& policy) {
  if (node.kind != YamlNode::Kind::map || node.members.empty() ||
      node.members.size() > kMaxQuestions) {
    return broken(node, "questions is a map of 1 to " + std::to_string(kMaxQuestions));
  }
  for (const auto& [name, body] : node.members) {
    if (name == kAnyQuestion || base::is_blank(name)) {
      return broken(body, "a question cannot be named " + quoted_text(name));
    }
    if (body.kind != YamlNode::Kind::map) {
      return broken(body, "a question is a map with instructions and criteria");
    }
    const YamlNode* instructions = body.member("instructions");
    if (instructions == nullptr || !instructions->is_text() || base::is_blank(instructions->text)) {
      return broken(body, quoted_text(name) + " has no instructions");
    }
    warn_of_others(policy, body, "a question", {"instructions", "criteria"});
    Question question{name, instructions->text, {}};
    if (const YamlNode* criteria = body.member("criteria")) {
      if (base::Status read = read_criteria(*criteria, policy, question); !read) {
        return read;
      }
    }
    policy.questions.push_back(std::move(question));
  }
  return {};
}

// ">=0.5", "< 0.4", "0.40..0.60".
std::optional<Range> range_from(std::string_view text) {
  Range range;
  text = base::trim(text);
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const auto low = plain_number(base::trim(text.substr(0, dots)));
    const auto high = plain_number(base::trim(text.substr(dots + 2)));
    if (!low || !high || *low > *high || *high > 1) {
      return std::nullopt;
    }
    range.low = *low;
    range.high = *high;
    return range;
  }
  if (text.empty() || (text.front() != '<' && text.front() != '>')) {
    return std::nullopt;
  }
  const bool above = text.front() == '>';
  text.remove_prefix(1);
  const bool open = text.empty() || text.front() != '=';
  text.remove_prefix(open ? 0 : 1);
  const auto bound = plain_number(base::trim(text));
  if (!bound || *bound > 1) {
    return std::nullopt;
  }
  (above ? range.low : range.high) = *bound;
  (above ? range.low_open : range.high_open) = open;
  return range;
}

base::Result<Verdict> read_verdict(const YamlNode& node) {
  const auto verdict = node.is_text() ? verdict_from(node.text) : std::nullopt;
  if (!verdict) {
    return broken(node, "a rule ends in leave or continue");
  }
  return *verdict;
}

base::Status read_condition(const YamlNode& when, Policy& policy, Rule& rule) {
  if (when.kind != YamlNode::Kind::map || when.members.size() != 1) {
    return broken(when, "when names one question");
  }
  const auto& [name, test] = when.members.front();
  const bool known =
      name == kAnyQuestion ||
      std::any_of(policy.questions.begin(), policy.questions.end(),
                  [&wanted = name](const Question& question) { return question.name == wanted; });
  if (!known) {
    return broken(test, quoted_text(name) + " is no question of this policy");
  }
  const YamlNode* p = test.kind == YamlNode::Kind::map ? test.member("p") : nullptr;
  const auto range = p != nullptr && p->is_text() ? range_from(p->text) : std::nullopt;
  if (!range) {
    return broken(test, "p is one of >=x >x <=x <x a..b, from 0 to 1");
  }
  warn_of_others(policy, test, "a condition", {"p"});
  rule.question = name;
  rule.range = *range;
  rule.range_text = p->text;
  return {};
}

base::Result<Rule> read_rule(const YamlNode& node, Policy& policy) {
  if (node.kind != YamlNode::Kind::map) {
    return broken(node, "a rule is {when: .., then: ..} or default: ..");
  }
  Rule rule;
  const YamlNode* fallback = node.member("default");
  const YamlNode* when = node.member("when");
  const YamlNode* then = node.member("then");
  if ((fallback == nullptr) == (when == nullptr) || (when == nullptr) != (then == nullptr)) {
    return broken(node, "a rule is {when: .., then: ..} or default: ..");
  }
  const base::Result<Verdict> verdict = read_verdict(fallback != nullptr ? *fallback : *then);
  if (!verdict.ok()) {
    return verdict.error();
  }
  rule.then = *verdict;
  warn_of_others(policy, node, "a rule", {"when", "then", "default"});
  if (when != nullptr) {
    if (base::Status read = read_condition(*when, policy, rule); !read) {
      return read.error();
    }
  }
  return rule;
}

base::Status read_rules(const YamlNode& node, Policy& policy) {
  if (node.kind != YamlNode::Kind::sequence || node.items.empty() ||
      node.items.size() > kMaxRules) {
    return broken(node, "rules is a list of 1 to " + std::to_string(kMaxRules));
  }
  bool has_default = false;
  for (const YamlNode& item : node.items) {
    base::Result<Rule> rule = read_rule(item, policy);
    if (!rule.ok()) {
      return rule.error();
    }
    if (!rule->question && has_default) {
      return broken(item, "a second default");
    }
    if (has_default) {
      warn(policy, item, "a rule after the default is never reached");
    }
    has_default = has_default || !rule->question;
    policy.rules.push_back(*std::move(rule));
  }
  if (!has_default) {
    warn(policy, node, "no default: where no rule matches the verdict is leave");
  }
  return {};
}

std::string questions_json(const Policy& policy) {
  base::Json all = base::Json::object();
  for (const Question& question : policy.questions) {
    base::Json one = {{"instructions", question.instructions}};
    if (!question.criteria.empty()) {
      one["criteria"] = question.criteria;
    }
    all[question.name] = one;
  }
  return base::dump_safe(all);
}

std::string rules_json(const Policy& policy) {
  base::Json all = base::Json::array();
  for (const Rule& rule : policy.rules) {
    const std::string then(verdict_text(rule.then));
    if (rule.question) {
      base::Json when = base::Json::object();
      when[*rule.question] = {{"p", rule.range_text}};
      all.push_back({{"when", when}, {"then", then}});
    } else {
      all.push_back({{"default", then}});
    }
  }
  return base::dump_safe(all);
}

base::Status read_stop_policy(const YamlNode& root, Policy& policy) {
  const YamlNode* policies = root.member("policies");
  if (policies != nullptr && policies->kind == YamlNode::Kind::map) {
    warn_of_others(policy, *policies, "policies", {"stop"});
  }
  const YamlNode* stop = policies != nullptr ? policies->member("stop") : nullptr;
  if (stop == nullptr || stop->kind != YamlNode::Kind::map) {
    // Switched off, a file needs nothing more.
    return policy.enabled ? broken(root, "policies.stop is missing") : base::Status();
  }
  warn_of_others(policy, *stop, "policies.stop", {"questions", "rules"});
  const YamlNode* questions = stop->member("questions");
  const YamlNode* rules = stop->member("rules");
  if (questions == nullptr || rules == nullptr) {
    return policy.enabled ? broken(*stop, "policies.stop needs questions and rules")
                          : base::Status();
  }
  if (base::Status read = read_questions(*questions, policy); !read) {
    return read;
  }
  return read_rules(*rules, policy);
}

}  // namespace

base::Result<Policy> parse_policy(std::string_view bytes) {
  const base::Result<YamlNode> root = read_yaml(bytes, kMaxPolicyBytes);
  if (!root.ok()) {
    return root.error();
  }
  if (root->kind != YamlNode::Kind::map) {
    return broken(*root, "it is no map of settings");
  }
  Policy policy;
  const YamlNode* version = root->member("version");
  if (version == nullptr || version->kind != YamlNode::Kind::scalar || version->quoted ||
      version->text != "1") {
    return broken(version != nullptr ? *version : *root, "version: 1 is missing");
  }
  warn_of_others(policy, *root, "a stop policy",
                 {"version", "enabled", "judge", "timeout_ms", "skip_permission_modes",
                  "unattended", "ignore_background", "tail_chars", "policies"});
  if (base::Status read = read_bool(*root, "enabled", policy.enabled); !read) {
    return read.error();
  }
  for (const auto read : {read_settings, read_stop_policy}) {
    if (const base::Status status = read(*root, policy); !status) {
      return status.error();
    }
  }
  policy.fingerprints = {fnv1a_hex(bytes), fnv1a_hex(questions_json(policy)),
                         fnv1a_hex(rules_json(policy))};
  return policy;
}

base::Result<Policy> read_policy_file(const std::string& path) {
  const base::Result<std::string> bytes = base::read_file(path, kMaxPolicyBytes);
  if (!bytes.ok()) {
    return bytes.error();
  }
  return parse_policy(*bytes);
}

}  // namespace robot_council::stops
