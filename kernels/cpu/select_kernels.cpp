// Chooses the table for a processor.
#include "kernels/cpu/level_tables.h"

namespace thermocline::kernels {

const KernelTable& select_kernels([[maybe_unused]] const CpuFeatures& features,
                                  [[maybe_unused]] CpuLevel limit) {
#if defined(THERMOCLINE_X86_KERNELS)
  // The AVX-512 sources use AVX2, FMA and F16C instructions as well.
  if (limit >= CpuLevel::avx512 && features.avx2 && features.avx512) {
    return features.avx512_vnni ? avx512_vnni_kernels() : avx512_kernels();
  }
  if (limit >= CpuLevel::avx2 && features.avx2) return avx2_kernels();
#endif
  return scalar_kernels();
}

}  // namespace thermocline::kernels
