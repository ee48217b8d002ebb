// Dot products with 8-bit activations, against integer sums in each block.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "reference.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using DotQuantized = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(DotQuantized);

TEST_P(DotQuantized, exists_for_the_quantised_formats_only) {
  for (const NumberFormat format : every_format) {
    const bool exists = table().of(format).dot_quantized != nullptr;
    EXPECT_EQ(exists, block_layout(format).length > 1) << name_of(format);
  }
}

TEST_P(DotQuantized, is_within_a_millionth_for_random_rows) {
  Random random(6);
  for (const NumberFormat format : quantized_formats) {
    for (const std::size_t n : lengths(format)) {
      const Row row = random_row(format, n, random);
      const Activations x = adversarial_activations(n, random).front();
      const ReferenceSum expected = reference_dot_quantized(format, row.bytes.data(), x.view(), n);
      const float sum = table().of(format).dot_quantized(row.bytes.data(), x.view(), n);
      ASSERT_NEAR(sum, expected.value, 1e-6 * expected.magnitude) << name_of(format) << " " << n;
    }
  }
}

TEST_P(DotQuantized, is_within_the_rounding_bound_at_the_limits) {
  Random random(7);
  for (const NumberFormat format : quantized_formats) {
    const std::size_t length = block_layout(format).length;
    for (const std::size_t n : {length, 2 * length, 3 * length, (1200 / length + 1) * length}) {
      const std::vector<Activations> activations = adversarial_activations(n, random);
      for (const Row& row : adversarial_rows(format, n, random)) {
        for (const Activations& x : activations) {
          const ReferenceSum expected =
              reference_dot_quantized(format, row.bytes.data(), x.view(), n);
          const float sum = table().of(format).dot_quantized(row.bytes.data(), x.view(), n);
          ASSERT_NEAR(sum, expected.value, rounding_bound(expected, n))
              << name_of(format) << ", " << row.name << ", " << x.name << ", n " << n;
        }
      }
    }
  }
}

// With both scales 1 the result is an integer small enough to be exact in f32: any saturation, any
// lost or doubled product shows.
TEST_P(DotQuantized, is_exact_with_unit_scales) {
  Random random(8);
  for (const NumberFormat format : quantized_formats) {
    const BlockLayout layout = block_layout(format);
    for (const std::size_t blocks : {1, 2, 3, 4, 5, 6, 7}) {
      const std::size_t n = blocks * layout.length;
      for (Row row : adversarial_rows(format, n, random)) {
        for (std::size_t at = 0; at < row.bytes.size(); at += layout.bytes) {
          put_half(row.bytes.data() + at + scale_offset(format), 0x3c00);
          // Sub-scales of one digit keep a row's sum below 2^24.
          if (format != NumberFormat::q6_k) continue;
          for (std::size_t k = 192; k < 208; ++k) {
            std::uint8_t& sub_scale = row.bytes[at + k];
            sub_scale = static_cast<std::uint8_t>(static_cast<std::int8_t>(sub_scale) / 64);
          }
        }
        for (Activations& x : adversarial_activations(n, random)) {
          for (float& scale : x.scales)
            scale = 1;
          const ReferenceSum expected =
              reference_dot_quantized(format, row.bytes.data(), x.view(), n);
          ASSERT_LT(expected.magnitude, 0x1p24);
          ASSERT_EQ(table().of(format).dot_quantized(row.bytes.data(), x.view(), n), expected.value)
              << name_of(format) << ", " << row.name << ", " << x.name << ", n " << n;
        }
      }
    }
  }
}

TEST_P(DotQuantized, is_exact_for_one_block_with_extreme_sub_scales) {
  Random random(9);
  for (Row row : adversarial_rows(NumberFormat::q6_k, 256, random)) {
    put_half(row.bytes.data() + 208, 0x3c00);
    for (Activations& x : adversarial_activations(256, random)) {
      // Powers of two far apart would hide errors; one block of activations at a time doesn't.
      for (std::size_t only = 0; only < 8; ++only) {
        for (std::size_t k = 0; k < 8; ++k)
          x.scales[k] = k == only ? 1.0f : 0.0f;
        const ReferenceSum expected =
            reference_dot_quantized(row.format, row.bytes.data(), x.view(), 256);
        ASSERT_LE(expected.magnitude, 0x1p24);
        ASSERT_EQ(table().of(row.format).dot_quantized(row.bytes.data(), x.view(), 256),
                  expected.value)
            << row.name << ", " << x.name << ", run " << only;
      }
    }
  }
}

TEST_P(DotQuantized, agrees_with_dot_on_the_rounded_activations) {
  Random random(10);
  for (const NumberFormat format : quantized_formats) {
    constexpr std::size_t n = 1024;
    const Row row = random_row(format, n, random);
    const std::vector<float> x = random_floats(n, random);
    std::vector<std::int8_t> values(n);
    std::vector<float> scales(n / 32), rounded(n);
    std::vector<std::int32_t> sums(n / 32);
    table().quantize(x.data(), n, values.data(), scales.data(), sums.data());
    for (std::size_t i = 0; i < n; ++i) {
      rounded[i] = static_cast<float>(values[i]) * scales[i / 32];
    }
    const ReferenceSum expected = reference_dot(format, row.bytes.data(), rounded.data(), n);
    const QuantizedVector view = {values.data(), scales.data(), sums.data()};
    EXPECT_NEAR(table().of(format).dot_quantized(row.bytes.data(), view, n), expected.value,
                1e-6 * expected.magnitude)
        << name_of(format);
  }
}

TEST_P(DotQuantized, takes_unaligned_pointers) {
  Random random(11);
  for (const NumberFormat format : quantized_formats) {
    const std::size_t n = 3 * block_layout(format).length;
    const Row row = random_row(format, n, random);
    const Activations x = adversarial_activations(n, random).front();
    const float expected = table().of(format).dot_quantized(row.bytes.data(), x.view(), n);
    for (std::size_t shift = 1; shift < 16; ++shift) {
      std::vector<std::uint8_t> bytes(shift);
      bytes.insert(bytes.end(), row.bytes.begin(), row.bytes.end());
      Activations shifted = x;
      shifted.values.insert(shifted.values.begin(), shift, std::int8_t{0});
      shifted.scales.insert(shifted.scales.begin(), shift, 0.0f);
      shifted.block_sums.insert(shifted.block_sums.begin(), shift, 0);
      const QuantizedVector view = {shifted.values.data() + shift, shifted.scales.data() + shift,
                                    shifted.block_sums.data() + shift};
      EXPECT_EQ(table().of(format).dot_quantized(bytes.data() + shift, view, n), expected)
          << name_of(format) << " " << shift;
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
