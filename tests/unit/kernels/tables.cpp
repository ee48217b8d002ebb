// Collects the kernel tables that this machine can run.
#include "tables.h"

#include "kernels/cpu/level_tables.h"
#include "platform/cpu_features.h"

namespace thermocline::kernels::test {

std::vector<NamedTable> usable_tables() {
  std::vector<NamedTable> tables = {{"scalar", &scalar_kernels()}};
#if defined(THERMOCLINE_X86_KERNELS)
  const CpuFeatures features = platform::detect_cpu_features();
  if (features.avx2) tables.push_back({"avx2", &avx2_kernels()});
  if (features.avx512) tables.push_back({"avx512", &avx512_kernels()});
  if (features.avx512_vnni) tables.push_back({"avx512_vnni", &avx512_vnni_kernels()});
#endif
#if defined(THERMOCLINE_HAS_EMULATED_AVX512)
  tables.push_back({"emulated_avx512", &emulated::avx512_kernels()});
  tables.push_back({"emulated_avx512_vnni", &emulated::avx512_vnni_kernels()});
#endif
  return tables;
}

const char* name_of(NumberFormat format) {
  constexpr const char* names[] = {"f32", "f16", "bf16", "q4_0", "q5_0", "q8_0", "q6_k"};
  return names[static_cast<std::size_t>(format)];
}

}  // namespace thermocline::kernels::test
