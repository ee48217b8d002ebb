// How the quantised blocks are read with 256-bit registers. Shared by the AVX2 and the AVX-512
// sources, which include their intrinsics first.
//
// Everything here and in the other SIMD headers has internal linkage, and they include nothing from
// the standard library but integer types: an inline function compiled with these instructions could
// otherwise replace its portable twin at link time and crash on an older processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thermocline::kernels {
namespace {

inline std::uint32_t load_u16(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0] | at[1] << 8);
}

inline std::uint32_t load_u32(const std::uint8_t* at) {
  return load_u16(at) | load_u16(at + 2) << 16;
}

inline float half_at(const std::uint8_t* at) {
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(load_u16(at)))));
}

inline __m128i load_16_bytes(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}

inline __m256i load_32_bytes(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

// 16 bytes to 32: the low nibbles, then the high nibbles.
inline __m256i nibbles(const std::uint8_t* at) {
  const __m128i pairs = load_16_bytes(at);
  const __m256i both =
      _mm256_inserti128_si256(_mm256_castsi128_si256(pairs), _mm_srli_epi16(pairs, 4), 1);
  return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// A block type's `for_each_run` calls visit(index, values, first_scale, last_scale) for each 32
// weights: weight = value * scale, with one scale for the first 16 and one for the last 16. Types
// with `offset` store value + offset as unsigned bytes (`stored`), which suits multiplications of
// unsigned by signed.

struct Q4_0 {
  static constexpr std::size_t length = 32, bytes = 18;
  static constexpr int offset = 8;
  static __m256i stored(const std::uint8_t* block) { return nibbles(block + 2); }
  template <class Visit>
  static void for_each_run(const std::uint8_t* block, Visit visit) {
    const float scale = half_at(block);
    visit(0, _mm256_sub_epi8(stored(block), _mm256_set1_epi8(offset)), scale, scale);
  }
};

struct Q5_0 {
  static constexpr std::size_t length = 32, bytes = 22;
  static constexpr int offset = 16;
  static __m256i stored(const std::uint8_t* block) {
    // Byte i receives the mask's byte i / 8, of which it keeps bit i % 8.
    const __m256i mask = _mm256_set1_epi32(static_cast<int>(load_u32(block + 2)));
    const __m256i spread = _mm256_shuffle_epi8(
        mask, _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ull));
    const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    const __m256i high = _mm256_and_si256(is_set, _mm256_set1_epi8(16));
    return _mm256_or_si256(nibbles(block + 6), high);
  }
  template <class Visit>
  static void for_each_run(const std::uint8_t* block, Visit visit) {
    const float scale = half_at(block);
    visit(0, _mm256_sub_epi8(stored(block), _mm256_set1_epi8(offset)), scale, scale);
  }
};

struct Q8_0 {
  static constexpr std::size_t length = 32, bytes = 34;
  static __m256i values(const std::uint8_t* block) { return load_32_bytes(block + 2); }
  template <class Visit>
  static void for_each_run(const std::uint8_t* block, Visit visit) {
    const float scale = half_at(block);
    visit(0, values(block), scale, scale);
  }
};

struct Q6_K {
  static constexpr std::size_t length = 256, bytes = 210;
  static constexpr int offset = 32;
  static constexpr std::size_t high_at = 128, scales_at = 192, scale_at = 208;

  // Calls visit(index, stored) for the eight runs of a block.
  template <class Visit>
  static void for_each_stored(const std::uint8_t* block, Visit visit) {
    const __m256i low_bits = _mm256_set1_epi8(15);
    const __m256i high_bits = _mm256_set1_epi8(0x30);
    for (std::size_t half = 0; half < 2; ++half) {
      const __m256i a = load_32_bytes(block + 64 * half);
      const __m256i b = load_32_bytes(block + 64 * half + 32);
      const __m256i high = load_32_bytes(block + high_at + 32 * half);
      // The shifts cross bytes; what comes from a neighbour falls to the mask.
      const __m256i high_a = _mm256_and_si256(_mm256_slli_epi16(high, 4), high_bits);
      const __m256i high_b = _mm256_and_si256(_mm256_slli_epi16(high, 2), high_bits);
      const __m256i high_c = _mm256_and_si256(high, high_bits);
      const __m256i high_d = _mm256_and_si256(_mm256_srli_epi16(high, 2), high_bits);
      const __m256i low_c = _mm256_and_si256(_mm256_srli_epi16(a, 4), low_bits);
      const __m256i low_d = _mm256_and_si256(_mm256_srli_epi16(b, 4), low_bits);
      visit(4 * half, _mm256_or_si256(_mm256_and_si256(a, low_bits), high_a));
      visit(4 * half + 1, _mm256_or_si256(_mm256_and_si256(b, low_bits), high_b));
      visit(4 * half + 2, _mm256_or_si256(low_c, high_c));
      visit(4 * half + 3, _mm256_or_si256(low_d, high_d));
    }
  }

  template <class Visit>
  static void for_each_run(const std::uint8_t* block, Visit visit) {
    // Scale times sub-scale has at most 18 significant bits: exact.
    const __m256 scale = _mm256_set1_ps(half_at(block + scale_at));
    const __m128i sub_scales = load_16_bytes(block + scales_at);
    float scales[16];
    _mm256_storeu_ps(scales,
                     _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(sub_scales))));
    _mm256_storeu_ps(scales + 8, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(
                                                          _mm_srli_si128(sub_scales, 8)))));
    for_each_stored(block, [&](std::size_t run, __m256i stored) {
      visit(run, _mm256_sub_epi8(stored, _mm256_set1_epi8(offset)), scales[2 * run],
            scales[2 * run + 1]);
    });
  }
};

}  // namespace
}  // namespace thermocline::kernels
