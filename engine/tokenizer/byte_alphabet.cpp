// The alphabet's table, made at compile time.
#include "tokenizer/byte_alphabet.h"

#include "platform/utf8.h"

#include <array>
#include <cstdint>

namespace thermocline::tokenizer {
namespace {

constexpr unsigned byte_count = 256;
constexpr unsigned first_stand_in = 0x100;
constexpr unsigned stand_in_count = 68;

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

constexpr std::array<char32_t, byte_count> code_points = [] {
  std::array<char32_t, byte_count> table{};
  unsigned next = first_stand_in;
  for (unsigned byte = 0; byte < byte_count; ++byte) {
    table[byte] = stands_for_itself(byte) ? byte : next++;
  }
  return table;
}();

struct Spelling {
  std::array<char, 2> bytes;
  std::uint8_t length;
};

// All code points of the alphabet are below U+0800: at most two bytes of UTF-8.
constexpr std::array<Spelling, byte_count> spellings = [] {
  std::array<Spelling, byte_count> table{};
  for (unsigned byte = 0; byte < byte_count; ++byte) {
    const char32_t code_point = code_points[byte];
    if (code_point < 0x80) {
      table[byte] = {{static_cast<char>(code_point), 0}, 1};
    } else {
      table[byte] = {{static_cast<char>(0xC0 | code_point >> 6),
                      static_cast<char>(0x80 | (code_point & 0x3F))},
                     2};
    }
  }
  return table;
}();

constexpr std::array<unsigned char, stand_in_count> stood_for = [] {
  std::array<unsigned char, stand_in_count> table{};
  for (unsigned byte = 0; byte < byte_count; ++byte) {
    if (code_points[byte] >= first_stand_in) {
      table[code_points[byte] - first_stand_in] = static_cast<unsigned char>(byte);
    }
  }
  return table;
}();

}  // namespace

std::string_view spelling_of_byte(unsigned char byte) {
  const Spelling& spelling = spellings[byte];
  return {spelling.bytes.data(), spelling.length};
}

std::optional<unsigned char> spelled_byte(char32_t code_point) {
  if (code_point < byte_count) {
    if (!stands_for_itself(code_point)) return std::nullopt;
    return static_cast<unsigned char>(code_point);
  }
  if (code_point >= first_stand_in + stand_in_count) return std::nullopt;
  return stood_for[code_point - first_stand_in];
}

std::string spelled_bytes(std::string_view token) {
  std::string bytes;
  bytes.reserve(token.size());
  while (!token.empty()) {
    const platform::Utf8Step step = platform::utf8_step(token);
    const auto byte = step.valid ? spelled_byte(step.code_point) : std::nullopt;
    if (byte) {
      bytes.push_back(static_cast<char>(*byte));
    } else {
      bytes.append(token.substr(0, step.length));
    }
    token.remove_prefix(step.length);
  }
  return bytes;
}

}  // namespace thermocline::tokenizer
