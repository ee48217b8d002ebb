// Adds a multiple of a row to a vector: the down projection, one active neuron at a time.
#pragma once

#include "kernels/cpu/scalar_blocks.h"

namespace thermocline::kernels::scalar {

template <class Block>
void add_scaled(const void* row, float a, float* y, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  float weights[Block::length];
  for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
    Block::decode(block, weights);
    for (std::size_t j = 0; j < Block::length; ++j)
      y[i + j] += a * weights[j];
  }
}

}  // namespace thermocline::kernels::scalar
