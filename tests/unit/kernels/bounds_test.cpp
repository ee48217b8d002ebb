// No kernel touches memory beside its arguments: every array lies against an inaccessible page,
// once with its end and once with its start. Results must be those of ordinary memory.
#include <gtest/gtest.h>

#include "guarded_memory.h"
#include "kernels/cpu/finite.h"
#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

using Bounds = EveryTable;
THERMOCLINE_FOR_EVERY_TABLE(Bounds);

constexpr GuardedMemory::Against both_sides[] = {GuardedMemory::Against::start,
                                                 GuardedMemory::Against::end};

template <class T>
std::vector<T> copy_of(GuardedMemory& memory, std::size_t count) {
  return {memory.as<T>(), memory.as<T>() + count};
}

TEST_P(Bounds, hold_for_rows_and_floats) {
  Random random(28);
  for (const NumberFormat format : every_format) {
    const FormatKernels& kernels = table().of(format);
    for (const std::size_t n : lengths(format)) {
      const Row row = random_row(format, n, random);
      const std::vector<float> x = random_floats(n, random);
      std::vector<float> weights(n), y = x;
      kernels.dequantize(row.bytes.data(), weights.data(), n);
      kernels.add_scaled(row.bytes.data(), 0.5f, y.data(), n);
      for (const GuardedMemory::Against side : both_sides) {
        GuardedMemory guarded_row(row.bytes.size(), side), floats(n * sizeof(float), side);
        guarded_row.fill(row.bytes);
        const auto* at = guarded_row.as<const std::uint8_t>();
        kernels.dequantize(at, floats.as<float>(), n);
        EXPECT_EQ(copy_of<float>(floats, n), weights) << name_of(format) << " " << n;
        floats.fill(x);
        EXPECT_EQ(kernels.dot(at, floats.as<float>(), n),
                  kernels.dot(row.bytes.data(), x.data(), n));
        kernels.add_scaled(at, 0.5f, floats.as<float>(), n);
        EXPECT_EQ(copy_of<float>(floats, n), y) << name_of(format) << " " << n;
        EXPECT_EQ(first_non_finite(format, at, n), n);
      }
    }
  }
}

TEST_P(Bounds, hold_for_quantised_activations) {
  Random random(29);
  for (const NumberFormat format : quantized_formats) {
    const FormatKernels& kernels = table().of(format);
    for (const std::size_t n : lengths(format)) {
      const Row row = random_row(format, n, random);
      const Activations x = adversarial_activations(n, random).front();
      const float expected = kernels.dot_quantized(row.bytes.data(), x.view(), n);
      for (const GuardedMemory::Against side : both_sides) {
        GuardedMemory guarded_row(row.bytes.size(), side), values(n, side);
        GuardedMemory scales(n / 8, side), sums(n / 8, side);
        guarded_row.fill(row.bytes);
        values.fill(x.values);
        scales.fill(x.scales);
        sums.fill(x.block_sums);
        const QuantizedVector view = {values.as<const std::int8_t>(), scales.as<const float>(),
                                      sums.as<const std::int32_t>()};
        EXPECT_EQ(kernels.dot_quantized(guarded_row.as<const std::uint8_t>(), view, n), expected)
            << name_of(format) << " " << n;
      }
    }
  }
}

TEST_P(Bounds, hold_for_quantising) {
  Random random(30);
  for (std::size_t n = 32; n <= 320; n += 32) {
    const std::vector<float> x = random_floats(n, random);
    std::vector<std::int8_t> expected(n);
    std::vector<float> expected_scales(n / 32);
    std::vector<std::int32_t> expected_sums(n / 32);
    table().quantize(x.data(), n, expected.data(), expected_scales.data(), expected_sums.data());
    for (const GuardedMemory::Against side : both_sides) {
      GuardedMemory floats(4 * n, side), values(n, side), scales(n / 8, side), sums(n / 8, side);
      floats.fill(x);
      table().quantize(floats.as<const float>(), n, values.as<std::int8_t>(), scales.as<float>(),
                       sums.as<std::int32_t>());
      EXPECT_EQ(copy_of<std::int8_t>(values, n), expected);
      EXPECT_EQ(copy_of<float>(scales, n / 32), expected_scales);
      EXPECT_EQ(copy_of<std::int32_t>(sums, n / 32), expected_sums);
    }
  }
}

TEST_P(Bounds, hold_for_halves) {
  Random random(31);
  for (std::size_t n = 0; n <= 67; ++n) {
    const std::vector<float> x = random_floats(n, random);
    std::vector<std::uint16_t> expected(n);
    table().to_half(x.data(), expected.data(), n);
    for (const GuardedMemory::Against side : both_sides) {
      GuardedMemory floats(4 * n, side), halves(2 * n, side);
      floats.fill(x);
      table().to_half(floats.as<const float>(), halves.as<std::uint16_t>(), n);
      EXPECT_EQ(copy_of<std::uint16_t>(halves, n), expected);
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
