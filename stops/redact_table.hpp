#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/short_text.hpp"
#include "stops/redact_text.hpp"

// The tokens that are known by how they look, and their prefixes as a tree; for redact_shapes.cpp.
namespace robot_council::stops::redaction {

enum class Keep : std::uint8_t { nothing, prefix };
enum class Where : std::uint8_t { word_start, anywhere };

// Words that make a token beside them a secret, one bit each.
using Words = std::uint8_t;
inline constexpr Words kDeepseek = 1U << 0U;
inline constexpr Words kAws = 1U << 1U;
inline constexpr Words kKey = 1U << 2U;
inline constexpr Words kSecret = 1U << 3U;
inline constexpr Words kVercel = 1U << 4U;
inline constexpr std::array<std::string_view, 5> kWords = {"deepseek", "aws", "key", "secret",
                                                           "vercel"};
// One word of each of the two sets must be near; an empty set asks for nothing.
struct Near {
  Words first = 0;
  Words second = 0;
};

// One shape. `rest`, after the prefix, is a list of at most kMaxParts parts split by blanks:
//   36a       a run of class a, at least three quarters of 36, taken whole
//   20+w      at least 20        27-300w  at least 27
//   =32h      exactly 32
//   '.eyJ'    these bytes; where the run before them has taken them too, the last such place in it
//   URL       to the end of a URL      VALUE  to a blank or quotation mark, if it is no reference
struct Shape {
  base::ShortText<15> kind;
  base::ShortText<31> prefix;
  base::ShortText<31> rest;
  Near near = {};  // within kNear bytes before
  Keep keep = Keep::nothing;
  Where where = Where::word_start;
};

inline constexpr std::size_t kNear = 64;  // bytes between a word and the token

inline constexpr std::array kShapes = {
    Shape{"anthropic-key", "sk-ant-api03-", "16+w"},
    Shape{"anthropic-key", "sk-ant-admin01-", "16+w"},
    Shape{"anthropic-key", "sk-ant-oat01-", "16+w"},
    Shape{"openrouter", "sk-or-v1-", "64h"},
    Shape{"deepseek", "sk-", "=32l", {kDeepseek}},
    Shape{"openai-key", "sk-proj-", "20+w"},
    Shape{"openai-key", "sk-svcacct-", "20+w"},
    Shape{"openai-key", "sk-admin-", "20+w"},
    Shape{"openai-key", "sk-", "20+w"},
    Shape{"github", "ghp_", "36a"},
    Shape{"github", "gho_", "36a"},
    Shape{"github", "ghu_", "36a"},
    Shape{"github", "ghs_", "36a"},
    Shape{"github", "ghr_", "36a"},
    Shape{"github", "github_pat_", "82w"},
    Shape{"gitlab", "glpat-", "27-300w '.' 9w"},
    Shape{"gitlab", "glpat-", "20w"},
    Shape{"gitlab", "gldt-", "20w"},
    Shape{"gitlab", "glrt-", "20w"},
    Shape{"gitlab", "glcbt-", "20w"},
    Shape{"gitlab", "glsoat-", "20w"},
    Shape{"gitlab", "glft-", "20w"},
    Shape{"gitlab", "glffct-", "20w"},
    Shape{"gitlab", "GR1348941", "20w"},
    Shape{"gitlab", "glptt-", "40h"},
    Shape{"gitlab", "glagent-", "50w"},
    Shape{"gitlab", "gloas-", "64w"},
    Shape{"gitlab", "glimt-", "25w"},
    Shape{"aws", "AKIA", "16u"},
    Shape{"aws", "ASIA", "16u"},
    Shape{"aws", "ABIA", "16u"},
    Shape{"aws", "ACCA", "16u"},
    Shape{"aws", "A3T", "17u"},
    Shape{"aws", "ABSK", "109-269b"},
    Shape{"aws", "bedrock-api-key-", "109-269b"},
    Shape{"aws", "", "=40s", {kAws, kKey | kSecret}},
    Shape{"google", "AIza", "35w"},
    Shape{"google", "ya29.", "20+w"},
    Shape{"google", "GOCSPX-", "20+w"},
    Shape{"azure", "AccountKey=", "88b", {}, Keep::prefix},
    Shape{"slack", "xoxb-", "10+n"},
    Shape{"slack", "xoxp-", "10+n"},
    Shape{"slack", "xoxe-", "10+n"},
    Shape{"slack", "xoxa-", "10+n"},
    Shape{"slack", "xoxr-", "10+n"},
    Shape{"slack", "xoxs-", "10+n"},
    Shape{"slack", "xoxo-", "10+n"},
    Shape{"slack", "xapp-", "10+n"},
    Shape{"slack", "xoxe.xoxb-", "10+n"},
    Shape{"slack", "xoxe.xoxp-", "10+n"},
    Shape{"slack", "hooks.slack.com/services/", "43-56p", {}, Keep::prefix},
    Shape{"slack", "hooks.slack.com/workflows/", "43-56p", {}, Keep::prefix},
    Shape{"slack", "hooks.slack.com/triggers/", "43-56p", {}, Keep::prefix},
    Shape{"discord", "M", "23-25w '.' 6w '.' 27w"},
    Shape{"discord", "N", "23-25w '.' 6w '.' 27w"},
    Shape{"discord", "O", "23-25w '.' 6w '.' 27w"},
    Shape{"discord", "discord.com/api/webhooks/", "1+d '/' 68w", {}, Keep::prefix},
    Shape{"discord", "discordapp.com/api/webhooks/", "1+d '/' 68w", {}, Keep::prefix},
    Shape{"teams-hook", ".webhook.office.com/webhookb2/", "URL", {}, Keep::prefix, Where::anywhere},
    Shape{"stripe", "sk_live_", "10-99a"},
    Shape{"stripe", "sk_test_", "10-99a"},
    Shape{"stripe", "sk_prod_", "10-99a"},
    Shape{"stripe", "rk_live_", "10-99a"},
    Shape{"stripe", "rk_test_", "10-99a"},
    Shape{"stripe", "rk_prod_", "10-99a"},
    Shape{"stripe", "whsec_", "10-99b"},
    Shape{"square", "EAAA", "22-60w"},
    Shape{"square", "sq0atp-", "22-60w"},
    Shape{"square", "sq0csp-", "43w"},
    Shape{"shopify", "shpat_", "32h"},
    Shape{"shopify", "shpca_", "32h"},
    Shape{"shopify", "shppa_", "32h"},
    Shape{"shopify", "shpss_", "32h"},
    Shape{"twilio", "SK", "=32h"},
    Shape{"twilio", "AC", "=32h"},
    Shape{"sendgrid", "SG.", "22w '.' 43w"},
    Shape{"mail", "key-", "=32h"},
    Shape{"mail", "", "=32h '-us' 1+d"},
    Shape{"mail", "xkeysib-", "64h '-' 16a"},
    Shape{"telegram", "", "5+d ':A' 34w"},
    Shape{"registry", "npm_", "36a"},
    Shape{"registry", "_authToken=", "VALUE", {}, Keep::prefix, Where::anywhere},
    Shape{"registry", "pypi-AgEIcHlwaS5vcmc", "50+w"},
    Shape{"registry", "pypi-AgENdGVzdC5weXBpLm9yZw", "50+w"},
    Shape{"registry", "rubygems_", "48h"},
    Shape{"registry", "oy2", "=43a"},
    Shape{"registry", "CLOJARS_", "60a"},
    Shape{"registry", "dckr_pat_", "27w"},
    Shape{"model-api", "hf_", "34a"},
    Shape{"model-api", "api_org_", "34a"},
    Shape{"model-api", "r8_", "37w"},
    Shape{"model-api", "gsk_", "52w"},
    Shape{"model-api", "xai-", "80w"},
    Shape{"model-api", "pplx-", "48w"},
    Shape{"model-api", "nvapi-", "64w"},
    Shape{"model-api", "lsv2_pt_", "32h '_' 10h"},
    Shape{"model-api", "lsv2_sk_", "32h '_' 10h"},
    Shape{"model-api", "sk_", "48h"},
    Shape{"hosting", "dop_v1_", "64h"},
    Shape{"hosting", "doo_v1_", "64h"},
    Shape{"hosting", "dor_v1_", "64h"},
    Shape{"hosting", "HRKU-AA", "58w"},
    Shape{"hosting", "fo1_", "43w"},
    Shape{"hosting", "fm1a_", "100+b"},
    Shape{"hosting", "fm1r_", "100+b"},
    Shape{"hosting", "fm2_", "100+b"},
    Shape{"hosting", "v1.0-", "24h '-' 146h"},
    Shape{"hosting", "cfut_", "48w"},
    Shape{"hosting", "cfat_", "48w"},
    Shape{"hosting", "nfp_", "36w"},
    Shape{"hosting", "sbp_", "40w"},
    Shape{"hosting", "", "=24a", {kVercel}},
    Shape{"platform", "dapi", "32h"},
    Shape{"platform", "dt0c01.", "24w '.' 64w"},
    Shape{"vault", "hvs.", "90-120w"},
    Shape{"vault", "hvb.", "138+w"},
    Shape{"vault", "s.", "=24a"},
    Shape{"work", "", "14a '.atlasv1.' 60-70j"},
    Shape{"work", "pul-", "40h"},
    Shape{"work", "lin_api_", "40w"},
    Shape{"work", "ntn_", "46w"},
    Shape{"work", "secret_", "43w"},
    Shape{"work", "figd_", "40w"},
    Shape{"work", "pat", "14a '.' 64h"},
    Shape{"work", "PMAK-", "24h '-' 34h"},
    Shape{"work", "glc_", "32+b"},
    Shape{"work", "glsa_", "32w '_' 8h"},
    Shape{"work", "glsa_", "32a '_' 8h"},  // with an underscore behind it, as in _italics_
    Shape{"work", "NRAK-", "27w"},
    Shape{"work", "sntrys_eyJ", "1+j"},
    Shape{"work", "sntryu_", "64h"},
    Shape{"net", "tskey-", "1+a '-' 1+w"},
    Shape{"net", "phx_", "43-48w"},
    Shape{"net", "pscale_tkn_", "32-64w"},
    Shape{"net", "pscale_oauth_", "32-64w"},
    Shape{"net", "pscale_pw_", "32-64w"},
    Shape{"onepassword", "ops_eyJ", "250+j"},
    Shape{"onepassword", "A3-", "6a '-' 6a '-' 6a '-' 5+n"},
    Shape{"misc", "AGE-SECRET-KEY-1", "58w"},
    Shape{"misc", "sha256~", "43w"},
    Shape{"misc", "AKCp", "69w"},
    Shape{"misc", "cmVmd", "59w"},
    Shape{"jwt", "eyJ", "5+w '.eyJ' 5+w '.' 8+w"},
    Shape{"jwt", "ZXlK", "28+j"},
};

// A shape's `rest`, read.
struct Part {
  enum class Sort : std::uint8_t { run, exact_run, bytes, url, value };
  Sort sort = Sort::bytes;
  Class wanted = 0;
  std::uint16_t least = 0;
  base::ShortText<11> bytes = {};
};
inline constexpr std::size_t kMaxParts = 7;
struct Parts {
  std::array<Part, kMaxParts> list{};
  std::uint8_t count = 0;
};

constexpr Class class_of(char letter) {
  switch (letter) {
    case 'a':
      return kAlnum;
    case 'h':
      return kHex;
    case 'b':
      return kBase64;
    case 'd':
      return kDigit;
    case 'u':
      return kUpperDigit;
    case 'l':
      return kLowerDigit;
    case 't':
      return kWordDot;
    case 'p':
      return kWordSlash;
    case 'j':
      return kBase64Any;
    case 's':
      return kPlainBase64;
    case 'n':
      return kDashed;
    default:
      return kWord;
  }
}

constexpr std::uint16_t read_number(std::string_view& part) {
  std::uint16_t number = 0;
  while (!part.empty() && part.front() >= '0' && part.front() <= '9') {
    number = static_cast<std::uint16_t>(number * 10 + (part.front() - '0'));
    part.remove_prefix(1);
  }
  return number;
}

constexpr Part read_part(std::string_view part) {
  if (part.front() == '\'') {
    return {Part::Sort::bytes, 0, 0, part.substr(1, part.size() - 2)};
  }
  if (part == "URL" || part == "VALUE") {
    return {part == "URL" ? Part::Sort::url : Part::Sort::value};
  }
  const bool exact = part.front() == '=';
  part.remove_prefix(exact ? 1 : 0);
  std::uint16_t least = read_number(part);
  if (part.front() == '+') {
    part.remove_prefix(1);
  } else if (part.front() == '-') {
    part.remove_prefix(1);
    (void)read_number(part);
  } else if (!exact) {
    least = static_cast<std::uint16_t>((least * 3 + 3) / 4);
  }
  return {exact ? Part::Sort::exact_run : Part::Sort::run, class_of(part.front()), least};
}

constexpr Parts read_parts(std::string_view rest) {
  Parts parts;
  while (!rest.empty()) {
    std::size_t blank = 0;
    while (blank < rest.size() && rest[blank] != ' ') {
      ++blank;
    }
    parts.list.at(parts.count++) = read_part(rest.substr(0, blank));
    rest.remove_prefix(blank < rest.size() ? blank + 1 : blank);
  }
  return parts;
}

inline constexpr std::array<Parts, kShapes.size()> kParts = [] {
  std::array<Parts, kShapes.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = read_parts(kShapes[i].rest.view());
  }
  return all;
}();

