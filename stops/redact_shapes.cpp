// Step 2 of redaction: tokens that are known by how they look.

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "stops/redact_text.hpp"

namespace robot_council::stops::redaction {
namespace {

enum class Keep : std::uint8_t { nothing, prefix };
enum class Where : std::uint8_t { word_start, anywhere };

// One shape. `rest`, after the prefix, is a list of parts split by blanks:
//   36a       a run of class a, at least three quarters of 36, taken whole
//   20+w      at least 20        27-300w  at least 27
//   =32h      exactly 32
//   '.eyJ'    these bytes
//   URL       to the end of a URL      VALUE  to a blank or quotation mark, if it is no reference
struct Shape {
  std::string_view kind;
  std::string_view prefix;
  std::string_view rest;
  std::string_view near = {};  // words, all within kNear bytes before: "aws key|secret"
  Keep keep = Keep::nothing;
  Where where = Where::word_start;
};

constexpr std::size_t kNear = 64;  // bytes between a word and the token that it makes a secret

constexpr Shape kShapes[] = {
    // NOLINT(modernize-avoid-c-arrays): the length is the table's
    {"anthropic-key", "sk-ant-api03-", "16+w"},
    {"anthropic-key", "sk-ant-admin01-", "16+w"},
    {"anthropic-key", "sk-ant-oat01-", "16+w"},
    {"openrouter", "sk-or-v1-", "64h"},
    {"deepseek", "sk-", "=32l", "deepseek"},
    {"openai-key", "sk-proj-", "20+w"},
    {"openai-key", "sk-svcacct-", "20+w"},
    {"openai-key", "sk-admin-", "20+w"},
    {"openai-key", "sk-", "20+w"},
    {"github", "ghp_", "36a"},
    {"github", "gho_", "36a"},
    {"github", "ghu_", "36a"},
    {"github", "ghs_", "36a"},
    {"github", "ghr_", "36a"},
    {"github", "github_pat_", "82w"},
    {"gitlab", "glpat-", "27-300w '.' 9w"},
    {"gitlab", "glpat-", "20w"},
    {"gitlab", "gldt-", "20w"},
    {"gitlab", "glrt-", "20w"},
    {"gitlab", "glcbt-", "20w"},
    {"gitlab", "glsoat-", "20w"},
    {"gitlab", "glft-", "20w"},
    {"gitlab", "glffct-", "20w"},
    {"gitlab", "GR1348941", "20w"},
    {"gitlab", "glptt-", "40h"},
    {"gitlab", "glagent-", "50w"},
    {"gitlab", "gloas-", "64w"},
    {"gitlab", "glimt-", "25w"},
    {"aws", "AKIA", "16u"},
    {"aws", "ASIA", "16u"},
    {"aws", "ABIA", "16u"},
    {"aws", "ACCA", "16u"},
    {"aws", "A3T", "17u"},
    {"aws", "ABSK", "109-269b"},
    {"aws", "bedrock-api-key-", "109-269b"},
    {"aws", "", "=40s", "aws key|secret"},
    {"google", "AIza", "35w"},
    {"google", "ya29.", "20+w"},
    {"google", "GOCSPX-", "20+w"},
    {"azure", "AccountKey=", "88b", {}, Keep::prefix},
    {"slack", "xoxb-", "10+n"},
    {"slack", "xoxp-", "10+n"},
    {"slack", "xoxe-", "10+n"},
    {"slack", "xoxa-", "10+n"},
    {"slack", "xoxr-", "10+n"},
    {"slack", "xoxs-", "10+n"},
    {"slack", "xoxo-", "10+n"},
    {"slack", "xapp-", "10+n"},
    {"slack", "xoxe.xoxb-", "10+n"},
    {"slack", "xoxe.xoxp-", "10+n"},
    {"slack", "hooks.slack.com/services/", "43-56p", {}, Keep::prefix},
    {"slack", "hooks.slack.com/workflows/", "43-56p", {}, Keep::prefix},
    {"slack", "hooks.slack.com/triggers/", "43-56p", {}, Keep::prefix},
    {"discord", "M", "23-25w '.' 6w '.' 27w"},
    {"discord", "N", "23-25w '.' 6w '.' 27w"},
    {"discord", "O", "23-25w '.' 6w '.' 27w"},
    {"discord", "discord.com/api/webhooks/", "1+d '/' 68w", {}, Keep::prefix},
    {"discord", "discordapp.com/api/webhooks/", "1+d '/' 68w", {}, Keep::prefix},
    {"teams-hook", ".webhook.office.com/webhookb2/", "URL", {}, Keep::prefix, Where::anywhere},
    {"stripe", "sk_live_", "10-99a"},
    {"stripe", "sk_test_", "10-99a"},
    {"stripe", "sk_prod_", "10-99a"},
    {"stripe", "rk_live_", "10-99a"},
    {"stripe", "rk_test_", "10-99a"},
    {"stripe", "rk_prod_", "10-99a"},
    {"stripe", "whsec_", "10-99b"},
    {"square", "EAAA", "22-60w"},
    {"square", "sq0atp-", "22-60w"},
    {"square", "sq0csp-", "43w"},
    {"shopify", "shpat_", "32h"},
    {"shopify", "shpca_", "32h"},
    {"shopify", "shppa_", "32h"},
    {"shopify", "shpss_", "32h"},
    {"twilio", "SK", "=32h"},
    {"twilio", "AC", "=32h"},
    {"sendgrid", "SG.", "22w '.' 43w"},
    {"mail", "key-", "=32h"},
    {"mail", "", "=32h '-us' 1+d"},
    {"mail", "xkeysib-", "64h '-' 16a"},
    {"telegram", "", "5+d ':A' 34w"},
    {"registry", "npm_", "36a"},
    {"registry", "_authToken=", "VALUE", {}, Keep::prefix, Where::anywhere},
    {"registry", "pypi-AgEIcHlwaS5vcmc", "50+w"},
    {"registry", "pypi-AgENdGVzdC5weXBpLm9yZw", "50+w"},
    {"registry", "rubygems_", "48h"},
    {"registry", "oy2", "=43a"},
    {"registry", "CLOJARS_", "60a"},
    {"registry", "dckr_pat_", "27w"},
    {"model-api", "hf_", "34a"},
    {"model-api", "api_org_", "34a"},
    {"model-api", "r8_", "37w"},
    {"model-api", "gsk_", "52w"},
    {"model-api", "xai-", "80w"},
    {"model-api", "pplx-", "48w"},
    {"model-api", "nvapi-", "64w"},
    {"model-api", "lsv2_pt_", "32h '_' 10h"},
    {"model-api", "lsv2_sk_", "32h '_' 10h"},
    {"model-api", "sk_", "48h"},
    {"hosting", "dop_v1_", "64h"},
    {"hosting", "doo_v1_", "64h"},
    {"hosting", "dor_v1_", "64h"},
    {"hosting", "HRKU-AA", "58w"},
    {"hosting", "fo1_", "43w"},
    {"hosting", "fm1a_", "100+b"},
    {"hosting", "fm1r_", "100+b"},
    {"hosting", "fm2_", "100+b"},
    {"hosting", "v1.0-", "24h '-' 146h"},
    {"hosting", "cfut_", "48w"},
    {"hosting", "cfat_", "48w"},
    {"hosting", "nfp_", "36w"},
    {"hosting", "sbp_", "40w"},
    {"hosting", "", "=24a", "vercel"},
    {"platform", "dapi", "32h"},
    {"platform", "dt0c01.", "24w '.' 64w"},
    {"vault", "hvs.", "90-120w"},
    {"vault", "hvb.", "138+w"},
    {"vault", "s.", "=24a"},
    {"work", "", "=14a '.atlasv1.' 60-70j"},
    {"work", "pul-", "40h"},
    {"work", "lin_api_", "40w"},
    {"work", "ntn_", "46w"},
    {"work", "secret_", "43w"},
    {"work", "figd_", "40w"},
    {"work", "pat", "=14a '.' 64h"},
    {"work", "PMAK-", "24h '-' 34h"},
    {"work", "glc_", "32+b"},
    {"work", "glsa_", "32a '_' 8h"},
    {"work", "NRAK-", "27w"},
    {"work", "sntrys_eyJ", "1+j"},
    {"work", "sntryu_", "64h"},
    {"net", "tskey-", "1+a '-' 1+w"},
    {"net", "phx_", "43-48w"},
    {"net", "pscale_tkn_", "32-64w"},
    {"net", "pscale_oauth_", "32-64w"},
    {"net", "pscale_pw_", "32-64w"},
    {"onepassword", "ops_eyJ", "250+j"},
    {"onepassword", "A3-", "=6a '-' 5-6a '-' 5-6a '-' 5+n"},
    {"misc", "AGE-SECRET-KEY-1", "58a"},
    {"misc", "sha256~", "43w"},
    {"misc", "AKCp", "69w"},
    {"misc", "cmVmd", "59w"},
    {"jwt", "eyJ", "5+w '.eyJ' 5+w '.' 8+w"},
    {"jwt", "ZXlK", "28+j"},
};

// By the first byte of the prefix, in the table's order; shapes without one are by themselves.
struct Index {
  std::array<std::vector<const Shape*>, 256> by_first;
  std::vector<const Shape*> without_prefix;
};

const Index& shape_index() {
  static const Index kIndex = [] {
    Index index;
    for (const Shape& shape : kShapes) {
      if (shape.prefix.empty()) {
        index.without_prefix.push_back(&shape);
      } else {
        index.by_first[static_cast<unsigned char>(shape.prefix.front())].push_back(&shape);
      }
    }
    return index;
  }();
  return kIndex;
}

std::size_t read_number(std::string_view& part) {
  std::size_t number = 0;
  while (!part.empty() && in_class(part.front(), kDigit)) {
    number = number * 10 + static_cast<std::size_t>(part.front() - '0');
    part.remove_prefix(1);
  }
  return number;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), runs_(text), rewriter_(text) {}

