// The portable kernels as a table: the reference for every other level, and the fallback
// everywhere.
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/scalar_add_scaled.h"
#include "kernels/cpu/scalar_dequantize.h"
#include "kernels/cpu/scalar_dot.h"
#include "kernels/cpu/scalar_dot_quantized.h"
#include "kernels/cpu/scalar_quantize.h"

namespace thermocline::kernels {
namespace {

template <class Block>
constexpr FormatKernels plain() {
  return {scalar::dequantize<Block>, scalar::dot<Block>, nullptr, scalar::add_scaled<Block>};
}

template <class Block>
constexpr FormatKernels quantized() {
  return {scalar::dequantize<Block>, scalar::dot<Block>, scalar::dot_quantized<Block>,
          scalar::add_scaled<Block>};
}

constexpr KernelTable table = {
    CpuLevel::scalar,
    "scalar",
    {plain<scalar::F32>(), plain<scalar::F16>(), plain<scalar::BF16>(), quantized<scalar::Q4_0>(),
     quantized<scalar::Q5_0>(), quantized<scalar::Q8_0>(), quantized<scalar::Q6_K>()},
    scalar::quantize,
    scalar::to_half};

}  // namespace

const KernelTable& scalar_kernels() {
  return table;
}

}  // namespace thermocline::kernels
