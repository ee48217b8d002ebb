// GPT-2's printable alphabet: byte-level vocabularies spell every byte as one character. Bytes 33
// to 126, 161 to 172 and 174 to 255 stand for themselves, the others for U+0100 onward in order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thermocline::tokenizer {

// The UTF-8 character that spells a byte; a view on a constant.
std::string_view spelling_of_byte(unsigned char byte);

// The byte that a code point spells.
std::optional<unsigned char> spelled_byte(char32_t code_point);

// Bytes that a byte-level token spells. A character outside the alphabet gives its own UTF-8 bytes.
std::string spelled_bytes(std::string_view token);

}  // namespace thermocline::tokenizer
