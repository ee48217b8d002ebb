// Finding damaged weights.
#include "kernels/cpu/finite.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "rows.h"
#include "tables.h"

namespace thermocline::kernels::test {
namespace {

TEST(FirstNonFinite, finds_nothing_in_sound_rows_of_any_length) {
  Random random(32);
  for (const NumberFormat format : every_format) {
    const std::size_t length = block_layout(format).length;
    for (const std::size_t blocks : {0, 1, 2, 67, 255, 256, 257, 1000}) {
      const std::size_t n = blocks * length;
      const Row row = random_row(format, n, random);
      EXPECT_EQ(first_non_finite(format, row.bytes.data(), n), n) << name_of(format);
    }
  }
}

TEST(FirstNonFinite, finds_nothing_in_the_largest_and_smallest_values) {
  Random random(33);
  for (const NumberFormat format : every_format) {
    const std::size_t n = 2 * block_layout(format).length;
    for (const Row& row : adversarial_rows(format, n, random)) {
      EXPECT_EQ(first_non_finite(format, row.bytes.data(), n), n)
          << name_of(format) << ", " << row.name;
    }
  }
  const float largest = 0x1.fffffep127f;
  EXPECT_EQ(first_non_finite(NumberFormat::f32, &largest, 1), 1u);
}

TEST(FirstNonFinite, finds_the_first_damage_at_any_place) {
  Random random(34);
  for (const NumberFormat format : every_format) {
    const BlockLayout layout = block_layout(format);
    const std::size_t blocks = 600;
    const Row row = random_row(format, blocks * layout.length, random);
    for (const std::size_t place : {0, 1, 2, 254, 255, 256, 257, 511, 512, 513, 598, 599}) {
      std::vector<std::uint8_t> bytes = row.bytes;
      // A second damage behind the first must not be the one that is told.
      for (const std::size_t bad : {place, std::size_t{599}}) {
        std::uint8_t* block = bytes.data() + bad * layout.bytes;
        if (format == NumberFormat::f32) {
          const std::uint32_t bits = place % 2 == 0 ? 0x7f800001u : 0xff800000u;
          std::memcpy(block, &bits, 4);
        } else if (format == NumberFormat::bf16) {
          put_half(block, static_cast<std::uint16_t>(place % 2 == 0 ? 0x7f81 : 0xff80));
        } else {
          put_half(block + scale_offset(format),
                   static_cast<std::uint16_t>(place % 2 == 0 ? 0x7c01 : 0xfc00));
        }
      }
      EXPECT_EQ(first_non_finite(format, bytes.data(), row.n), place * layout.length)
          << name_of(format);
      bytes.insert(bytes.begin(), 0);
      EXPECT_EQ(first_non_finite(format, bytes.data() + 1, row.n), place * layout.length)
          << name_of(format) << ", unaligned";
    }
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
