#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robot_council::base {

// A text of at most `kMost` bytes that lies in its object. A table of these holds no address, so
// that the loader has nothing to fill in and touches none of its pages: a std::string_view in a
// table costs every start of the program, also of a call that never looks at the table.
// A literal that is too long does not compile.
template <std::size_t kMost>
class ShortText {
 public:
  constexpr ShortText() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): tables are written as literals
  constexpr ShortText(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
    static_assert(kMost < 256);
    for (std::size_t i = 0; i < text.size(); ++i) {
      bytes_.at(i) = text[i];
    }
  }
  template <std::size_t kSize>
  // NOLINTNEXTLINE: as above, and an array is what a literal is
  constexpr ShortText(const char (&literal)[kSize])
      : ShortText(std::string_view(literal, kSize - 1)) {
    static_assert(kSize - 1 <= kMost);
  }
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the text
  constexpr operator std::string_view() const { return view(); }
  [[nodiscard]] constexpr std::string_view view() const { return {bytes_.data(), size_}; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }

 private:
  std::array<char, kMost> bytes_{};
  std::uint8_t size_ = 0;
};

}  // namespace robot_council::base
