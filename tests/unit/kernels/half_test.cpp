// Conversions between floats and halves: all halves, all ties, and random floats.
#include "kernels/cpu/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "reference.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using ToHalf = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(ToHalf);

TEST(Half, becomes_the_float_of_the_same_value) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = reference_half(half);
    const float value = half_to_float(half);
    ASSERT_EQ(std::isnan(value), std::isnan(expected)) << bits;
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if (!std::isnan(value)) {
      ASSERT_EQ(static_cast<double>(value), expected) << bits;
    }
  }
}

TEST(Half, survives_the_way_to_float_and_back) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const bool is_nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
    // A signalling NaN comes back quiet.
    ASSERT_EQ(float_to_half(half_to_float(half)), is_nan ? bits | 0x200 : bits);
  }
}

// Every half, the midpoint to its neighbour, and the floats next to both.
std::vector<float> decisive_floats() {
  std::vector<float> out;
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = half_to_float(static_cast<std::uint16_t>(bits));
    const float high =
        bits == 0x7bff ? 65536.0f : half_to_float(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    for (const float value : {low, middle}) {
      for (const float near : {value, std::nextafter(value, 1e9f), std::nextafter(value, -1e9f)}) {
        out.push_back(near);
        out.push_back(-near);
      }
    }
  }
  for (const float value : {65536.0f, 1e30f, 3.4e38f, INFINITY, 0x1p-149f, 0x1p-126f}) {
    out.push_back(value);
    out.push_back(-value);
  }
  return out;
}

TEST(Half, is_the_nearest_with_ties_to_even) {
  for (const float value : decisive_floats()) {
    ASSERT_EQ(float_to_half(value), nearest_half(value)) << value;
  }
  Random random(15);
  for (int i = 0; i < 1000000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) {
      ASSERT_EQ(float_to_half(value), nearest_half(value)) << value;
    }
  }
}

TEST(Half, keeps_known_bits) {
  EXPECT_EQ(float_to_half(1.0f), 0x3c00);
  EXPECT_EQ(float_to_half(-2.0f), 0xc000);
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(float_to_half(-0.0f), 0x8000);
}

TEST(Bfloat, is_the_upper_half_of_a_float) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = bfloat_to_float(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(value), bits << 16);
  }
}

TEST_P(ToHalf, gives_the_same_bits_as_the_single_conversion) {
  std::vector<float> values = decisive_floats();
  Random random(16);
  for (int i = 0; i < 300000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  // All kinds of NaN: quiet, signalling, negative, with payloads in the bits that are kept and
  // dropped.
  for (const std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc00000u, 0xff800001u, 0x7fffffffu,
                                   0x7f802000u, 0x7fa55555u}) {
    values.push_back(std::bit_cast<float>(bits));
  }
  std::vector<std::uint16_t> out(values.size());
  table().to_half(values.data(), out.data(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(out[i], float_to_half(values[i])) << std::bit_cast<std::uint32_t>(values[i]);
    if (std::isnan(values[i])) {
      ASSERT_TRUE(std::isnan(half_to_float(out[i])));
    }
  }
}

TEST_P(ToHalf, takes_any_length) {
  Random random(17);
  const std::vector<float> values = random_floats(67, random);
  for (std::size_t n = 0; n <= 67; ++n) {
    std::vector<std::uint16_t> out(68, 0xabcd);
    table().to_half(values.data(), out.data(), n);
    for (std::size_t i = 0; i < 68; ++i) {
      ASSERT_EQ(out[i], i < n ? float_to_half(values[i]) : 0xabcd) << n << " " << i;
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
