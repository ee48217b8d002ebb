// NaN and infinity among the inputs must show in every result they take part in.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using NonFinite = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(NonFinite);

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float bad_floats[] = {nan, INFINITY, -INFINITY};
constexpr std::uint16_t bad_halves[] = {0x7e00, 0x7c01, 0x7c00, 0xfc00, 0xfe00};

std::size_t length_for(NumberFormat format) {
  return block_layout(format).length == 1 ? 67 : 5 * block_layout(format).length;
}

// `row` with weight `i` (or its block's scale) damaged.
Row damaged(Row row, std::size_t i, std::size_t kind) {
  const BlockLayout layout = block_layout(row.format);
  std::uint8_t* block = row.bytes.data() + i / layout.length * layout.bytes;
  if (row.format == NumberFormat::f32) {
    std::memcpy(block, &bad_floats[kind % 3], 4);
  } else if (row.format == NumberFormat::bf16) {
    put_half(block, static_cast<std::uint16_t>(kind % 2 == 0 ? 0x7fc0 : 0xff80));
  } else {
    put_half(block + scale_offset(row.format), bad_halves[kind % 5]);
  }
  return row;
}

TEST_P(NonFinite, weight_shows_in_dot) {
  Random random(21);
  for (const NumberFormat format : every_format) {
    const std::size_t n = length_for(format);
    const Row row = random_row(format, n, random);
    const std::vector<float> x = random_floats(n, random);
    for (std::size_t i = 0; i < n; i += block_layout(format).length) {
      const Row bad = damaged(row, i, i);
      EXPECT_FALSE(std::isfinite(table().of(format).dot(bad.bytes.data(), x.data(), n)))
          << name_of(format) << " " << i;
    }
  }
}

TEST_P(NonFinite, weight_shows_in_dot_even_against_zeros) {
  Random random(22);
  for (const NumberFormat format : every_format) {
    const std::size_t n = length_for(format);
    const Row bad = damaged(random_row(format, n, random), n - 1, 0);
    const std::vector<float> zeros(n);
    EXPECT_TRUE(std::isnan(table().of(format).dot(bad.bytes.data(), zeros.data(), n)))
        << name_of(format);
  }
}

TEST_P(NonFinite, activation_shows_in_dot) {
  Random random(23);
  for (const NumberFormat format : every_format) {
    const std::size_t n = length_for(format);
    const Row row = random_row(format, n, random);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<float> x = random_floats(n, random);
      x[i] = bad_floats[i % 3];
      EXPECT_FALSE(std::isfinite(table().of(format).dot(row.bytes.data(), x.data(), n)))
          << name_of(format) << " " << i;
    }
  }
}

TEST_P(NonFinite, weight_shows_in_dot_quantized) {
  Random random(24);
  for (const NumberFormat format : quantized_formats) {
    const std::size_t n = length_for(format);
    const Row row = random_row(format, n, random);
    for (const Activations& x : adversarial_activations(n, random)) {
      for (std::size_t i = 0; i < n; i += block_layout(format).length) {
        for (std::size_t kind = 0; kind < 5; ++kind) {
          const Row bad = damaged(row, i, kind);
          const float sum = table().of(format).dot_quantized(bad.bytes.data(), x.view(), n);
          EXPECT_FALSE(std::isfinite(sum)) << name_of(format) << " " << i << " " << x.name;
        }
      }
    }
  }
}

TEST_P(NonFinite, activation_shows_in_dot_quantized) {
  Random random(25);
  for (const NumberFormat format : quantized_formats) {
    const std::size_t n = length_for(format);
    const Row row = random_row(format, n, random);
    for (std::size_t i = 0; i < n; i += 7) {
      std::vector<float> x = random_floats(n, random);
      x[i] = bad_floats[i % 3];
      std::vector<std::int8_t> values(n);
      std::vector<float> scales(n / 32);
      std::vector<std::int32_t> sums(n / 32);
      table().quantize(x.data(), n, values.data(), scales.data(), sums.data());
      const QuantizedVector view = {values.data(), scales.data(), sums.data()};
      EXPECT_TRUE(std::isnan(table().of(format).dot_quantized(row.bytes.data(), view, n)))
          << name_of(format) << " " << i;
    }
  }
}

TEST_P(NonFinite, weight_shows_in_add_scaled_and_nowhere_else) {
  Random random(26);
  for (const NumberFormat format : every_format) {
    const std::size_t n = length_for(format), length = block_layout(format).length;
    const Row row = random_row(format, n, random);
    for (const float a : {0.0f, 1.5f}) {
      for (std::size_t i = 0; i < n; i += length) {
        std::vector<float> y(n, 1.0f);
        const Row bad = damaged(row, i, i);
        table().of(format).add_scaled(bad.bytes.data(), a, y.data(), n);
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_EQ(std::isfinite(y[j]), j < i || j >= i + length)
              << name_of(format) << " " << i << " " << j;
        }
      }
    }
  }
}

TEST_P(NonFinite, factor_and_sum_show_in_add_scaled) {
  Random random(27);
  for (const NumberFormat format : every_format) {
    const std::size_t n = length_for(format);
    const Row row = random_row(format, n, random);
    for (const float bad : bad_floats) {
      std::vector<float> y(n, 1.0f);
      table().of(format).add_scaled(row.bytes.data(), bad, y.data(), n);
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_FALSE(std::isfinite(y[j])) << name_of(format) << j;
      std::vector<float> z(n, bad);
      table().of(format).add_scaled(row.bytes.data(), 0.5f, z.data(), n);
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_FALSE(std::isfinite(z[j])) << name_of(format) << j;
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
