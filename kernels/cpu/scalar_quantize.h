// Floats to the narrower kinds: activations to 8-bit blocks, keys and values to halves.
#pragma once

#include <bit>
#include <limits>

#include "kernels/cpu/half.h"
#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels::scalar {

// Nearest integer, ties to even, of |value| < 2^22: the addition pushes the fraction out.
inline std::int32_t round_to_even(float value) {
  return std::bit_cast<std::int32_t>(value + 0x1.8p23f) - std::bit_cast<std::int32_t>(0x1.8p23f);
}

inline void quantize(const float* x, std::size_t n, std::int8_t* values, float* scales,
                     std::int32_t* block_sums) {
  for (std::size_t i = 0; i < n; i += 32) {
    // Magnitudes compare as integers, where a NaN is the largest instead of getting lost.
    std::uint32_t largest_bits = 0;
    for (std::size_t j = 0; j < 32; ++j) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i + j]) & 0x7fffffffu;
      largest_bits = bits > largest_bits ? bits : largest_bits;
    }
    const float largest = std::bit_cast<float>(largest_bits);
    float scale = largest / 127.0f;
    float inverse = largest_bits == 0 ? 0.0f : 127.0f / largest;
    if (largest_bits >= 0x7f800000u) {
      scale = std::numeric_limits<float>::quiet_NaN();
      inverse = 0;
    } else if (inverse > std::numeric_limits<float>::max()) {
      scale = inverse = 0;
    }
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < 32; ++j) {
      const std::int32_t value = inverse == 0 ? 0 : round_to_even(x[i + j] * inverse);
      values[i + j] = static_cast<std::int8_t>(value);
      sum += value;
    }
    scales[i / 32] = scale;
    block_sums[i / 32] = sum;
  }
}

inline void to_half(const float* x, std::uint16_t* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = float_to_half(x[i]);
}

}  // namespace thermocline::kernels::scalar
