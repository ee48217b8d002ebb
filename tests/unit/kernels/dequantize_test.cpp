// Dequantising: blocks worked out by hand, then every table against the formats' definition.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "reference.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using Dequantize = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(Dequantize);

std::vector<float> run(const KernelTable& table, NumberFormat format,
                       const std::vector<std::uint8_t>& bytes, std::size_t n) {
  std::vector<float> out(n, -1);
  table.of(format).dequantize(bytes.data(), out.data(), n);
  return out;
}

TEST_P(Dequantize, f32_copies_values) {
  const std::vector<float> values = {1, -2.5f, 0x1p-140f, 3e38f, 0, -0.0f, 7, 8, 9};
  std::vector<std::uint8_t> bytes(36);
  std::memcpy(bytes.data(), values.data(), 36);
  EXPECT_EQ(run(table(), NumberFormat::f32, bytes, 9), values);
}

TEST_P(Dequantize, f16_gives_known_values) {
  const std::vector<std::uint8_t> bytes = {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b,
                                           0x00, 0x7c, 0x55, 0x35, 0xff, 0x03, 0x00, 0x04};
  EXPECT_EQ(
      run(table(), NumberFormat::f16, bytes, 8),
      (std::vector<float>{1, -2, 0x1p-24f, 65504, INFINITY, 0x1.554p-2f, 0x3ffp-24f, 0x1p-14f}));
}

TEST_P(Dequantize, bf16_gives_known_values) {
  const std::vector<std::uint8_t> bytes = {0x80, 0x3f, 0x00, 0xc0, 0x49, 0x40, 0x80, 0x7f};
  EXPECT_EQ(run(table(), NumberFormat::bf16, bytes, 4),
            (std::vector<float>{1, -2, 3.140625f, INFINITY}));
}

TEST_P(Dequantize, q4_0_gives_known_values) {
  // d = 0.5; byte j holds j below and 15 - j above.
  std::vector<std::uint8_t> bytes = {0x00, 0x38};
  for (int j = 0; j < 16; ++j)
    bytes.push_back(static_cast<std::uint8_t>(j | (15 - j) << 4));
  const std::vector<float> out = run(table(), NumberFormat::q4_0, bytes, 32);
  for (std::size_t j = 0; j < 16; ++j) {
    const float fj = static_cast<float>(j);
    EXPECT_EQ(out[j], (fj - 8) * 0.5f) << j;
    EXPECT_EQ(out[j + 16], (7 - fj) * 0.5f) << j;
  }
}

TEST_P(Dequantize, q5_0_gives_known_values) {
  // d = 2; high bits of weights 0, 9, 16 and 31; byte j holds j below and 15 - j above.
  std::vector<std::uint8_t> bytes = {0x00, 0x40, 0x01, 0x02, 0x01, 0x80};
  for (int j = 0; j < 16; ++j)
    bytes.push_back(static_cast<std::uint8_t>(j | (15 - j) << 4));
  const std::vector<float> out = run(table(), NumberFormat::q5_0, bytes, 32);
  for (std::size_t j = 0; j < 16; ++j) {
    const float fj = static_cast<float>(j);
    const float first_high = j == 0 || j == 9 ? 16 : 0;
    const float second_high = j == 0 || j == 15 ? 16 : 0;
    EXPECT_EQ(out[j], (fj + first_high - 16) * 2) << j;
    EXPECT_EQ(out[j + 16], (15 - fj + second_high - 16) * 2) << j;
  }
}

TEST_P(Dequantize, q8_0_gives_known_values) {
  // d = -0.25; values -128, -120, ... in steps of 8.
  std::vector<std::uint8_t> bytes = {0x00, 0xb4};
  for (int j = 0; j < 32; ++j)
    bytes.push_back(static_cast<std::uint8_t>(-128 + 8 * j));
  const std::vector<float> out = run(table(), NumberFormat::q8_0, bytes, 32);
  for (std::size_t j = 0; j < 32; ++j)
    EXPECT_EQ(out[j], 32 - 2 * static_cast<float>(j)) << j;
}

TEST_P(Dequantize, q6_k_gives_known_values) {
  // All low nibbles 1 and high nibbles 2; high bits 3, 2, 1, 0 for the four quarters (0x1b = 00 01
  // 10 11); sub-scale k is k - 8; d = 1. So quarters hold 1 + 48, 1 + 32, 2 + 16 and 2, minus 32.
  std::vector<std::uint8_t> bytes(210, 0x21);
  std::memset(bytes.data() + 128, 0x1b, 64);
  for (int k = 0; k < 16; ++k) {
    bytes[192 + static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(k - 8);
  }
  bytes[208] = 0x00;
  bytes[209] = 0x3c;
  const float quarters[] = {17, 1, -14, -30};
  const std::vector<float> out = run(table(), NumberFormat::q6_k, bytes, 256);
  for (std::size_t i = 0; i < 256; ++i) {
    const int sub_scale = static_cast<int>(i / 16) - 8;
    EXPECT_EQ(out[i], quarters[i % 128 / 32] * static_cast<float>(sub_scale)) << i;
  }
}

void expect_exact(const KernelTable& table, const Row& row) {
  const std::vector<float> out = run(table, row.format, row.bytes, row.n);
  const std::vector<double> expected = reference_weights(row.format, row.bytes.data(), row.n);
  for (std::size_t i = 0; i < row.n; ++i) {
    ASSERT_EQ(static_cast<double>(out[i]), expected[i])
        << name_of(row.format) << ", " << row.name << ", weight " << i << " of " << row.n;
  }
}

TEST_P(Dequantize, is_exact_for_random_rows) {
  Random random(1);
  for (const NumberFormat format : every_format) {
    for (const std::size_t n : lengths(format)) {
      expect_exact(table(), random_row(format, n, random));
    }
  }
}

TEST_P(Dequantize, is_exact_at_the_limits) {
  Random random(2);
  for (const NumberFormat format : every_format) {
    const std::size_t n = 3 * block_layout(format).length;
    for (const Row& row : adversarial_rows(format, n, random))
      expect_exact(table(), row);
  }
}

TEST_P(Dequantize, gives_every_half_and_bfloat) {
  constexpr std::size_t n = 65536;
  std::vector<std::uint8_t> bytes(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    put_half(bytes.data() + 2 * i, static_cast<std::uint16_t>(i));
  }
  for (const NumberFormat format : {NumberFormat::f16, NumberFormat::bf16}) {
    const std::vector<float> out = run(table(), format, bytes, n);
    const std::vector<double> expected = reference_weights(format, bytes.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(std::isnan(out[i]), std::isnan(expected[i])) << i;
      ASSERT_EQ(std::signbit(out[i]), i >= 0x8000) << i;
      if (!std::isnan(out[i])) {
        ASSERT_EQ(static_cast<double>(out[i]), expected[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
