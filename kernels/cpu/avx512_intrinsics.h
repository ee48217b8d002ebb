// The AVX-512 instructions: the compiler's own, or, with THERMOCLINE_EMULATED_AVX512 defined,
// portable stand-ins from SIMDe, so that these kernels are tested on machines that lack the
// instructions. The stand-ins that SIMDe 0.7 lacks or rounds differently follow here.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(THERMOCLINE_EMULATED_AVX512)

#include <immintrin.h>

#define THERMOCLINE_AVX512_NAMESPACE thermocline::kernels

#else

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <simde/x86/fma.h>

#include "kernels/cpu/half.h"

#define THERMOCLINE_AVX512_NAMESPACE thermocline::kernels::emulated

namespace thermocline::kernels {
namespace {

// A register's lanes as an array, there and back.
template <class Lane, std::size_t count>
struct LaneArray {
  Lane lane[count];
};

template <class Lane, class Register>
LaneArray<Lane, sizeof(Register) / sizeof(Lane)> lanes_of(const Register& value) {
  LaneArray<Lane, sizeof(Register) / sizeof(Lane)> out;
  __builtin_memcpy(&out, &value, sizeof out);
  return out;
}

template <class Register, class Lane, std::size_t count>
Register register_of(const LaneArray<Lane, count>& lanes) {
  static_assert(sizeof lanes == sizeof(Register));
  Register out;
  __builtin_memcpy(&out, &lanes, sizeof out);
  return out;
}

template <class Register, class Bits>
Register halves_to_floats(Bits bits) {
  const auto from = lanes_of<std::uint16_t>(bits);
  LaneArray<float, sizeof(Register) / 4> to;
  for (std::size_t i = 0; i < sizeof(Register) / 4; ++i)
    to.lane[i] = half_to_float(from.lane[i]);
  return register_of<Register>(to);
}

inline __m256i emulated_to_half(__m512 value) {
  const auto from = lanes_of<float>(value);
  LaneArray<std::uint16_t, 16> to;
  for (std::size_t i = 0; i < 16; ++i)
    to.lane[i] = float_to_half(from.lane[i]);
  return register_of<__m256i>(to);
}

inline __m512i emulated_widen(__m128i value) {
  const auto from = lanes_of<std::uint8_t>(value);
  LaneArray<std::int32_t, 16> to;
  // Flipping the sign bit and taking its weight off again extends the sign.
  for (std::size_t i = 0; i < 16; ++i)
    to.lane[i] = (from.lane[i] ^ 0x80) - 0x80;
  return register_of<__m512i>(to);
}

inline __m512i emulated_widen_unsigned(__m256i value) {
  const auto from = lanes_of<std::uint16_t>(value);
  LaneArray<std::uint32_t, 16> to;
  for (std::size_t i = 0; i < 16; ++i)
    to.lane[i] = from.lane[i];
  return register_of<__m512i>(to);
}

inline __m512 emulated_to_float(__m512i value) {
  const auto from = lanes_of<std::int32_t>(value);
  LaneArray<float, 16> to;
  for (std::size_t i = 0; i < 16; ++i)
    to.lane[i] = static_cast<float>(from.lane[i]);
  return register_of<__m512>(to);
}

// Masked accesses copy the chosen elements only, as the instructions do.
template <class Register, class Lane>
Register emulated_masked_load(std::uint32_t mask, const void* at) {
  LaneArray<Lane, sizeof(Register) / sizeof(Lane)> out{};
  for (std::size_t i = 0; i < sizeof(Register) / sizeof(Lane); ++i) {
    if ((mask >> i & 1u) == 0) continue;
    __builtin_memcpy(&out.lane[i], static_cast<const char*>(at) + i * sizeof(Lane), sizeof(Lane));
  }
  return register_of<Register>(out);
}

template <class Lane, class Register>
void emulated_masked_store(void* at, std::uint32_t mask, Register value) {
  const auto from = lanes_of<Lane>(value);
  for (std::size_t i = 0; i < sizeof(Register) / sizeof(Lane); ++i) {
    if ((mask >> i & 1u) == 0) continue;
    __builtin_memcpy(static_cast<char*>(at) + i * sizeof(Lane), &from.lane[i], sizeof(Lane));
  }
}

}  // namespace
}  // namespace thermocline::kernels

// NOLINTBEGIN(bugprone-reserved-identifier): the names are those of the instructions.
#undef _mm512_madd_epi16
#undef _mm_cvtph_ps
#undef _mm512_cvtph_ps
#undef _mm512_cvtps_ph
#undef _mm512_cvtepi8_epi32
#undef _mm512_cvtepu16_epi32
#undef _mm512_cvtepi32_ps
#undef _mm512_maskz_loadu_ps
#undef _mm512_mask_storeu_ps
#undef _mm256_maskz_loadu_epi16
#undef _mm256_mask_storeu_epi16
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#define _mm_cvtph_ps(bits) (::thermocline::kernels::halves_to_floats<__m128>(bits))
#define _mm512_cvtph_ps(bits) (::thermocline::kernels::halves_to_floats<__m512>(bits))
#define _mm512_cvtps_ph(value, rounding) (::thermocline::kernels::emulated_to_half(value))
#define _mm512_cvtepi8_epi32(value) (::thermocline::kernels::emulated_widen(value))
#define _mm512_cvtepu16_epi32(value) (::thermocline::kernels::emulated_widen_unsigned(value))
#define _mm512_cvtepi32_ps(value) (::thermocline::kernels::emulated_to_float(value))
#define _mm512_maskz_loadu_ps(mask, at) \
  (::thermocline::kernels::emulated_masked_load<__m512, float>(mask, at))
#define _mm512_mask_storeu_ps(at, mask, value) \
  (::thermocline::kernels::emulated_masked_store<float>(at, mask, value))
#define _mm256_maskz_loadu_epi16(mask, at) \
  (::thermocline::kernels::emulated_masked_load<__m256i, std::uint16_t>(mask, at))
#define _mm256_mask_storeu_epi16(at, mask, value) \
  (::thermocline::kernels::emulated_masked_store<std::uint16_t>(at, mask, value))
// NOLINTEND(bugprone-reserved-identifier)

#endif
