// The spelling of byte tokens in SentencePiece vocabularies: <0x00> to <0xFF>.
#pragma once

#include <optional>
#include <string_view>

namespace thermocline::tokenizer {

// The byte that a token's text names; nothing for any other text.
constexpr std::optional<unsigned char> byte_of_token(std::string_view text) {
  constexpr std::string_view pattern = "<0x00>";
  if (text.size() != pattern.size() || !text.starts_with("<0x") || !text.ends_with('>')) {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char digit : text.substr(3, 2)) {
    value *= 16;
    if (digit >= '0' && digit <= '9') {
      value += static_cast<unsigned>(digit - '0');
    } else if (digit >= 'A' && digit <= 'F') {
      value += static_cast<unsigned>(digit - 'A') + 10;
    } else if (digit >= 'a' && digit <= 'f') {
      value += static_cast<unsigned>(digit - 'a') + 10;
    } else {
      return std::nullopt;
    }
  }
  return static_cast<unsigned char>(value);
}

}  // namespace thermocline::tokenizer