  void scan() {
    for (std::size_t at = 0; at < text_.size();) {
      if (text_[at] == '[') {
        if (const std::size_t end = marker_end(text_, at); end != kNowhere) {
          at = end;
          continue;
        }
      }
      const bool start = at == 0 || !in_class(text_[at - 1], kAlnum) || behind_escape(at);
      if (const std::size_t end = match_at(at, start); end != kNowhere) {
        at = end;
        continue;
      }
      // Inside a word only a shape that may begin anywhere can begin; none begins with a letter.
      const bool word = in_class(text_[at], kAlnum) && !behind_escape(at + 1);
      at = word ? runs_.end(kAlnum, at) : at + 1;
    }
  }
  [[nodiscard]] bool changed() const { return rewriter_.changed(); }
  [[nodiscard]] std::string finish() { return rewriter_.finish(); }

 private:
  // Tries every shape; on a match notes the replacement and gives the place to go on.
  std::size_t match_at(std::size_t at, bool start) {
    const Index& index = shape_index();
    for (const Shape* shape : index.by_first[static_cast<unsigned char>(text_[at])]) {
      if ((start || shape->where == Where::anywhere) &&
          text_.substr(at, shape->prefix.size()) == shape->prefix) {
        if (const std::size_t end = try_shape(*shape, at); end != kNowhere) {
          return end;
        }
      }
    }
    if (!start) {
      return kNowhere;
    }
    if (const std::size_t end = try_azure(at); end != kNowhere) {
      rewriter_.replace(at, end, "azure");
      return end;
    }
    if (may_lack_prefix(at)) {
      for (const Shape* shape : index.without_prefix) {
        if (const std::size_t end = try_shape(*shape, at); end != kNowhere) {
          return end;
        }
      }
    }
    if (const std::size_t end = try_doppler(at); end != kNowhere) {
      rewriter_.replace(at, end, "platform");
      return end;
    }
    return kNowhere;
  }

