// The kernels for processors with AVX2, FMA and F16C, as a table.
#include "kernels/cpu/avx2_dot_quantized.h"
#include "kernels/cpu/avx2_lanes.h"
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

constexpr KernelTable table = {
    CpuLevel::avx2,
    "avx2",
    {plain<F32>(), plain<F16>(), plain<BF16>(), quantized<Q4_0>(dot_quantized_blocks<Q4_0>),
     quantized<Q5_0>(dot_quantized_blocks<Q5_0>), quantized<Q8_0>(dot_quantized_blocks<Q8_0>),
     quantized<Q6_K>(dot_quantized_q6_k)},
    quantize,
    to_half};

}  // namespace

const KernelTable& avx2_kernels() {
  return table;
}

}  // namespace thermocline::kernels
