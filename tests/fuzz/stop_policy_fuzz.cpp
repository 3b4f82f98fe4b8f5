#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "stops/limits.hpp"
#include "stops/policy.hpp"

// Any bytes as a stop policy. One that is accepted has what the rules need, and never continues
// without an answer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council;  // NOLINT(google-build-using-namespace): inside one function
  const std::string_view bytes(
      reinterpret_cast<const char*>(data),
      size);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer's type
  const base::Result<stops::Policy> policy = stops::parse_policy(bytes);
  if (!policy.ok() || !policy->enabled) {
    return 0;
  }
  RC_CHECK(!policy->questions.empty() && policy->questions.size() <= stops::kMaxQuestions);
  RC_CHECK(!policy->rules.empty() && policy->rules.size() <= stops::kMaxRules);
  RC_CHECK(policy->timeout >= stops::kMinJudgeTime && policy->timeout <= stops::kMaxJudgeTime);
  RC_CHECK(policy->fingerprints.rules.size() == 16);
  RC_CHECK(stops::rescore({}, *policy).verdict == stops::Verdict::leave);
  return 0;
}