  std::size_t try_shape(const Shape& shape, std::size_t at) {
    const std::size_t rest = at + shape.prefix.size();
    std::size_t end = match_rest(shape, rest);
    if (end == kNowhere || (!shape.near.empty() && !is_near(at, shape.near))) {
      return kNowhere;
    }
    if (shape.prefix.empty() && !shape.near.empty() && has_neighbour(at, end)) {
      return kNowhere;
    }
    // What is left of the same word would be a part of the secret.
    end = end < text_.size() ? runs_.end(kAlnum, end) : end;
    rewriter_.replace(shape.keep == Keep::prefix ? rest : at, end, shape.kind);
    return end;
  }

  std::size_t match_rest(const Shape& shape, std::size_t at) {
    std::string_view rest = shape.rest;
    while (!rest.empty()) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      const std::string_view part = rest.substr(0, blank);
      rest.remove_prefix(std::min(blank + 1, rest.size()));
      at = match_part(part, at);
      if (at == kNowhere) {
        return kNowhere;
      }
    }
    return at;
  }

  std::size_t match_part(std::string_view part, std::size_t at) {
    if (part.front() == '\'') {
      const std::string_view bytes = part.substr(1, part.size() - 2);
      return text_.substr(at, bytes.size()) == bytes ? at + bytes.size() : kNowhere;
    }
    if (part == "URL" || part == "VALUE") {
      return match_value(part == "VALUE", at);
    }
    const bool exact = part.front() == '=';
    part.remove_prefix(exact ? 1 : 0);
    std::size_t least = read_number(part);
    if (!part.empty() && part.front() == '+') {
      part.remove_prefix(1);
    } else if (!part.empty() && part.front() == '-') {
      part.remove_prefix(1);
      (void)read_number(part);
    } else if (!exact) {
      least = (least * 3 + 3) / 4;
    }
    const Class wanted = class_of(part.empty() ? 'w' : part.front());
    if (at >= text_.size()) {
      return kNowhere;
    }
    const std::size_t end = runs_.end(wanted, at);
    const std::size_t length = end - at;
    const bool fits = exact ? length == least && !followed_by_word(end) : length >= least;
    return fits ? end : kNowhere;
  }

