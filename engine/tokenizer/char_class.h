// What the pre-tokenisers' regular expressions know about a character: \p{L}, \p{N}, \p{P}, \s or
// none of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace thermocline::tokenizer {

enum class CharClass : std::uint8_t { other, letter, number, punctuation, space };

// A run of code points of one class; it ends where the next one begins.
struct ClassRun {
  char32_t first;
  CharClass kind;
};

// All of Unicode, ascending.
std::span<const ClassRun> class_runs();

// A code point's class.
CharClass char_class(char32_t code_point) noexcept;

// The character at the start of a text. A byte that isn't UTF-8 is a character of class `other`.
struct CharStep {
  CharClass kind;
  std::uint8_t length;  // bytes; 0 at the end of the text
};
CharStep char_step(std::string_view text) noexcept;

}  // namespace thermocline::tokenizer
