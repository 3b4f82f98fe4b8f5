#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "stops/redact.hpp"

namespace robot_council::stops {
namespace {

constexpr std::string_view kAny = "q7Zx3Wk9PvB5mT2rLs8Yd4Hn6GcJf1";
constexpr std::string_view kHex = "0f3a9c7e1b5d2846";
constexpr std::string_view kUpper = "Q7ZX3WK9PVB5MT2RLS8YD4HN6GCJF1";

// The vendors' prefixes with the length of what follows: `enough` characters make it a token,
// `few` do not.
struct Family {
  std::string_view kind;
  std::vector<std::string_view> prefixes;
  std::string_view letters;
  std::size_t enough;
  std::size_t few;
};

std::vector<Family> families() {
  return {
      {"anthropic-key", {"sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-"}, kAny, 16, 4},
      {"openrouter", {"sk-or-v1-"}, kHex, 64, 9},
      {"openai-key", {"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-"}, kAny, 20, 11},
      {"github", {"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, kAny, 36, 26},
      {"github", {"github_pat_"}, kAny, 82, 60},
      {"gitlab",
       {"glpat-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "glffct-", "GR1348941"},
       kAny,
       20,
       14},
      {"gitlab", {"glptt-"}, kHex, 40, 29},
      {"gitlab", {"glagent-"}, kAny, 50, 37},
      {"gitlab", {"gloas-"}, kAny, 64, 47},
      {"gitlab", {"glimt-"}, kAny, 25, 18},
      {"aws", {"AKIA", "ASIA", "ABIA", "ACCA", "A3TQ"}, kUpper, 16, 11},
      {"aws", {"ABSK", "bedrock-api-key-"}, kAny, 109, 80},
      {"google", {"AIza"}, kAny, 35, 26},
      {"google", {"ya29.", "GOCSPX-"}, kAny, 20, 19},
      {"slack",
       {"xoxb-", "xoxp-", "xoxe-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xapp-", "xoxe.xoxb-",
        "xoxe.xoxp-"},
       kAny,
       10,
       9},
      {"stripe",
       {"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"},
       kAny,
       10,
       9},
      {"square", {"EAAA", "sq0atp-"}, kAny, 22, 16},
      {"square", {"sq0csp-"}, kAny, 43, 32},
      {"shopify", {"shpat_", "shpca_", "shppa_", "shpss_"}, kHex, 32, 23},
      {"twilio", {"SK", "AC"}, kHex, 32, 31},
      {"mail", {"key-"}, kHex, 32, 31},
      {"registry", {"npm_"}, kAny, 36, 26},
      {"registry", {"pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"}, kAny, 50, 30},
      {"registry", {"rubygems_"}, kHex, 48, 35},
      {"registry", {"oy2"}, kAny, 43, 42},
      {"registry", {"CLOJARS_"}, kAny, 60, 44},
      {"registry", {"dckr_pat_"}, kAny, 27, 20},
      {"model-api", {"hf_", "api_org_"}, kAny, 34, 25},
      {"model-api", {"r8_"}, kAny, 37, 27},
      {"model-api", {"gsk_"}, kAny, 52, 38},
      {"model-api", {"xai-"}, kAny, 80, 59},
      {"model-api", {"pplx-"}, kAny, 48, 35},
      {"model-api", {"nvapi-"}, kAny, 64, 47},
      {"model-api", {"sk_"}, kHex, 48, 35},
      {"hosting", {"dop_v1_", "doo_v1_", "dor_v1_"}, kHex, 64, 47},
      {"hosting", {"HRKU-AA"}, kAny, 58, 43},
      {"hosting", {"fo1_"}, kAny, 43, 32},
      {"hosting", {"fm1a_", "fm1r_", "fm2_"}, kAny, 100, 99},
      {"hosting", {"cfut_", "cfat_"}, kAny, 48, 35},
      {"hosting", {"nfp_"}, kAny, 36, 26},
      {"hosting", {"sbp_"}, kAny, 40, 29},
      {"platform", {"dapi"}, kHex, 32, 23},
      {"platform", {"dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim."}, kAny, 40, 29},
      {"vault", {"hvs."}, kAny, 90, 66},
      {"vault", {"hvb."}, kAny, 138, 137},
      {"vault", {"s."}, kAny, 24, 23},
      {"work", {"pul-"}, kHex, 40, 29},
      {"work", {"lin_api_", "figd_"}, kAny, 40, 29},
      {"work", {"ntn_"}, kAny, 46, 33},
      {"work", {"secret_"}, kAny, 43, 31},
      {"work", {"glc_"}, kAny, 32, 31},
      {"work", {"NRAK-"}, kAny, 27, 20},
      {"work", {"sntryu_"}, kHex, 64, 47},
      {"net", {"phx_"}, kAny, 43, 31},
      {"net", {"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, kAny, 32, 23},
      {"misc", {"AGE-SECRET-KEY-1"}, kUpper, 58, 43},
      {"misc", {"sha256~"}, kAny, 43, 31},
      {"misc", {"AKCp"}, kAny, 69, 51},
      {"misc", {"cmVmd"}, kAny, 59, 44},
  };
}

std::string run_of(std::string_view letters, std::size_t size) {
  std::string text;
  for (std::size_t at = 7; text.size() < size; at = (at * 31 + 11) % 1009) {
    text += letters[at % letters.size()];
  }
  return text;
}

// 55: each prefix, long enough and too short.
TEST(Redact, EachPrefixAlone) {
  for (const Family& family : families()) {
    for (const std::string_view prefix : family.prefixes) {
      const std::string before = "value ";
      const std::string token = std::string(prefix) + run_of(family.letters, family.enough);
      EXPECT_EQ(redact(before + token + " end").text,
                before + "[REDACTED:" + std::string(family.kind) + "] end")
          << token;
      const std::string miss =
          before + std::string(prefix) + run_of(family.letters, family.few) + " end";
      EXPECT_EQ(redact(miss).text, miss);
    }
  }
}

}  // namespace
}  // namespace robot_council::stops
