// Remembers which two characters stand side by side in some token. Where no token has two
// neighbours of a text together, nothing can be joined across them: the text falls into short runs,
// such as words, that are merged one by one instead of in one long queue. The result is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace thermocline::tokenizer {

// A set with false positives, which cost time only, and no false negatives.
class NeighbourFilter {
 public:
  NeighbourFilter() : bits_(std::size_t{1} << (log2_bits - 6)) {}

  // Notes the neighbours in a token, which must be valid UTF-8.
  void add(std::string_view token);

  // Whether some token may have `left` right before `right`; each a character of at most 4 bytes.
  bool may_touch(std::string_view left, std::string_view right) const {
    const std::size_t bit = place(left, right);
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  // LLaMA's vocabulary has some 9000 different neighbours.
  static constexpr unsigned log2_bits = 20;

  static std::uint64_t packed(std::string_view character) {
    std::uint64_t value = 0;
    for (const char byte : character)
      value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
  static std::size_t place(std::string_view left, std::string_view right) {
    // Fibonacci hashing with 2^64 divided by the golden ratio.
    const std::uint64_t pair = packed(left) << 32 | packed(right);
    return static_cast<std::size_t>((pair ^ pair >> 29) * 0x9E3779B97F4A7C15u >> (64 - log2_bits));
  }

  std::vector<std::uint64_t> bits_;
};

}  // namespace thermocline::tokenizer
