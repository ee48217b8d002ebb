// `Lanes` for AVX-512: sixteen floats in a 512-bit register. See simd_blocks.h for the rules.
#pragma once

#include "kernels/cpu/avx512_intrinsics.h"

namespace thermocline::kernels {
namespace {

struct Lanes {
  using Float = __m512;
  using Bits16 = __m256i;
  static constexpr std::size_t width = 16;

  static Float zero() { return _mm512_setzero_ps(); }
  static Float broadcast(float value) { return _mm512_set1_ps(value); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }

  static Float load(const void* at) { return _mm512_loadu_ps(at); }
  static void store(float* at, Float value) { _mm512_storeu_ps(at, value); }
  // Masked loads and stores touch only the chosen lanes' memory.
  static Float load_part(const void* at, std::size_t count) {
    return _mm512_maskz_loadu_ps(first_lanes(count), at);
  }
  static void store_part(float* at, Float value, std::size_t count) {
    _mm512_mask_storeu_ps(at, first_lanes(count), value);
  }

  static Bits16 load_16_bit(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
  }
  static void store_16_bit(std::uint16_t* at, Bits16 value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), value);
  }
  static Bits16 load_16_bit_part(const void* at, std::size_t count) {
    return _mm256_maskz_loadu_epi16(first_lanes(count), at);
  }
  static void store_16_bit_part(std::uint16_t* at, Bits16 value, std::size_t count) {
    _mm256_mask_storeu_epi16(at, first_lanes(count), value);
  }

  static Float from_half(Bits16 bits) { return _mm512_cvtph_ps(bits); }
  static Float from_bfloat(Bits16 bits) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
  static Bits16 to_half(Float value) { return _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT); }

  // 32 signed bytes to floats.
  static void from_bytes(__m256i bytes, Float (&parts)[2]) {
    parts[0] = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_castsi256_si128(bytes)));
    parts[1] = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_extracti128_si256(bytes, 1)));
  }

  static float sum(Float value) {
    const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(value), 1));
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(value), upper);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
  }

 private:
  static std::uint16_t first_lanes(std::size_t count) {
    return static_cast<std::uint16_t>((1u << count) - 1u);
  }
};

}  // namespace
}  // namespace thermocline::kernels
