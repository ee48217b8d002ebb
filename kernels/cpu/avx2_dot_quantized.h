// Dot products of quantised rows with 8-bit activations in AVX2. The 8-bit products are summed in
// pairs by an instruction that saturates at 16 bits; the bounds beside each use show that it never
// does.
#pragma once

#include "kernels/cpu/avx2_lanes.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd_blocks.h"

namespace thermocline::kernels {
namespace {

// Pairwise sums of (stored - offset) * x. Each of the two terms is at most 2 * 63 * 127 = 16002
// (for Q6_K), so neither they nor their difference leave 16 bits.
template <int offset>
__m256i pair_sums(__m256i stored, __m256i x) {
  return _mm256_sub_epi16(_mm256_maddubs_epi16(stored, x),
                          _mm256_maddubs_epi16(_mm256_set1_epi8(offset), x));
}

// Sums of four adjacent products, value times x, for one block of 32.
template <class Block>
__m256i quad_sums(const std::uint8_t* block, const std::int8_t* x) {
  const __m256i activations = load_32_bytes(x);
  const __m256i ones = _mm256_set1_epi16(1);
  if constexpr (requires { Block::offset; }) {
    return _mm256_madd_epi16(pair_sums<Block::offset>(Block::stored(block), activations), ones);
  } else {
    // |value| is an unsigned byte, x takes its sign: at most 2 * 128 * 127 = 32512.
    const __m256i values = Block::values(block);
    const __m256i magnitudes = _mm256_abs_epi8(values);
    const __m256i signed_x = _mm256_sign_epi8(activations, values);
    return _mm256_madd_epi16(_mm256_maddubs_epi16(magnitudes, signed_x), ones);
  }
}

template <class Block>
float dot_quantized_blocks(const void* row, const QuantizedVector& x, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  const auto product = [&](std::size_t block, __m256 sum) {
    const std::uint8_t* weights = at + block * Block::bytes;
    const __m256i integers = quad_sums<Block>(weights, x.values + 32 * block);
    const __m256 scale = _mm256_set1_ps(half_at(weights) * x.scales[block]);
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(integers), scale, sum);
  };
  __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
  const std::size_t blocks = n / 32;
  std::size_t block = 0;
  for (; blocks - block >= 4; block += 4) {
    a = product(block, a);
    b = product(block + 1, b);
    c = product(block + 2, c);
    d = product(block + 3, d);
  }
  for (; block < blocks; ++block)
    a = product(block, a);
  return Lanes::sum(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)));
}

inline float dot_quantized_q6_k(const void* row, const QuantizedVector& x, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  // Even sub-scales belong to the first 16 weights of a run, odd ones to the last 16: the shuffle
  // puts them into the lower and the upper half.
  const __m128i evens_then_odds =
      _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  __m256 sums[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
  for (std::size_t i = 0; i < n; i += Q6_K::length, block += Q6_K::bytes) {
    const __m256i sub_scales = _mm256_cvtepi8_epi16(
        _mm_shuffle_epi8(load_16_bytes(block + Q6_K::scales_at), evens_then_odds));
    const float scale = half_at(block + Q6_K::scale_at);
    Q6_K::for_each_stored(block, [&](std::size_t run, __m256i stored) {
      const std::size_t at = i + 32 * run;
      const __m256i pairs = pair_sums<Q6_K::offset>(stored, load_32_bytes(x.values + at));
      // Both halves' element `run`, in all lanes. The sums are below 2^24, so exact as floats.
      const int element = static_cast<int>(2 * run | (2 * run + 1) << 8);
      const __m256i chosen =
          _mm256_shuffle_epi8(sub_scales, _mm256_set1_epi16(static_cast<short>(element)));
      const __m256 integers = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, chosen));
      const __m256 factor = _mm256_set1_ps(scale * x.scales[at / 32]);
      sums[run % 2] = _mm256_fmadd_ps(integers, factor, sums[run % 2]);
    });
  }
  return Lanes::sum(_mm256_add_ps(sums[0], sums[1]));
}

}  // namespace
}  // namespace thermocline::kernels