// The prefixes as a tree, so that a byte of the text costs no more with many shapes than with one.
class PrefixTree {
 public:
  using Number = std::uint16_t;  // of a node, or of a shape in kShapes
  static constexpr Number kNone = 0xFFFF;
  static constexpr std::size_t kMaxSame = 2;  // shapes with the same prefix
  struct Node {
    char byte = 0;
    Number child = kNone;
    Number sibling = kNone;
    std::array<Number, kMaxSame> shapes = {kNone, kNone};
  };

  constexpr PrefixTree() {
    for (Number& root : roots_) {
      root = kNone;
    }
    for (std::size_t i = 0; i < kShapes.size(); ++i) {
      if (!kShapes[i].prefix.empty()) {
        add(kShapes[i].prefix, static_cast<Number>(i));
      }
    }
  }
  // The node of a first byte and the one below `node` for the next byte; nullptr: no prefix.
  [[nodiscard]] constexpr const Node* root(char byte) const {
    return node(roots_[static_cast<unsigned char>(byte)]);
  }
  [[nodiscard]] constexpr const Node* below(const Node& parent, char byte) const {
    const Node* found = node(parent.child);
    while (found != nullptr && found->byte != byte) {
      found = node(found->sibling);
    }
    return found;
  }

 private:
  [[nodiscard]] constexpr const Node* node(Number number) const {
    return number == kNone ? nullptr : &nodes_[number];
  }
  constexpr void add(std::string_view prefix, Number shape) {
    Number* link = &roots_[static_cast<unsigned char>(prefix.front())];
    Number at = kNone;
    for (const char byte : prefix) {
      while (*link != kNone && nodes_[*link].byte != byte) {
        link = &nodes_[*link].sibling;
      }
      if (*link == kNone) {
        nodes_.at(count_).byte = byte;
        *link = count_++;
      }
      at = *link;
      link = &nodes_[at].child;
    }
    Node& last = nodes_[at];
    last.shapes.at(last.shapes[0] == kNone ? 0 : 1) = shape;
  }

  std::array<Number, 256> roots_{};
  std::array<Node, 1024> nodes_{};
  Number count_ = 0;
};
inline constexpr PrefixTree kPrefixes;

}  // namespace robot_council::stops::redaction