  // Only runs of these lengths begin a shape without a prefix; nearly no word of a text does.
  bool may_lack_prefix(std::size_t at) {
    const std::size_t end = runs_.end(kAlnum, at);
    const std::size_t length = end - at;
    if (length == 14 || length == 24 || length == 32) {
      return true;
    }
    if (end == text_.size()) {
      return length == 40;
    }
    if (text_[end] == ':') {
      return length >= 5 && in_class(text_[at], kDigit);
    }
    const bool goes_on = in_class(text_[end], kPlainBase64);
    return (goes_on || length == 40) && runs_.end(kPlainBase64, at) - at == 40;
  }

  // A run within a longer word is no token of its own.
  [[nodiscard]] bool has_neighbour(std::size_t begin, std::size_t end) const {
    constexpr Class kInside = kWord | kPlainBase64;
    return (begin > 0 && in_class(text_[begin - 1], kInside)) ||
           (end < text_.size() && in_class(text_[end], kInside));
  }

  // \n, \r or \t of a text in a text ends at `at`.
  [[nodiscard]] bool behind_escape(std::size_t at) const {
    return at > 1 && text_[at - 2] == '\\' &&
           (text_[at - 1] == 'n' || text_[at - 1] == 'r' || text_[at - 1] == 't');
  }

  [[nodiscard]] bool followed_by_word(std::size_t end) const {
    return end < text_.size() && in_class(text_[end], kAlnum);
  }

