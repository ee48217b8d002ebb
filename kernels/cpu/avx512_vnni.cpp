// The kernels for processors with AVX-512 VNNI as well, as a table.
#include "kernels/cpu/avx512_table.h"

namespace thermocline::kernels {
namespace {

// Four products at once, summed in 32 bits: nothing can saturate.
struct MultiplyInFours {
  template <int offset>
  static __m512i with_offset(__m512i stored, __m512i x) {
    const __m512i zero = _mm512_setzero_si512();
    return _mm512_sub_epi32(_mm512_dpbusd_epi32(zero, stored, x),
                            _mm512_dpbusd_epi32(zero, _mm512_set1_epi8(offset), x));
  }
  static __m512i magnitude_by_signed(__m512i magnitudes, __m512i x) {
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), magnitudes, x);
  }
};

}  // namespace
}  // namespace thermocline::kernels

namespace THERMOCLINE_AVX512_NAMESPACE {

const KernelTable& avx512_vnni_kernels() {
  static constexpr KernelTable table = avx512_table<MultiplyInFours>("avx512-vnni");
  return table;
}

}  // namespace THERMOCLINE_AVX512_NAMESPACE
