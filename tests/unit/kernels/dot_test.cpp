// Dot products with unrounded activations, against sums in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "reference.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using Dot = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(Dot);

TEST_P(Dot, is_within_a_millionth_for_random_rows) {
  Random random(3);
  for (const NumberFormat format : every_format) {
    for (const std::size_t n : lengths(format)) {
      const Row row = random_row(format, n, random);
      const std::vector<float> x = random_floats(n, random);
      const ReferenceSum expected = reference_dot(format, row.bytes.data(), x.data(), n);
      const float sum = table().of(format).dot(row.bytes.data(), x.data(), n);
      ASSERT_NEAR(sum, expected.value, 1e-6 * expected.magnitude) << name_of(format) << " " << n;
    }
  }
}

TEST_P(Dot, is_within_the_rounding_bound_at_the_limits) {
  Random random(4);
  for (const NumberFormat format : every_format) {
    const std::size_t length = block_layout(format).length;
    for (const std::size_t n : {length, 5 * length, (1200 / length + 1) * length}) {
      for (const Row& row : adversarial_rows(format, n, random)) {
        for (const std::vector<float>& x : adversarial_floats(n, random)) {
          const ReferenceSum expected = reference_dot(format, row.bytes.data(), x.data(), n);
          const float sum = table().of(format).dot(row.bytes.data(), x.data(), n);
          ASSERT_NEAR(sum, expected.value, rounding_bound(expected, n))
              << name_of(format) << ", " << row.name << ", n " << n;
        }
      }
    }
  }
}

TEST_P(Dot, takes_unaligned_pointers) {
  Random random(5);
  for (const NumberFormat format : every_format) {
    const std::size_t n = 3 * block_layout(format).length + (format < NumberFormat::q4_0 ? 40 : 0);
    const Row row = random_row(format, n, random);
    const std::vector<float> x = random_floats(n, random);
    const float expected = table().of(format).dot(row.bytes.data(), x.data(), n);
    for (std::size_t shift = 1; shift < 16; ++shift) {
      std::vector<std::uint8_t> bytes(shift);
      bytes.insert(bytes.end(), row.bytes.begin(), row.bytes.end());
      std::vector<float> floats(shift);
      floats.insert(floats.end(), x.begin(), x.end());
      EXPECT_EQ(table().of(format).dot(bytes.data() + shift, floats.data() + shift, n), expected)
          << name_of(format) << " " << shift;
    }
  }
}

TEST_P(Dot, of_nothing_is_zero) {
  for (const NumberFormat format : every_format) {
    EXPECT_EQ(table().of(format).dot(nullptr, nullptr, 0), 0.0f) << name_of(format);
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
