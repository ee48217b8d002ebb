// Dot product of a row with unrounded activations. Products and sums are doubles, which makes this
// the level the others are measured against.
#pragma once

#include "kernels/cpu/scalar_blocks.h"

namespace thermocline::kernels::scalar {

template <class Block>
float dot(const void* row, const float* x, std::size_t n) {
  // Independent sums hide the latency of additions.
  constexpr std::size_t sum_count = 8;
  double sums[sum_count] = {};
  const auto* block = static_cast<const std::uint8_t*>(row);
  float weights[Block::length];
  if constexpr (Block::length == 1) {
    for (std::size_t i = 0; i < n; ++i, block += Block::bytes) {
      Block::decode(block, weights);
      sums[i % sum_count] += static_cast<double>(weights[0]) * static_cast<double>(x[i]);
    }
  } else {
    for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
      Block::decode(block, weights);
      for (std::size_t j = 0; j < Block::length; j += sum_count) {
        for (std::size_t k = 0; k < sum_count; ++k) {
          sums[k] += static_cast<double>(weights[j + k]) * static_cast<double>(x[i + j + k]);
        }
      }
    }
  }
  double total = 0;
  for (const double sum : sums)
    total += sum;
  return static_cast<float>(total);
}

}  // namespace thermocline::kernels::scalar
