#include "stops/policy.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "stops/hash.hpp"
#include "stops/limits.hpp"
#include "tests/lib/support.hpp"

namespace robot_council::stops {
namespace {

const std::string kRules =
    "policies:\n stop:\n  questions:\n   a: {instructions: x}\n   b: {instructions: y}\n  rules:\n"
    "   - {when: {a: {p: '>=0.7'}}, then: continue}\n   - default: leave\n";

std::string policy(const std::string& more = {}, const std::string& rules = kRules) {
  return "version: 1\n" + more + rules;
}

std::string problem(const std::string& text) {
  const base::Result<Policy> read = parse_policy(text);
  return read.ok() ? "none" : read.error().what;
}

Policy example() {
  return read_policy_file(test::source_file("resources/policy/stop.yaml")).value_or(Policy{});
}

std::string with_p(const std::string& p) {
  return policy({}, base::replace_all(kRules, ">=0.7", p));
}

TEST(StopPolicy, TheShippedExampleIsReadAsItStands) {
  const base::Result<Policy> read =
      read_policy_file(test::source_file("resources/policy/stop.yaml"));
  ASSERT_TRUE(read.ok()) << read.error().what;
  EXPECT_TRUE(read->warnings.empty());
  EXPECT_EQ(read->questions.size(), 3U);
  EXPECT_EQ(read->questions[0].name, "asks_approval");
  EXPECT_EQ(read->rules.size(), 5U);
  EXPECT_EQ(read->timeout.count(), 2000);
  EXPECT_EQ(read->judge, JudgeName::local);
}

TEST(StopPolicy, OnlyVersionAndStopAreNeeded) {
  EXPECT_EQ(problem(policy()), "none");
  EXPECT_EQ(problem("version: 1\nenabled: false\n"), "none");
  EXPECT_FALSE(parse_policy("version: 1\nenabled: false\n")->enabled);
  EXPECT_NE(problem("version: 1\n"), "none");
  EXPECT_NE(problem(kRules), "none");
  EXPECT_NE(problem("version: 2\n" + kRules), "none");
}

// 37, 38
TEST(StopPolicy, BrokenFiles) {
  for (const std::string& text :
       {std::string(), std::string("   \n"), std::string("x"), std::string("- 1"),
        std::string("a: [1"), std::string("\0\0", 2), std::string("\xff\xfe"),
        std::string(70000, ' '), std::string(3000, '['), policy("timeout_ms: 49\n"),
        policy("timeout_ms: 30001\n"), policy("timeout_ms: x\n"), policy("tail_chars: 199\n"),
        policy("judge: gpt\n"), policy("enabled: 1\n"), policy("enabled: 'true'\n"),
        policy("unattended: no\n"), policy("ignore_background: cron\n"),
        policy("skip_permission_modes: [[plan]]\n")}) {
    EXPECT_NE(problem(text), "none") << text.substr(0, 60);
  }
}

// 39
TEST(StopPolicy, AnchorAliasTagDuplicateAndSecondDocument) {
  EXPECT_NE(problem(policy("judge: &x local\n")).find("anchor"), std::string::npos);
  EXPECT_NE(problem(policy("unattended: &a skip\njudge: *a\n")).find("anchor"), std::string::npos);
  EXPECT_NE(problem(policy("judge: !!str local\n")).find("tag"), std::string::npos);
  EXPECT_NE(problem(policy("judge: local\njudge: local\n")).find("twice"), std::string::npos);
  EXPECT_NE(problem(policy() + "---\nversion: 1\n").find("second document"), std::string::npos);
  EXPECT_NE(problem("<<: 1\nversion: 1\n" + kRules), "");
  std::string deep = "version: 1\nx: ";
  for (int i = 0; i < 17; ++i) {
    deep += "[";
  }
  EXPECT_NE(problem(deep + std::string(17, ']') + "\n").find("deep"), std::string::npos);
}

// 42
TEST(StopPolicy, EndpointsKeysAndCommandsHaveNoEffect) {
  const base::Result<Policy> read = parse_policy(
      policy("url: https://evil.example\nkey: k\nheaders: {a: b}\nmodel: m\ncommand: [rm]\n"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->warnings.size(), 5U);
  EXPECT_NE(read->warnings[0].find("\"url\""), std::string::npos);
}

TEST(StopPolicy, MoreWarningsThanAreKeptAreSaid) {
  std::string keys;
  for (std::size_t i = 0; i < kMaxPolicyWarnings; ++i) {
    keys += "x" + std::to_string(i) + ": 1\n";
  }
  EXPECT_EQ(parse_policy(policy(keys))->warnings.size(), kMaxPolicyWarnings);
  const base::Result<Policy> more = parse_policy(policy(keys + "y: 1\nz: 1\n"));
  ASSERT_TRUE(more.ok());
  ASSERT_EQ(more->warnings.size(), kMaxPolicyWarnings + 1);
  EXPECT_NE(more->warnings.back().find("than is listed"), std::string::npos);
}

// 45
TEST(StopPolicy, BrokenRules) {
  EXPECT_NE(problem(policy() + "   - default: leave\n").find("second default"), std::string::npos);
  for (const char* p : {"0.6..0.4", "1.1", ">1.5", "0.5", ">=", "a..b", "0..2", ">=-1", ""}) {
    EXPECT_NE(problem(with_p(p)), "none") << p;
  }
  for (const char* p : {">=0.5", "> 0", "<= 1", "<0.5", "0.40..0.60", "0..1"}) {
    EXPECT_EQ(problem(with_p(p)), "none") << p;
  }
  EXPECT_NE(problem(base::replace_all(policy(), "   a:", "   any:")), "none");
  EXPECT_NE(problem(base::replace_all(policy(), "{a: {p", "{c: {p")).find("no question"),
            std::string::npos);
  EXPECT_NE(problem(base::replace_all(policy(), "{a: {p: '>=0.7'}}",
                                      "{a: {p: '>=0.7'}, b: {p: '>=0.7'}}")),
            "none");
  EXPECT_NE(problem(base::replace_all(policy(), "then: continue", "then: stop")), "none");
}

// 46
TEST(StopPolicy, RulesThatNobodyReachesAreWarnings) {
  const base::Result<Policy> after =
      parse_policy(policy() + "   - {when: {b: {p: '<0.1'}}, then: leave}\n");
  ASSERT_TRUE(after.ok());
  ASSERT_EQ(after->warnings.size(), 1U);
  EXPECT_NE(after->warnings[0].find("never reached"), std::string::npos);
  const base::Result<Policy> none =
      parse_policy(base::replace_all(policy(), "   - default: leave\n", ""));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->warnings.size(), 1U);
  EXPECT_EQ(rescore({{"a", 0.1}}, *none).reason.kind, Reason::Kind::none);
}

// 47
TEST(StopRules, OnlyHighLowLowContinues) {
  const Policy set = example();
  int continued = 0;
  for (const double asks : {0.1, 0.5, 0.9}) {
    for (const double needs : {0.1, 0.5, 0.9}) {
      for (const double hard : {0.1, 0.5, 0.9}) {
        const Decision decision =
            rescore({{"asks_approval", asks}, {"needs_input", needs}, {"hard_to_undo", hard}}, set);
        const bool expected = asks == 0.9 && needs == 0.1 && hard == 0.1;
        EXPECT_EQ(decision.verdict == Verdict::carry_on, expected)
            << asks << " " << needs << " " << hard;
        continued += decision.verdict == Verdict::carry_on ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(continued, 1);
}

// 48
TEST(StopRules, TheFirstRuleIsTheReason) {
  const Decision decision =
      rescore({{"asks_approval", 0.99}, {"needs_input", 0}, {"hard_to_undo", 0.9}}, example());
  EXPECT_EQ(decision.verdict, Verdict::leave);
  EXPECT_EQ(decision.reason.rule, 1U);
  EXPECT_EQ(decision.reason.question, "hard_to_undo");
  EXPECT_EQ(decision.reason.p, 0.9);
  const Decision last =
      rescore({{"asks_approval", 0.2}, {"needs_input", 0}, {"hard_to_undo", 0}}, example());
  EXPECT_EQ(last.reason.kind, Reason::Kind::default_rule);
  EXPECT_EQ(last.reason.rule, 5U);
}

// 49
TEST(StopRules, BoundsAreInclusive) {
  const Policy set = example();
  const auto rule = [&set](double asks, double needs) {
    return rescore({{"asks_approval", asks}, {"needs_input", needs}, {"hard_to_undo", 0}}, set)
        .reason.rule;
  };
  EXPECT_EQ(rule(0, 0.50), 2U);
  EXPECT_EQ(rule(0.40, 0), 3U);
  EXPECT_EQ(rule(0.60, 0), 3U);
  EXPECT_EQ(rule(0.61, 0), 5U);
  EXPECT_EQ(rule(0.70, 0), 4U);
  const base::Result<Policy> open = parse_policy(with_p(">0.7"));
  EXPECT_EQ(rescore({{"a", 0.7}, {"b", 0}}, *open).verdict, Verdict::leave);
  EXPECT_EQ(rescore({{"a", 0.71}, {"b", 0}}, *open).verdict, Verdict::carry_on);
}

// 50
TEST(StopRules, AnAnswerMissingNeverContinues) {
  const Decision decision = rescore({{"asks_approval", 1}, {"needs_input", 0}}, example());
  EXPECT_EQ(decision.verdict, Verdict::leave);
  EXPECT_EQ(decision.reason.kind, Reason::Kind::unanswered);
  EXPECT_EQ(decision.reason.missing, std::vector<std::string>{"hard_to_undo"});
  EXPECT_EQ(rescore({}, example()).verdict, Verdict::leave);
}

// 51
TEST(StopPolicy, FingerprintsFollowWhatTheyName) {
  const Policy one = *parse_policy(policy());
  const Policy two = *parse_policy(with_p(">=0.8"));
  const Policy three =
      *parse_policy(base::replace_all(policy(), "instructions: x", "instructions: z"));
  const Policy noted = *parse_policy("# a note\n" + policy());
  EXPECT_EQ(one.fingerprints.questions, two.fingerprints.questions);
  EXPECT_NE(one.fingerprints.rules, two.fingerprints.rules);
  EXPECT_NE(one.fingerprints.questions, three.fingerprints.questions);
  EXPECT_EQ(one.fingerprints.rules, three.fingerprints.rules);
  EXPECT_NE(one.fingerprints.file, noted.fingerprints.file);
  EXPECT_EQ(one.fingerprints.rules, noted.fingerprints.rules);
  EXPECT_EQ(fnv1a_hex(""), "cbf29ce484222325");
  EXPECT_EQ(fnv1a_hex("a"), "af63dc4c8601ec8c");
}

}  // namespace
}  // namespace robot_council::stops
