// The kernels that work in floats, written once over `Lanes`: the register width that avx2_lanes.h
// or avx512_lanes.h defines. Included after one of them; see simd_blocks.h for the rules.
#pragma once

#include "kernels/cpu/simd_blocks.h"

namespace thermocline::kernels {
namespace {

using Float = Lanes::Float;

// The formats without blocks. `load_part` reads `count` < width weights and fills up with zeros.
struct F32 {
  static constexpr std::size_t bytes = 4;
  static Float load(const std::uint8_t* at) { return Lanes::load(at); }
  static Float load_part(const std::uint8_t* at, std::size_t count) {
    return Lanes::load_part(at, count);
  }
};

struct F16 {
  static constexpr std::size_t bytes = 2;
  static Float load(const std::uint8_t* at) { return Lanes::from_half(Lanes::load_16_bit(at)); }
  static Float load_part(const std::uint8_t* at, std::size_t count) {
    return Lanes::from_half(Lanes::load_16_bit_part(at, count));
  }
};

struct BF16 {
  static constexpr std::size_t bytes = 2;
  static Float load(const std::uint8_t* at) { return Lanes::from_bfloat(Lanes::load_16_bit(at)); }
  static Float load_part(const std::uint8_t* at, std::size_t count) {
    return Lanes::from_bfloat(Lanes::load_16_bit_part(at, count));
  }
};

template <class Plain>
void dequantize_plain(const void* row, float* out, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  std::size_t i = 0;
  for (; n - i >= Lanes::width; i += Lanes::width) {
    Lanes::store(out + i, Plain::load(at + i * Plain::bytes));
  }
  if (i < n) {
    Lanes::store_part(out + i, Plain::load_part(at + i * Plain::bytes, n - i), n - i);
  }
}

template <class Plain>
float dot_plain(const void* row, const float* x, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  constexpr std::size_t width = Lanes::width;
  const auto product = [&](std::size_t i, Float sum) {
    return Lanes::multiply_add(Plain::load(at + i * Plain::bytes), Lanes::load(x + i), sum);
  };
  Float a = Lanes::zero(), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; n - i >= 4 * width; i += 4 * width) {
    a = product(i, a);
    b = product(i + width, b);
    c = product(i + 2 * width, c);
    d = product(i + 3 * width, d);
  }
  for (; n - i >= width; i += width)
    a = product(i, a);
  if (i < n) {
    b = Lanes::multiply_add(Plain::load_part(at + i * Plain::bytes, n - i),
                            Lanes::load_part(x + i, n - i), b);
  }
  return Lanes::sum(Lanes::add(Lanes::add(a, b), Lanes::add(c, d)));
}

template <class Plain>
void add_scaled_plain(const void* row, float a, float* y, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  const Float factor = Lanes::broadcast(a);
  std::size_t i = 0;
  for (; n - i >= Lanes::width; i += Lanes::width) {
    const Float weights = Plain::load(at + i * Plain::bytes);
    Lanes::store(y + i, Lanes::multiply_add(weights, factor, Lanes::load(y + i)));
  }
  if (i < n) {
    const std::size_t rest = n - i;
    const Float weights = Plain::load_part(at + i * Plain::bytes, rest);
    const Float sum = Lanes::multiply_add(weights, factor, Lanes::load_part(y + i, rest));
    Lanes::store_part(y + i, sum, rest);
  }
}

// A run of 32 weights takes this many registers, half of them for each of its two scales.
inline constexpr std::size_t run_parts = 32 / Lanes::width;

template <class Block>
void dequantize_blocks(const void* row, float* out, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
    Block::for_each_run(block, [&](std::size_t run, __m256i values, float first, float last) {
      float* at = out + i + 32 * run;
      Float parts[run_parts];
      Lanes::from_bytes(values, parts);
      for (std::size_t k = 0; k < run_parts; ++k) {
        const Float scale = Lanes::broadcast(k < run_parts / 2 ? first : last);
        Lanes::store(at + k * Lanes::width, Lanes::multiply(parts[k], scale));
      }
    });
  }
}

template <class Block>
float dot_blocks(const void* row, const float* x, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  Float sums[2] = {Lanes::zero(), Lanes::zero()};
  for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
    Block::for_each_run(block, [&](std::size_t run, __m256i values, float first, float last) {
      const float* at = x + i + 32 * run;
      Float parts[run_parts];
      Lanes::from_bytes(values, parts);
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t begin = half * (run_parts / 2);
        Float sum = Lanes::multiply(parts[begin], Lanes::load(at + begin * Lanes::width));
        for (std::size_t k = begin + 1; k < begin + run_parts / 2; ++k) {
          sum = Lanes::multiply_add(parts[k], Lanes::load(at + k * Lanes::width), sum);
        }
        const Float scale = Lanes::broadcast(half == 0 ? first : last);
        sums[half] = Lanes::multiply_add(sum, scale, sums[half]);
      }
    });
  }
  return Lanes::sum(Lanes::add(sums[0], sums[1]));
}

template <class Block>
void add_scaled_blocks(const void* row, float a, float* y, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  for (std::size_t i = 0; i < n; i += Block::length, block += Block::bytes) {
    Block::for_each_run(block, [&](std::size_t run, __m256i values, float first, float last) {
      float* at = y + i + 32 * run;
      Float parts[run_parts];
      Lanes::from_bytes(values, parts);
      const Float factors[2] = {Lanes::broadcast(a * first), Lanes::broadcast(a * last)};
      for (std::size_t k = 0; k < run_parts; ++k) {
        float* to = at + k * Lanes::width;
        const Float factor = factors[k < run_parts / 2 ? 0 : 1];
        Lanes::store(to, Lanes::multiply_add(parts[k], factor, Lanes::load(to)));
      }
    });
  }
}

inline void to_half(const float* x, std::uint16_t* out, std::size_t n) {
  std::size_t i = 0;
  for (; n - i >= Lanes::width; i += Lanes::width) {
    Lanes::store_16_bit(out + i, Lanes::to_half(Lanes::load(x + i)));
  }
  if (i < n) {
    Lanes::store_16_bit_part(out + i, Lanes::to_half(Lanes::load_part(x + i, n - i)), n - i);
  }
}

}  // namespace
}  // namespace thermocline::kernels
