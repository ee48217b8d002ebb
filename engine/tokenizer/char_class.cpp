// Classifies characters: a table for ASCII, a search over the runs of Unicode for the rest.
#include "tokenizer/char_class.h"

#include "platform/utf8.h"

#include <algorithm>
#include <array>

namespace thermocline::tokenizer {
namespace {

constexpr std::size_t ascii_count = 128;

constexpr CharClass classify_ascii(unsigned value) {
  const auto within = [value](char low, char high) {
    return value >= static_cast<unsigned>(low) && value <= static_cast<unsigned>(high);
  };
  if (within('\t', '\r') || value == ' ') return CharClass::space;
  if (within('a', 'z') || within('A', 'Z')) return CharClass::letter;
  if (within('0', '9')) return CharClass::number;
  // These are symbols to Unicode, not punctuation.
  constexpr std::string_view symbols = "$+<=>^`|~";
  if (value > ' ' && value < 0x7F && symbols.find(static_cast<char>(value)) == symbols.npos) {
    return CharClass::punctuation;
  }
  return CharClass::other;
}

constexpr std::array<CharClass, ascii_count> ascii_classes = [] {
  std::array<CharClass, ascii_count> classes{};
  for (unsigned value = 0; value < ascii_count; ++value)
    classes[value] = classify_ascii(value);
  return classes;
}();

}  // namespace

CharClass char_class(char32_t code_point) noexcept {
  if (code_point < ascii_count) return ascii_classes[code_point];
  const auto runs = class_runs();
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), code_point,
                       [](char32_t value, const ClassRun& run) { return value < run.first; });
  return (after - 1)->kind;
}

CharStep char_step(std::string_view text) noexcept {
  const platform::Utf8Step step = platform::utf8_step(text);
  if (step.length == 0) return {CharClass::other, 0};
  if (!step.valid) return {CharClass::other, 1};
  return {char_class(step.code_point), static_cast<std::uint8_t>(step.length)};
}

}  // namespace thermocline::tokenizer
