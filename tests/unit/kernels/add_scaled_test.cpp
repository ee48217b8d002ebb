// Adding multiples of rows, against double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "reference.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using AddScaled = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(AddScaled);

void expect_close(const KernelTable& table, const Row& row, float a, const std::vector<float>& y) {
  std::vector<float> out = y;
  table.of(row.format).add_scaled(row.bytes.data(), a, out.data(), row.n);
  const std::vector<double> weights = reference_weights(row.format, row.bytes.data(), row.n);
  for (std::size_t i = 0; i < row.n; ++i) {
    const double term = static_cast<double>(a) * weights[i];
    const double before = static_cast<double>(y[i]);
    // At most three roundings: of the factor, of the product and of the sum.
    const double bound = std::ldexp(3 * std::fabs(term) + std::fabs(before + term), -24);
    ASSERT_NEAR(out[i], before + term, bound + 0x1p-148)
        << name_of(row.format) << ", " << row.name << ", a " << a << ", weight " << i;
  }
}

TEST_P(AddScaled, is_within_the_rounding_bound_for_random_rows) {
  Random random(12);
  for (const NumberFormat format : every_format) {
    for (const std::size_t n : lengths(format)) {
      const std::vector<float> y = random_floats(n, random);
      expect_close(table(), random_row(format, n, random), 0.3f, y);
    }
  }
}

TEST_P(AddScaled, is_within_the_rounding_bound_at_the_limits) {
  Random random(13);
  for (const NumberFormat format : every_format) {
    const std::size_t n = 3 * block_layout(format).length;
    for (const Row& row : adversarial_rows(format, n, random)) {
      for (const float a : {0.0f, 1.0f, -1.3f, 1e-3f, 1e6f}) {
        expect_close(table(), row, a, random_floats(n, random));
      }
    }
  }
}

TEST_P(AddScaled, takes_unaligned_pointers) {
  Random random(14);
  for (const NumberFormat format : every_format) {
    const std::size_t n = 2 * block_layout(format).length + (format < NumberFormat::q4_0 ? 40 : 0);
    const Row row = random_row(format, n, random);
    const std::vector<float> y = random_floats(n, random);
    std::vector<float> expected = y;
    table().of(format).add_scaled(row.bytes.data(), 0.7f, expected.data(), n);
    for (std::size_t shift = 1; shift < 16; ++shift) {
      std::vector<std::uint8_t> bytes(shift);
      bytes.insert(bytes.end(), row.bytes.begin(), row.bytes.end());
      std::vector<float> floats(shift);
      floats.insert(floats.end(), y.begin(), y.end());
      table().of(format).add_scaled(bytes.data() + shift, 0.7f, floats.data() + shift, n);
      floats.erase(floats.begin(), floats.begin() + static_cast<std::ptrdiff_t>(shift));
      EXPECT_EQ(floats, expected) << name_of(format) << " " << shift;
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
