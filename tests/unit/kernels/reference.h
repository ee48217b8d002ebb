// What the formats mean, written from their definition in double precision and without any kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels::test {

double reference_half(std::uint16_t bits);

// Nearest half of a finite or infinite value, ties to even.
std::uint16_t nearest_half(float value);

std::vector<double> reference_weights(NumberFormat format, const std::uint8_t* row, std::size_t n);

// A sum, and the sum of its terms' magnitudes, to which tolerances are relative.
struct ReferenceSum {
  double value = 0;
  double magnitude = 0;
};

ReferenceSum reference_dot(NumberFormat format, const std::uint8_t* row, const float* x,
                           std::size_t n);
ReferenceSum reference_dot_quantized(NumberFormat format, const std::uint8_t* row,
                                     const QuantizedVector& x, std::size_t n);

// Rounding bound of a sum of n products in f32, in units of 2^-24 of the terms' magnitudes: at most
// n / 32 additions one after another into a lane, twelve for scales, partial blocks and the last
// reduction, and the smallest subnormal for each term that underflows.
double rounding_bound(const ReferenceSum& sum, std::size_t n);

}  // namespace thermocline::kernels::test
