#include "tokenizer/lenient_text.h"

#include "platform/utf8.h"

#include <bit>

namespace thermocline::tokenizer {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct Unit {
  char32_t code_point;
  std::size_t length;
};

// The character at the start of `text`, by announced length alone.
Unit lenient_unit(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto announced = static_cast<std::size_t>(std::countl_one(lead));
  if (announced == 0) return {lead, 1};
  if (announced == 1 || announced > 4 || announced > text.size()) return {replacement, 1};
  char32_t code = lead & (0x7Fu >> announced);
  for (std::size_t i = 1; i < announced; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0u) != 0x80u) return {replacement, 1};
    code = code << 6 | (byte & 0x3Fu);
  }
  return {code, announced};
}

bool is_surrogate(char32_t code) {
  return code >= 0xD800 && code <= 0xDFFF;
}

}  // namespace

std::string lenient_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Unit unit = lenient_unit(text);
    if (is_surrogate(unit.code_point) || unit.code_point > 0x10FFFF) {
      result += text.substr(0, unit.length);
    } else {
      platform::append_utf8(result, unit.code_point);
    }
    text.remove_prefix(unit.length);
  }
  return result;
}

}  // namespace thermocline::tokenizer
