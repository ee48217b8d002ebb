// Dot product of a quantised row with activations quantised to 8 bits: exact integers within 32
// weights, doubles across them.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/scalar_blocks.h"

namespace thermocline::kernels::scalar {

template <class Block>
float dot_quantized(const void* row, const QuantizedVector& x, std::size_t n) {
  double total = 0;
  const auto* at = static_cast<const std::uint8_t*>(row);
  for (std::size_t i = 0; i < n; i += Block::length, at += Block::bytes) {
    const Integers<Block::length> block = Block::integers(at);
    for (std::size_t j = 0; j < Block::length; j += 32) {
      std::int32_t halves[2] = {0, 0};
      for (std::size_t k = 0; k < 16; ++k) {
        halves[0] += block.values[j + k] * x.values[i + j + k];
        halves[1] += block.values[j + 16 + k] * x.values[i + j + 16 + k];
      }
      // At most 32 * 128 * 127 * 128 in magnitude.
      const std::int32_t sum =
          halves[0] * block.sub_scales[j / 16] + halves[1] * block.sub_scales[j / 16 + 1];
      const double scale =
          static_cast<double>(block.scale) * static_cast<double>(x.scales[(i + j) / 32]);
      total += scale * sum;
    }
  }
  return static_cast<float>(total);
}

}  // namespace thermocline::kernels::scalar