  std::size_t match_value(bool value, std::size_t at) const {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n\"'<>`", at), text_.size());
    const bool none =
        end == at || (value && is_plain_value(text_.substr(at, end - at), Quotes::other));
    return none || marker_end(text_, at) != kNowhere ? kNowhere : end;
  }

  // Three characters, a digit, Q~ and the rest.
  std::size_t try_azure(std::size_t at) {
    constexpr std::size_t kHead = 6;
    constexpr std::size_t kLeast = 31;
    const std::string_view head = text_.substr(at, kHead);
    if (head.size() < kHead || head.substr(4) != "Q~" || !in_class(head[3], kDigit) ||
        !std::all_of(head.begin(), head.begin() + 3,
                     [](char c) { return in_class(c, kWordDot); })) {
      return kNowhere;
    }
    const std::size_t end = runs_.end(kWordDot, at + kHead);
    return end - at - kHead >= kLeast ? end : kNowhere;
  }

  // dp.pt.X, dp.st.dev.X: two to five letters name the sort.
  std::size_t try_doppler(std::size_t at) {
    if (text_.substr(at, 3) != "dp.") {
      return kNowhere;
    }
    std::size_t part = at + 3;
    std::size_t end = runs_.end(kAlnum, part);
    if (end - part < 2 || end - part > 5 || end >= text_.size() || text_[end] != '.') {
      return kNowhere;
    }
    part = end + 1;
    end = runs_.end(kWord, part);
    if (end - part < 40 && end < text_.size() && text_[end] == '.') {  // a configuration's name
      part = end + 1;
      end = runs_.end(kWord, part);
    }
    return end - part >= 40 ? end : kNowhere;
  }

  // Each word (a|b: one of them) ends within kNear bytes before `at`, outside markers.
  [[nodiscard]] bool is_near(std::size_t at, std::string_view words) const {
    while (!words.empty()) {
      const std::size_t blank = std::min(words.find(' '), words.size());
      std::string_view any = words.substr(0, blank);
      words.remove_prefix(std::min(blank + 1, words.size()));
      bool found = false;
      while (!any.empty() && !found) {
        const std::size_t bar = std::min(any.find('|'), any.size());
        found = has_before(at, any.substr(0, bar));
        any.remove_prefix(std::min(bar + 1, any.size()));
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool has_before(std::size_t at, std::string_view word) const {
    const std::size_t window = kNear + word.size();
    const std::size_t from = at > window ? at - window : 0;
    for (std::size_t i = from; i + word.size() <= at; ++i) {
      if (text_[i] == '[') {
        if (const std::size_t end = marker_end(text_, i); end != kNowhere) {
          i = end - 1;
          continue;
        }
      }
      if (starts_with_nocase(text_.substr(i), word) && !in_marker(i)) {
        return true;
      }
    }
    return false;
  }

  // A window may begin inside a marker.
  [[nodiscard]] bool in_marker(std::size_t at) const {
    constexpr std::size_t kMaxMarker = 40;
    for (std::size_t i = at; i > 0 && at - i < kMaxMarker; --i) {
      if (text_[i - 1] == ']') {
        return false;
      }
      if (text_[i - 1] == '[') {
        const std::size_t end = marker_end(text_, i - 1);
        return end != kNowhere && end > at;
      }
    }
    return false;
  }

  std::string_view text_;
  Runs runs_;
  Rewriter rewriter_;
};

}  // namespace

std::string redact_shapes(std::string text) {
  Scanner scanner(text);
  scanner.scan();
  return scanner.changed() ? scanner.finish() : std::move(text);
}

bool is_shape_kind(std::string_view kind) {
  return kind == "platform" ||
         std::any_of(std::begin(kShapes), std::end(kShapes),
                     [kind](const Shape& shape) { return shape.kind == kind; });
}

}  // namespace robot_council::stops::redaction
