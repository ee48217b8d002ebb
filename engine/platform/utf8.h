// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace thermocline::platform {

// What stands at the start of a byte sequence.
struct Utf8Step {
  char32_t code_point;  // valid only if `valid`
  std::size_t length;   // bytes used; 1 for an invalid byte; 0 only for empty input
  bool valid;
  bool truncated;  // invalid only because the input ends inside a character
};

// Decodes the first character of `text`.
Utf8Step utf8_step(std::string_view text) noexcept;

bool is_valid_utf8(std::string_view text) noexcept;

// Appends the UTF-8 form of a code point (U+FFFD if it has none).
void append_utf8(std::string& out, char32_t code_point);

}  // namespace thermocline::platform
