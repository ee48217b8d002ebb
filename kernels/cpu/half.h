// Conversions between 32-bit floats and the two 16-bit kinds: IEEE half (f16) and bfloat16, both
// held as raw bits. They match the x86 F16C instructions bit for bit, including quieted NaNs.
#pragma once

#include <bit>
#include <cstdint>

namespace thermocline::kernels {

// Exact; a signalling NaN comes out quiet, the rest of its payload kept.
constexpr float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00) {
    const std::uint32_t quiet = magnitude > 0x7c00 ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13 | quiet);
  }
  if (magnitude < 0x400) {  // zero or subnormal: magnitude * 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

// Rounds to nearest, ties to even. What rounds to 65520 or more becomes infinity.
constexpr std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  std::uint32_t half = 0;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520, half-way between the largest half and 2^16
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24
    // Adding 0.5 leaves 24 - 1 bits below it, so the sum's last bit is 2^-24: the addition rounds.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    half = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u;
  } else {
    const std::uint32_t odd = magnitude >> 13 & 1u;
    half = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

// Exact; bits are copied, so a signalling NaN stays one.
constexpr float bfloat_to_float(std::uint16_t bfloat) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

}  // namespace thermocline::kernels
