#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "pending/limits.hpp"
#include "pending/transcript.hpp"

// Any bytes as an entry and as what a client wrote: the first line is the entry, the rest the
// transcript.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council::pending;  // NOLINT(google-build-using-namespace): inside one
                                           // function
  const std::string bytes(data, data + size);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const Evidence evidence = evidence_of(std::string_view(bytes).substr(0, end));
  RC_CHECK(!evidence.prefix.empty() && evidence.prefix.size() <= kProofPrefix);
  const TranscriptText text{bytes.substr(std::min(end + 1, bytes.size())), {}};
  if (transcript_shows(text, evidence, Lines::user)) {
    RC_CHECK(transcript_shows(text, evidence, Lines::user_and_queued));
    RC_CHECK(text.after.find(evidence.prefix) != std::string::npos);
  }
  return 0;
}
