// `Lanes` for AVX2: eight floats in a 256-bit register. See simd_blocks.h for the rules.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace thermocline::kernels {
namespace {

struct Lanes {
  using Float = __m256;
  using Bits16 = __m128i;
  static constexpr std::size_t width = 8;

  static Float zero() { return _mm256_setzero_ps(); }
  static Float broadcast(float value) { return _mm256_set1_ps(value); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float multiply_add(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }

  static Float load(const void* at) { return _mm256_loadu_ps(static_cast<const float*>(at)); }
  static void store(float* at, Float value) { _mm256_storeu_ps(at, value); }
  // Masked loads and stores touch only the chosen lanes' memory.
  static Float load_part(const void* at, std::size_t count) {
    return _mm256_maskload_ps(static_cast<const float*>(at), first_lanes(count));
  }
  static void store_part(float* at, Float value, std::size_t count) {
    _mm256_maskstore_ps(at, first_lanes(count), value);
  }

  static Bits16 load_16_bit(const void* at) {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
  }
  static void store_16_bit(std::uint16_t* at, Bits16 value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), value);
  }
  static Bits16 load_16_bit_part(const void* at, std::size_t count) {
    alignas(16) std::uint8_t bytes[16] = {};
    for (std::size_t i = 0; i < 2 * count; ++i)
      bytes[i] = static_cast<const std::uint8_t*>(at)[i];
    return _mm_load_si128(reinterpret_cast<const __m128i*>(bytes));
  }
  static void store_16_bit_part(std::uint16_t* at, Bits16 value, std::size_t count) {
    alignas(16) std::uint16_t all[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(all), value);
    for (std::size_t i = 0; i < count; ++i)
      at[i] = all[i];
  }

  static Float from_half(Bits16 bits) { return _mm256_cvtph_ps(bits); }
  static Float from_bfloat(Bits16 bits) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
  static Bits16 to_half(Float value) { return _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT); }

  // 32 signed bytes to floats.
  static void from_bytes(__m256i bytes, Float (&parts)[4]) {
    const __m128i low = _mm256_castsi256_si128(bytes);
    const __m128i high = _mm256_extracti128_si256(bytes, 1);
    parts[0] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(low));
    parts[1] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(low, 8)));
    parts[2] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(high));
    parts[3] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(high, 8)));
  }

  static float sum(Float value) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
  }

 private:
  static __m256i first_lanes(std::size_t count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), index);
  }
};

}  // namespace
}  // namespace thermocline::kernels
