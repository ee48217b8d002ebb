// The formats' definition, one weight at a time.
#include "reference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace thermocline::kernels::test {
namespace {

double half_in(const std::uint8_t* at) {
  return reference_half(static_cast<std::uint16_t>(at[0] + 256 * at[1]));
}

double weight(NumberFormat format, const std::uint8_t* row, std::size_t i) {
  switch (format) {
    case NumberFormat::f32: {
      float value;
      std::memcpy(&value, row + 4 * i, 4);
      return value;
    }
    case NumberFormat::f16:
      return half_in(row + 2 * i);
    case NumberFormat::bf16: {
      const std::uint8_t bytes[4] = {0, 0, row[2 * i], row[2 * i + 1]};
      float value;
      std::memcpy(&value, bytes, 4);
      return value;
    }
    case NumberFormat::q4_0: {
      const std::uint8_t* block = row + i / 32 * 18;
      const std::size_t j = i % 32;
      const int q = j < 16 ? block[2 + j] % 16 : block[2 + j - 16] / 16;
      return (q - 8) * half_in(block);
    }
    case NumberFormat::q5_0: {
      const std::uint8_t* block = row + i / 32 * 22;
      const std::size_t j = i % 32;
      const int low = j < 16 ? block[6 + j] % 16 : block[6 + j - 16] / 16;
      const int high = block[2 + j / 8] >> (j % 8) & 1;
      return (low + 16 * high - 16) * half_in(block);
    }
    case NumberFormat::q8_0: {
      const std::uint8_t* block = row + i / 32 * 34;
      return static_cast<std::int8_t>(block[2 + i % 32]) * half_in(block);
    }
    case NumberFormat::q6_k: {
      const std::uint8_t* block = row + i / 256 * 210;
      const std::size_t half = i % 256 / 128, quarter = i % 128 / 32, l = i % 32;
      const int pair = block[64 * half + 32 * (quarter % 2) + l];
      const int low = quarter < 2 ? pair % 16 : pair / 16;
      const int high = block[128 + 32 * half + l] >> (2 * quarter) & 3;
      const auto sub_scale = static_cast<std::int8_t>(block[192 + 8 * half + 2 * quarter + l / 16]);
      return (low + 16 * high - 32) * sub_scale * half_in(block + 208);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double reference_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::uint16_t nearest_half(float value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  // In steps of 2^-24 below 2^-14, of 1024 to a power of two above; a carry runs into the exponent.
  const int power = magnitude < std::ldexp(1, -14) ? -14 : std::ilogb(magnitude);
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - power)));
  const int bits = power == -14 ? steps : steps - 1024 + (power + 15) * 1024;
  return static_cast<std::uint16_t>(sign | bits);
}

std::vector<double> reference_weights(NumberFormat format, const std::uint8_t* row, std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = weight(format, row, i);
  return out;
}

ReferenceSum reference_dot(NumberFormat format, const std::uint8_t* row, const float* x,
                           std::size_t n) {
  ReferenceSum sum;
  for (std::size_t i = 0; i < n; ++i) {
    const double term = weight(format, row, i) * static_cast<double>(x[i]);
    sum.value += term;
    sum.magnitude += std::fabs(term);
  }
  return sum;
}

ReferenceSum reference_dot_quantized(NumberFormat format, const std::uint8_t* row,
                                     const QuantizedVector& x, std::size_t n) {
  // Weight times value is an integer times the f16 scale, so the doubles of a block add exactly.
  ReferenceSum sum;
  for (std::size_t i = 0; i < n; i += 32) {
    double block = 0, magnitude = 0;
    for (std::size_t j = i; j < i + 32; ++j) {
      const double term = weight(format, row, j) * x.values[j];
      block += term;
      magnitude += std::fabs(term);
    }
    sum.value += block * static_cast<double>(x.scales[i / 32]);
    sum.magnitude += magnitude * std::fabs(static_cast<double>(x.scales[i / 32]));
  }
  return sum;
}

double rounding_bound(const ReferenceSum& sum, std::size_t n) {
  const std::size_t steps = n / 32 + 12;
  return static_cast<double>(steps) * std::ldexp(sum.magnitude, -24) +
         static_cast<double>(n) * std::ldexp(1, -149);
}

}  // namespace thermocline::kernels::test
