// Puts an AVX-512 table together for one way of multiplying bytes. See simd_blocks.h for the rules.
#pragma once

#include "kernels/cpu/avx512_dot_quantized.h"
#include "kernels/cpu/avx512_lanes.h"
#include "kernels/cpu/level_tables.h"
#include "kernels/cpu/simd_float_kernels.h"
#include "kernels/cpu/simd_quantize.h"

namespace thermocline::kernels {
namespace {

template <class Plain>
constexpr FormatKernels plain() {
  return {dequantize_plain<Plain>, dot_plain<Plain>, nullptr, add_scaled_plain<Plain>};
}

template <class Block>
constexpr FormatKernels quantized(float (*dot_quantized)(const void*, const QuantizedVector&,
                                                         std::size_t)) {
  return {dequantize_blocks<Block>, dot_blocks<Block>, dot_quantized, add_scaled_blocks<Block>};
}

template <class Multiply>
constexpr KernelTable avx512_table(const char* name) {
  return {
      CpuLevel::avx512,
      name,
      {plain<F32>(), plain<F16>(), plain<BF16>(),
       quantized<Q4_0>(dot_quantized_blocks<Multiply, Q4_0>),
       quantized<Q5_0>(dot_quantized_blocks<Multiply, Q5_0>),
       quantized<Q8_0>(dot_quantized_blocks<Multiply, Q8_0>), quantized<Q6_K>(dot_quantized_q6_k)},
      quantize,
      to_half};
}

}  // namespace
}  // namespace thermocline::kernels
