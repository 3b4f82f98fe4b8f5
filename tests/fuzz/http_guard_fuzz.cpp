#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "net/http_guard.hpp"
#include "net/http_syntax.hpp"
#include "net/limits.hpp"

// Any bytes as the beginning of a connection. What passes must be unambiguous.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace robot_council::net;  // NOLINT(google-build-using-namespace): inside one function
  const std::string bytes(data, data + size);
  const GuardRules rules{{"127.0.0.1:8787"}, {"http://127.0.0.1:8787"}, 65536};
  const auto end = find_head_end(bytes, 0);
  const auto* found = std::get_if<0>(&end);
  // In pieces it ends where it ends in one.
  const auto late = find_head_end(bytes, size / 2 < 3 ? 0 : size / 2 - 3);
  if (found != nullptr && *found && **found > size / 2) {
    RC_CHECK(std::get_if<0>(&late) != nullptr && *std::get_if<0>(&late) == *found);
  }
  const std::size_t head_size = found != nullptr && *found ? **found : size;
  const auto guarded = guard_head(std::string_view(bytes).substr(0, head_size), rules);
  if (const auto* refusal = std::get_if<Refusal>(&guarded)) {
    RC_CHECK(refusal->status >= 400 && refusal->status < 600 && !refusal->why.empty());
    return 0;
  }
  const RequestHead& head = std::get<RequestHead>(guarded);
  RC_CHECK(head_size <= kMaxRequestHead && head.headers.size() <= kMaxRequestHeaders);
  RC_CHECK(head.content_length <= rules.max_body && !head.path.empty() && head.path.front() == '/');
  RC_CHECK(first_value(head.headers, "Host") == "127.0.0.1:8787");
  RC_CHECK(!first_value(head.headers, "Transfer-Encoding") &&
           !first_value(head.headers, "Content-Encoding"));
  for (const auto& [name, value] : head.headers) {
    RC_CHECK(is_token(name));
    for (const char c : value) {
      RC_CHECK(!is_control(c));
    }
  }
  (void)forwarded_peer(head.headers);
  return 0;
}
