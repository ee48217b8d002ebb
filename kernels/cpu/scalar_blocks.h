// How each number format's block is read, in portable C++. A block type has `length` (weights),
// `bytes`, and `decode`, which writes the block's weights; the quantised ones have `Integers` too.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/half.h"
#include "kernels/cpu/number_format.h"

namespace thermocline::kernels::scalar {

inline std::uint16_t load_u16(const std::uint8_t* at) {
  return static_cast<std::uint16_t>(at[0] | at[1] << 8);
}

// A quantised block taken apart: weight i = values[i] * sub_scales[i / 16] * scale.
template <std::size_t length>
struct Integers {
  float scale;
  std::int8_t sub_scales[length / 16];
  std::int8_t values[length];
};

// Every product below has at most 24 significant bits, so it is exact in f32.
template <std::size_t length>
void weights_of(const Integers<length>& block, float* out) {
  for (std::size_t i = 0; i < length; ++i) {
    const int integer = block.sub_scales[i / 16] * block.values[i];
    out[i] = block.scale * static_cast<float>(integer);
  }
}

struct F32 {
  static constexpr std::size_t length = 1, bytes = 4;
  static void decode(const std::uint8_t* block, float* out) { std::memcpy(out, block, 4); }
};

struct F16 {
  static constexpr std::size_t length = 1, bytes = 2;
  static void decode(const std::uint8_t* block, float* out) {
    *out = half_to_float(load_u16(block));
  }
};

struct BF16 {
  static constexpr std::size_t length = 1, bytes = 2;
  static void decode(const std::uint8_t* block, float* out) {
    *out = bfloat_to_float(load_u16(block));
  }
};

struct Q4_0 {
  static constexpr std::size_t length = 32, bytes = 18;
  static Integers<32> integers(const std::uint8_t* block) {
    Integers<32> out{half_to_float(load_u16(block)), {1, 1}, {}};
    for (std::size_t j = 0; j < 16; ++j) {
      const std::uint8_t pair = block[2 + j];
      out.values[j] = static_cast<std::int8_t>((pair & 15) - 8);
      out.values[j + 16] = static_cast<std::int8_t>((pair >> 4) - 8);
    }
    return out;
  }
  static void decode(const std::uint8_t* block, float* out) { weights_of(integers(block), out); }
};

struct Q5_0 {
  static constexpr std::size_t length = 32, bytes = 22;
  static Integers<32> integers(const std::uint8_t* block) {
    Integers<32> out{half_to_float(load_u16(block)), {1, 1}, {}};
    const std::uint32_t high = load_u16(block + 2) | std::uint32_t{load_u16(block + 4)} << 16;
    for (std::size_t j = 0; j < 16; ++j) {
      const std::uint8_t pair = block[6 + j];
      const std::uint32_t first = (pair & 15u) | (high >> j & 1u) << 4;
      const std::uint32_t second = (pair >> 4u) | (high >> (j + 16) & 1u) << 4;
      out.values[j] = static_cast<std::int8_t>(static_cast<int>(first) - 16);
      out.values[j + 16] = static_cast<std::int8_t>(static_cast<int>(second) - 16);
    }
    return out;
  }
  static void decode(const std::uint8_t* block, float* out) { weights_of(integers(block), out); }
};

struct Q8_0 {
  static constexpr std::size_t length = 32, bytes = 34;
  static Integers<32> integers(const std::uint8_t* block) {
    Integers<32> out{half_to_float(load_u16(block)), {1, 1}, {}};
    std::memcpy(out.values, block + 2, 32);
    return out;
  }
  static void decode(const std::uint8_t* block, float* out) { weights_of(integers(block), out); }
};

struct Q6_K {
  static constexpr std::size_t length = 256, bytes = 210;
  static Integers<256> integers(const std::uint8_t* block) {
    Integers<256> out{half_to_float(load_u16(block + 208)), {}, {}};
    std::memcpy(out.sub_scales, block + 192, 16);
    for (std::size_t half = 0; half < 2; ++half) {
      const std::uint8_t* low = block + 64 * half;
      const std::uint8_t* high = block + 128 + 32 * half;
      std::int8_t* values = out.values + 128 * half;
      for (std::size_t l = 0; l < 32; ++l) {
        const int h = high[l];
        values[l] = static_cast<std::int8_t>(((low[l] & 15) | (h & 3) << 4) - 32);
        values[l + 32] = static_cast<std::int8_t>(((low[l + 32] & 15) | (h >> 2 & 3) << 4) - 32);
        values[l + 64] = static_cast<std::int8_t>((low[l] >> 4 | (h >> 4 & 3) << 4) - 32);
        values[l + 96] = static_cast<std::int8_t>((low[l + 32] >> 4 | (h >> 6 & 3) << 4) - 32);
      }
    }
    return out;
  }
  static void decode(const std::uint8_t* block, float* out) { weights_of(integers(block), out); }
};

}  // namespace thermocline::kernels::scalar
