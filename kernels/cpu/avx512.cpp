// The kernels for processors with AVX-512 F, BW, DQ and VL, as a table.
#include "kernels/cpu/avx512_table.h"

namespace THERMOCLINE_AVX512_NAMESPACE {

const KernelTable& avx512_kernels() {
  static constexpr KernelTable table = avx512_table<MultiplyInPairs>("avx512");
  return table;
}

}  // namespace THERMOCLINE_AVX512_NAMESPACE
