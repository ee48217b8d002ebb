// Quantises activations to 8-bit blocks with 256-bit registers: a block of 32 floats is four of
// them, so wider ones would gain little. See simd_blocks.h for the rules.
#pragma once

#include "kernels/cpu/simd_blocks.h"

namespace thermocline::kernels {
namespace {

inline std::int32_t largest_of(__m256i values) {
  __m128i best = _mm_max_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
  best = _mm_max_epi32(best, _mm_shuffle_epi32(best, 0x4e));
  best = _mm_max_epi32(best, _mm_shuffle_epi32(best, 0xb1));
  return _mm_cvtsi128_si32(best);
}

inline std::int32_t sum_of(__m256i values) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(values), _mm256_extracti128_si256(values, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

inline void quantize(const float* x, std::size_t n, std::int8_t* values, float* scales,
                     std::int32_t* block_sums) {
  // Bit patterns of floats without their signs; they compare as integers, NaN being the largest.
  constexpr std::int32_t infinity = 0x7f800000;
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  for (std::size_t i = 0; i < n; i += 32) {
    const __m256 a = _mm256_loadu_ps(x + i), b = _mm256_loadu_ps(x + i + 8);
    const __m256 c = _mm256_loadu_ps(x + i + 16), d = _mm256_loadu_ps(x + i + 24);
    const __m256i ab = _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(a), magnitude),
                                        _mm256_and_si256(_mm256_castps_si256(b), magnitude));
    const __m256i cd = _mm256_max_epi32(_mm256_and_si256(_mm256_castps_si256(c), magnitude),
                                        _mm256_and_si256(_mm256_castps_si256(d), magnitude));
    const std::int32_t largest_bits = largest_of(_mm256_max_epi32(ab, cd));
    const float largest = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(largest_bits)));

    std::int8_t* out = values + i;
    const float inverse = largest_bits == 0 ? 0.0f : 127.0f / largest;
    const bool finite = largest_bits < infinity;
    if (!finite || largest_bits == 0 || inverse > 0x1.fffffep127f) {
      const std::int32_t scale_bits = finite ? 0 : 0x7fc00000;
      scales[i / 32] = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(scale_bits)));
      block_sums[i / 32] = 0;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_setzero_si256());
      continue;
    }
    scales[i / 32] = largest / 127.0f;
    const __m256 factor = _mm256_set1_ps(inverse);
    const __m256i qa = _mm256_cvtps_epi32(_mm256_mul_ps(a, factor));
    const __m256i qb = _mm256_cvtps_epi32(_mm256_mul_ps(b, factor));
    const __m256i qc = _mm256_cvtps_epi32(_mm256_mul_ps(c, factor));
    const __m256i qd = _mm256_cvtps_epi32(_mm256_mul_ps(d, factor));
    block_sums[i / 32] =
        sum_of(_mm256_add_epi32(_mm256_add_epi32(qa, qb), _mm256_add_epi32(qc, qd)));
    // Packing works within 128-bit halves, which leaves groups of four to be put in order.
    const __m256i packed =
        _mm256_packs_epi16(_mm256_packs_epi32(qa, qb), _mm256_packs_epi32(qc, qd));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(packed, order));
  }
}

}  // namespace
}  // namespace thermocline::kernels
