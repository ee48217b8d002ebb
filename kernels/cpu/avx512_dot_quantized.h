// Dot products of quantised rows with 8-bit activations in AVX-512, two blocks of 32 at a time. How
// bytes are multiplied is a parameter: with VNNI there is an instruction for four products at once.
#pragma once

#include "kernels/cpu/avx512_lanes.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/simd_blocks.h"

namespace thermocline::kernels {
namespace {

inline __m512i join(__m256i low, __m256i high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

// The nibbles of 16 bytes at `a` and at `b`: 32 from each, low ones first.
inline __m512i nibble_pairs(const std::uint8_t* a, const std::uint8_t* b) {
  const __m256i both =
      _mm256_inserti128_si256(_mm256_castsi128_si256(load_16_bytes(a)), load_16_bytes(b), 1);
  const __m512i twice = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 1, 0, 1, 2, 3, 2, 3),
                                                 _mm512_castsi256_si512(both));
  const __m512i shifted = _mm512_srlv_epi64(twice, _mm512_setr_epi64(0, 0, 4, 4, 0, 0, 4, 4));
  return _mm512_and_si512(shifted, _mm512_set1_epi8(15));
}

// The stored bytes of two blocks, side by side.
inline __m512i stored_pair(Q4_0, const std::uint8_t* a, const std::uint8_t* b) {
  return nibble_pairs(a + 2, b + 2);
}

inline __m512i stored_pair(Q5_0, const std::uint8_t* a, const std::uint8_t* b) {
  const std::uint64_t high = std::uint64_t{load_u32(a + 2)} | std::uint64_t{load_u32(b + 2)} << 32;
  return _mm512_or_si512(nibble_pairs(a + 6, b + 6), _mm512_maskz_set1_epi8(high, 16));
}

// Pairwise sums of (stored - offset) * x; see avx2_dot_quantized.h for why nothing saturates.
template <int offset>
__m512i wide_pair_sums(__m512i stored, __m512i x) {
  return _mm512_sub_epi16(_mm512_maddubs_epi16(stored, x),
                          _mm512_maddubs_epi16(_mm512_set1_epi8(offset), x));
}

// Sums of four adjacent products, for bytes stored with an offset and for signed ones.
struct MultiplyInPairs {
  template <int offset>
  static __m512i with_offset(__m512i stored, __m512i x) {
    return _mm512_madd_epi16(wide_pair_sums<offset>(stored, x), _mm512_set1_epi16(1));
  }
  static __m512i magnitude_by_signed(__m512i magnitudes, __m512i x) {
    return _mm512_madd_epi16(_mm512_maddubs_epi16(magnitudes, x), _mm512_set1_epi16(1));
  }
};

template <class Multiply, class Block>
__m512i wide_quad_sums(const std::uint8_t* a, const std::uint8_t* b, __m512i x) {
  if constexpr (requires { Block::offset; }) {
    return Multiply::template with_offset<Block::offset>(stored_pair(Block{}, a, b), x);
  } else {
    const __m512i values = join(Block::values(a), Block::values(b));
    const std::uint64_t negative = _mm512_movepi8_mask(values);
    const __m512i signed_x = _mm512_mask_sub_epi8(x, negative, _mm512_setzero_si512(), x);
    return Multiply::magnitude_by_signed(_mm512_abs_epi8(values), signed_x);
  }
}

inline __m512 two_scales(float low, float high) {
  return _mm512_mask_mov_ps(_mm512_set1_ps(low), std::uint16_t{0xff00}, _mm512_set1_ps(high));
}

template <class Multiply, class Block>
float dot_quantized_blocks(const void* row, const QuantizedVector& x, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  const auto product = [&](std::size_t block, __m512 sum) {
    const std::uint8_t* a = at + block * Block::bytes;
    const std::uint8_t* b = a + Block::bytes;
    const __m512i activations = _mm512_loadu_si512(x.values + 32 * block);
    const __m512i integers = wide_quad_sums<Multiply, Block>(a, b, activations);
    const __m512 scales =
        two_scales(half_at(a) * x.scales[block], half_at(b) * x.scales[block + 1]);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(integers), scales, sum);
  };
  __m512 first = _mm512_setzero_ps(), second = first;
  const std::size_t blocks = n / 32;
  std::size_t block = 0;
  for (; blocks - block >= 4; block += 4) {
    first = product(block, first);
    second = product(block + 2, second);
  }
  if (blocks - block >= 2) {
    first = product(block, first);
    block += 2;
  }
  if (block < blocks) {
    // The last block fills both halves, the upper one against zeros with scale zero.
    const std::uint8_t* a = at + block * Block::bytes;
    const __m512i activations = join(load_32_bytes(x.values + 32 * block), _mm256_setzero_si256());
    const __m512i integers = wide_quad_sums<Multiply, Block>(a, a, activations);
    const __m512 scales = two_scales(half_at(a) * x.scales[block], 0);
    second = _mm512_fmadd_ps(_mm512_cvtepi32_ps(integers), scales, second);
  }
  return Lanes::sum(_mm512_add_ps(first, second));
}

