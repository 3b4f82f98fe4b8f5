#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/payload.hpp"

namespace robot_council::harness {

// The grammar under parse_payload(). JSON (RFC 8259) but for what clients were seen to get wrong:
// raw control bytes, invalid escapes and lone surrogates in strings, bytes that are no UTF-8.
// Recursion ends at kMaxPayloadDepth.
class PayloadParser {
 public:
  // `object`: from "{" to its "}" as ObjectScanner found them.
  explicit PayloadParser(std::string_view object) : text_(object) {}
  // The members in order, each key once. False: not JSON.
  [[nodiscard]] bool parse(std::vector<PayloadMember>& members);

 private:
  bool member_value(PayloadMember& member);
  bool value(std::string& out, std::size_t depth);
  bool container(std::string& out, std::size_t depth, char close);
  bool string(std::string& characters);
  void escape(std::string& characters);
  bool code_unit(std::size_t at, unsigned& unit) const;
  bool number(std::string& out);
  bool word(std::string_view expected, std::string& out);
  bool skip_deep(std::string& out);
  void blanks();
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace robot_council::harness
