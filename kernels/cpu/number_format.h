// How weights are laid out in memory. All formats are row-wise: a row is a whole number of blocks.
// Source of the layouts: the GGUF container's tensor types of the same names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thermocline::kernels {

enum class NumberFormat : std::uint8_t { f32, f16, bf16, q4_0, q5_0, q8_0, q6_k };
inline constexpr std::size_t number_format_count = 7;

struct BlockLayout {
  std::size_t length;  // weights in a block
  std::size_t bytes;   // bytes of a block
};

constexpr BlockLayout block_layout(NumberFormat format) {
  switch (format) {
    case NumberFormat::f32:
      return {1, 4};
    case NumberFormat::f16:
    case NumberFormat::bf16:
      return {1, 2};
    case NumberFormat::q4_0:
      return {32, 18};  // f16 d, 16 bytes of nibbles; w = (q - 8) d
    case NumberFormat::q5_0:
      return {32, 22};  // f16 d, 4 bytes of high bits, nibbles; w = (q - 16) d
    case NumberFormat::q8_0:
      return {32, 34};  // f16 d, 32 x i8; w = q d
    case NumberFormat::q6_k:
      return {256, 210};  // ql[128], qh[64], i8 scales[16], f16 d
  }
  return {1, 4};
}

// Bytes of `count` weights; `count` must be a whole number of blocks.
constexpr std::size_t byte_size(NumberFormat format, std::size_t count) {
  const BlockLayout layout = block_layout(format);
  return count / layout.length * layout.bytes;
}

}  // namespace thermocline::kernels
