// Quantising activations: bit for bit as specified, on every table.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using Quantize = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(Quantize);

struct Block {
  std::vector<std::int8_t> values = std::vector<std::int8_t>(32, 99);
  float scale = 99;
  std::int32_t sum = 99;
};

Block quantize(const KernelTable& table, const std::vector<float>& x) {
  Block block;
  table.quantize(x.data(), 32, block.values.data(), &block.scale, &block.sum);
  return block;
}

void expect_as_specified(const KernelTable& table, const std::vector<float>& x) {
  const Block block = quantize(table, x);
  float largest = 0;
  bool finite = true;
  for (const float value : x) {
    finite = finite && std::isfinite(value);
    if (std::fabs(value) > largest) largest = std::fabs(value);
  }
  if (!finite) {
    EXPECT_TRUE(std::isnan(block.scale));
    EXPECT_EQ(block.sum, 0);
    EXPECT_EQ(block.values, std::vector<std::int8_t>(32, 0));
    return;
  }
  const float inverse = 127.0f / largest;
  const bool usable = std::isfinite(inverse);
  ASSERT_EQ(std::bit_cast<std::uint32_t>(block.scale),
            std::bit_cast<std::uint32_t>(usable ? largest / 127.0f : 0.0f))
      << largest;
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const float expected = usable ? std::nearbyint(x[i] * inverse) : 0.0f;
    ASSERT_EQ(static_cast<float>(block.values[i]), expected) << x[i] << " of " << largest;
    sum += block.values[i];
  }
  ASSERT_EQ(block.sum, sum);
}

TEST_P(Quantize, is_as_specified_for_random_blocks) {
  Random random(18);
  for (int i = 0; i < 2000; ++i) {
    std::vector<float> x = random_floats(32, random);
    const float factor = std::ldexp(1.0f, static_cast<int>(random() % 250) - 125);
    for (float& value : x)
      value *= factor;
    expect_as_specified(table(), x);
  }
}

TEST_P(Quantize, is_as_specified_for_random_bits) {
  Random random(19);
  for (int i = 0; i < 2000; ++i) {
    std::vector<float> x(32);
    for (float& value : x) {
      // Any sign and fraction, exponents below NaN's.
      value = std::bit_cast<float>(static_cast<std::uint32_t>(random()) & 0xbfffffffu);
    }
    expect_as_specified(table(), x);
  }
}

TEST_P(Quantize, rounds_ties_to_even) {
  // The largest is 127, so the factor is 1 and halves are ties.
  std::vector<float> x(32);
  for (std::size_t i = 0; i < 32; ++i)
    x[i] = static_cast<float>(i) - 15.5f;
  x[0] = -127;
  const Block block = quantize(table(), x);
  EXPECT_EQ(block.scale, 1.0f);
  EXPECT_EQ(block.values[0], -127);
  for (std::size_t i = 1; i < 32; ++i) {
    const float value = static_cast<float>(block.values[i]);
    EXPECT_EQ(std::fabs(value - x[i]), 0.5f) << x[i];
    EXPECT_EQ(block.values[i] % 2, 0) << x[i];
  }
  expect_as_specified(table(), x);
}

TEST_P(Quantize, gives_the_end_of_the_range_to_the_largest_of_either_sign) {
  for (const float largest : {1.0f, 0.1f, 3.0f, 1e30f, 3.4028235e38f, 1e-36f}) {
    std::vector<float> x(32, largest / 3);
    x[7] = -largest;
    x[21] = largest;
    const Block block = quantize(table(), x);
    EXPECT_EQ(block.values[7], -127) << largest;
    EXPECT_EQ(block.values[21], 127) << largest;
    expect_as_specified(table(), x);
  }
}

TEST_P(Quantize, makes_zeros_of_zeros_and_subnormals) {
  std::vector<float> x(32, 0.0f);
  x[3] = -0.0f;
  expect_as_specified(table(), x);
  x[5] = 0x1p-149f;
  x[6] = -0x1p-127f;
  expect_as_specified(table(), x);
  EXPECT_EQ(quantize(table(), x).values, std::vector<std::int8_t>(32, 0));
}

// 127 / largest overflows just below 3.73e-37.
TEST_P(Quantize, changes_to_zeros_where_the_factor_overflows) {
  const float edge = 127.0f / std::numeric_limits<float>::max();
  for (float largest : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, 1.0f),
                        std::nextafter(std::nextafter(edge, 0.0f), 0.0f)}) {
    std::vector<float> x(32, largest / 2);
    x[31] = largest;
    expect_as_specified(table(), x);
  }
}

TEST_P(Quantize, marks_blocks_with_nan_or_infinity_wherever_it_stands) {
  const float signalling = std::bit_cast<float>(0xff800001u);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), signalling, INFINITY, -INFINITY}) {
    for (std::size_t i = 0; i < 32; ++i) {
      std::vector<float> x(32, 1e30f);
      x[i] = bad;
      expect_as_specified(table(), x);
    }
  }
}

TEST_P(Quantize, treats_blocks_separately) {
  Random random(20);
  std::vector<float> x = random_floats(5 * 32, random);
  for (std::size_t i = 64; i < 96; ++i)
    x[i] *= 1000;
  x[100] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int8_t> values(x.size());
  std::vector<float> scales(5);
  std::vector<std::int32_t> sums(5);
  table().quantize(x.data(), x.size(), values.data(), scales.data(), sums.data());
  for (std::size_t b = 0; b < 5; ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(32 * b);
    const Block block = quantize(table(), {x.begin() + begin, x.begin() + begin + 32});
    EXPECT_EQ(std::vector<std::int8_t>(values.begin() + begin, values.begin() + begin + 32),
              block.values);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(scales[b]), std::bit_cast<std::uint32_t>(block.scale));
    EXPECT_EQ(sums[b], block.sum);
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
