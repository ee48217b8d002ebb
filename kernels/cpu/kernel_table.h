// The CPU kernels, one table of functions per instruction-set level. A table is chosen once at
// start; every level computes the same functions and is tested against the scalar one.
//
// Common rules: `row` points at weights in the stated format, with no alignment guaranteed; `n` is
// a whole number of the format's blocks; float arrays need no alignment either. Functions touch no
// memory beyond the `n` weights and `n` floats. They are pure and thread-safe. A NaN or infinity
// among the inputs that takes part in a result makes the result non-finite; it is never silently
// lost.
#pragma once

#include "kernels/cpu/number_format.h"

namespace thermocline::kernels {

enum class CpuLevel : std::uint8_t { scalar, avx2, avx512 };

// Activations quantised to 8 bits in blocks of 32: x[i] ~ values[i] * scales[i / 32].
// A block holding NaN or infinity has scale NaN and zero values.
struct QuantizedVector {
  const std::int8_t* values;       // [n], within -127..127
  const float* scales;             // [n / 32]
  const std::int32_t* block_sums;  // [n / 32], sum of a block's values
};

struct FormatKernels {
  // out[i] = weight i, exactly (every format's weights are representable in f32).
  void (*dequantize)(const void* row, float* out, std::size_t n);
  // Sum of weight[i] * x[i], without rounding x.
  float (*dot)(const void* row, const float* x, std::size_t n);
  // Sum of weight[i] * values[i] * scales[i / 32]; the sums inside a block are exact integers.
  // Null for f32, f16 and bf16, which take unrounded activations at full speed.
  float (*dot_quantized)(const void* row, const QuantizedVector& x, std::size_t n);
  // y[i] += a * weight[i].
  void (*add_scaled)(const void* row, float a, float* y, std::size_t n);
};

struct KernelTable {
  CpuLevel level;
  const char* name;  // "scalar", "avx2", "avx512", "avx512-vnni"
  FormatKernels formats[number_format_count];

  // Quantises x[0..n), n a multiple of 32, as QuantizedVector describes: scale = max|x| / 127 and
  // value = x * (127 / max|x|) rounded to nearest, ties to even; a block whose 127 / max|x| isn't
  // finite (zeros, subnormals) becomes zeros. Bit-identical on every level.
  void (*quantize)(const float* x, std::size_t n, std::int8_t* values, float* scales,
                   std::int32_t* block_sums);
  // out[i] = x[i] as an IEEE half, rounded to nearest even; a NaN stays a NaN. Takes any n.
  // Bit-identical on every level.
  void (*to_half)(const float* x, std::uint16_t* out, std::size_t n);

  const FormatKernels& of(NumberFormat format) const {
    return formats[static_cast<std::size_t>(format)];
  }
};

// What the processor at hand can do, as far as the tables are concerned.
struct CpuFeatures {
  bool avx2 = false;         // AVX2, FMA and F16C, and the operating system saves the registers
  bool avx512 = false;       // AVX-512 F, BW, DQ, VL, likewise
  bool avx512_vnni = false;  // AVX-512 VNNI as well
};

const KernelTable& scalar_kernels();
// The best table for `features`, at most `limit`.
const KernelTable& select_kernels(const CpuFeatures& features, CpuLevel limit = CpuLevel::avx512);

}  // namespace thermocline::kernels
