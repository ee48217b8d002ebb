// Weights to floats, one block after another.
#pragma once

#include "kernels/cpu/scalar_blocks.h"

namespace thermocline::kernels::scalar {

template <class Block>
void dequantize(const void* row, float* out, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
    Block::decode(block, out + i);
  }
}

}  // namespace thermocline::kernels::scalar
