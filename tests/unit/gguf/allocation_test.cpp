// The reader's memory follows what a file holds, never what it announces.
#include "heap/heap.h"
#include "raw_gguf.h"

namespace thermocline::gguf::testing {
namespace {

constexpr std::size_t allowance = 65536;

void expect_modest(const RawGguf& file, bool accepted) {
  const thermocline::testing::AllocationLog log;
  const auto container = Container::parse(file.bytes(), "x");
  const std::size_t largest = log.largest();
  const std::size_t total = log.total();
  EXPECT_EQ(container.has_value(), accepted);
  EXPECT_LE(largest, file.size() + allowance);
  EXPECT_LE(total, 4 * (file.size() + allowance));
}

TEST(Allocation, log_sees_what_is_allocated) {
  const thermocline::testing::AllocationLog log;
  const std::vector<std::byte> block(123456);
  EXPECT_GE(log.largest(), block.size());
  EXPECT_GE(log.total(), block.size());
}

TEST(Allocation, announced_records_cost_nothing) {
  for (const std::uint64_t count :
       {std::uint64_t{65536}, std::uint64_t{1} << 24, huge / 88, huge}) {
    expect_modest(RawGguf(count, 0).zeros(1000), false);
    expect_modest(RawGguf(0, count).zeros(1000), false);
  }
}

TEST(Allocation, records_that_would_fit_but_are_broken_cost_nothing) {
  expect_modest(RawGguf(60000, 0).zeros(std::size_t{60000} * 24), false);
  expect_modest(RawGguf(0, 60000).zeros(std::size_t{60000} * 13), false);
}

TEST(Allocation, announced_lengths_cost_nothing) {
  for (const std::uint64_t length : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, huge}) {
    expect_modest(RawGguf(0, 1).number(length).zeros(100), false);
    expect_modest(RawGguf(0, 1).string("k").type(ValueType::string).number(length).zeros(100),
                  false);
    for (const ValueType type : {ValueType::u8, ValueType::f64, ValueType::string}) {
      expect_modest(RawGguf(0, 1).array("k", type, length).zeros(100), false);
    }
    expect_modest(RawGguf(1, 0).tensor("w", {length}, 0, 0).zeros(100), false);
  }
}

TEST(Allocation, arrays_are_not_copied) {
  constexpr std::uint64_t count = 500000;
  RawGguf strings(0, 1);
  strings.array("tokens", ValueType::string, count).zeros(count * 8);
  RawGguf numbers(0, 1);
  numbers.array("scores", ValueType::f32, count).zeros(count * 4);
  for (const RawGguf& file : {strings, numbers}) {
    const thermocline::testing::AllocationLog log;
    const auto container = Container::parse(file.bytes(), "x");
    const std::size_t total = log.total();
    ASSERT_TRUE(container);
    EXPECT_LE(total, allowance);
  }
}

TEST(Allocation, real_records_cost_a_small_multiple_of_their_bytes) {
  constexpr std::uint64_t count = 20000;
  RawGguf file(0, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    file.pair("k" + std::to_string(i), ValueType::u8, std::uint8_t{1});
  }
  const thermocline::testing::AllocationLog log;
  const auto container = Container::parse(file.bytes(), "x");
  const std::size_t total = log.total();
  ASSERT_TRUE(container);
  EXPECT_LE(total, 32 * file.size());
}

}  // namespace
}  // namespace thermocline::gguf::testing