// The sub-scales multiply pairwise sums, so VNNI's fourfold ones don't fit here.
inline float dot_quantized_q6_k(const void* row, const QuantizedVector& x, std::size_t n) {
  const auto* block = static_cast<const std::uint8_t*>(row);
  const __m512i low_bits = _mm512_set1_epi8(15);
  const __m512i high_bits = _mm512_set1_epi8(0x30);
  const __m512i left = _mm512_setr_epi64(4, 4, 4, 4, 2, 2, 2, 2);
  const __m512i right = _mm512_setr_epi64(0, 0, 0, 0, 2, 2, 2, 2);
  // Lane groups for two runs: four sub-scales of eight 16-bit lanes, two scales of eight floats.
  const __m512i quarter =
      _mm512_setr_epi64(0, 0, 0x0001000100010001, 0x0001000100010001, 0x0002000200020002,
                        0x0002000200020002, 0x0003000300030003, 0x0003000300030003);
  const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  __m512 sums[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
  for (std::size_t i = 0; i < n; i += Q6_K::length, block += Q6_K::bytes) {
    const __m512i sub_scales =
        _mm512_castsi256_si512(_mm256_cvtepi8_epi16(load_16_bytes(block + Q6_K::scales_at)));
    const __m512 scales = _mm512_castps256_ps512(_mm256_mul_ps(
        _mm256_set1_ps(half_at(block + Q6_K::scale_at)), _mm256_loadu_ps(x.scales + i / 32)));
    for (std::size_t half = 0; half < 2; ++half) {
      const __m512i low = _mm512_loadu_si512(block + 64 * half);
      const __m512i high = _mm512_broadcast_i64x4(load_32_bytes(block + Q6_K::high_at + 32 * half));
      // The shifts cross bytes; what comes from a neighbour falls to the mask.
      const __m512i stored[2] = {
          _mm512_or_si512(_mm512_and_si512(low, low_bits),
                          _mm512_and_si512(_mm512_sllv_epi64(high, left), high_bits)),
          _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(low, 4), low_bits),
                          _mm512_and_si512(_mm512_srlv_epi64(high, right), high_bits))};
      for (std::size_t k = 0; k < 2; ++k) {
        const int pair = static_cast<int>(2 * half + k);
        const __m512i activations = _mm512_loadu_si512(x.values + i + 128 * half + 64 * k);
        const __m512i pairs = wide_pair_sums<Q6_K::offset>(stored[k], activations);
        const __m512i chosen = _mm512_permutexvar_epi16(
            _mm512_add_epi16(quarter, _mm512_set1_epi16(static_cast<short>(4 * pair))), sub_scales);
        const __m512 factors =
            _mm512_permutexvar_ps(_mm512_add_epi32(halves, _mm512_set1_epi32(2 * pair)), scales);
        const __m512 integers = _mm512_cvtepi32_ps(_mm512_madd_epi16(pairs, chosen));
        sums[k] = _mm512_fmadd_ps(integers, factors, sums[k]);
      }
    }
  }
  return Lanes::sum(_mm512_add_ps(sums[0], sums[1]));
}

}  // namespace
}  // namespace thermocline::kernels
