// Rows and vectors to test with: random ones, and ones that sit at the formats' limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels::test {

using Random = std::mt19937;

struct Row {
  std::string name;
  NumberFormat format;
  std::size_t n;
  std::vector<std::uint8_t> bytes;
};

// Weights of about `n(0, 1)` for the plain formats, random blocks with scales of about 0.01
// otherwise.
Row random_row(NumberFormat format, std::size_t n, Random& random);

// Every extreme of a format: values, scales and sub-scales at their least and greatest, zero and
// subnormal.
std::vector<Row> adversarial_rows(NumberFormat format, std::size_t n, Random& random);

// Row lengths that take every path: all tails of the plain formats, odd and even numbers of blocks.
std::vector<std::size_t> lengths(NumberFormat format);

std::vector<float> random_floats(std::size_t n, Random& random);

// Vectors that make sums grow, cancel, or run into one sign.
std::vector<std::vector<float>> adversarial_floats(std::size_t n, Random& random);

// Owns what a QuantizedVector points at.
struct Activations {
  std::string name;
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  std::vector<std::int32_t> block_sums;

  QuantizedVector view() const { return {values.data(), scales.data(), block_sums.data()}; }
};

std::vector<Activations> adversarial_activations(std::size_t n, Random& random);

void put_half(std::uint8_t* at, std::uint16_t bits);
// Where a quantised format's f16 scale lies in its block.
std::size_t scale_offset(NumberFormat format);

}  // namespace thermocline::kernels::test
