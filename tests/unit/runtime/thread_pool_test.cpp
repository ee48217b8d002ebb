#include "devices/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <numeric>
#include <vector>

namespace thermocline::devices {
namespace {

TEST(ThreadPool, every_member_runs_once_per_loop) {
  for (const unsigned threads : {1u, 2u, 3u, 5u}) {
    auto pool = ThreadPool::create(threads);
    ASSERT_TRUE(pool);
    std::vector<int> counts(threads, 0);
    for (int loop = 0; loop < 2000; ++loop) {
      (*pool)->run([&](unsigned member) noexcept { ++counts[member]; });
    }
    EXPECT_EQ(counts, std::vector<int>(threads, 2000));
  }
}

TEST(ThreadPool, loops_see_what_earlier_loops_wrote) {
  auto pool = ThreadPool::create(3);
  ASSERT_TRUE(pool);
  std::vector<int> values(3, 0);
  for (int loop = 0; loop < 500; ++loop) {
    (*pool)->run([&](unsigned member) noexcept { values[member] += 1; });
    (*pool)->run([&](unsigned member) noexcept {
      if (values[(member + 1) % 3] != loop + 1) values[member] = -1000000;
    });
  }
  EXPECT_EQ(values, std::vector<int>(3, 500));
}

#ifndef _WIN32  // There, std::clock() is the time of day.
TEST(ThreadPool, uses_no_processor_time_while_idle) {
  auto pool = ThreadPool::create(3);
  ASSERT_TRUE(pool);
  (*pool)->run([](unsigned) noexcept {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // A spinning worker would use all of the 300 ms; parked ones use none.
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.15);
}
#endif

TEST(ThreadPool, shares_cover_everything_once) {
  for (const std::size_t count : {0u, 1u, 31u, 32u, 100u, 4096u}) {
    for (const unsigned members : {1u, 2u, 3u, 7u}) {
      std::size_t next = 0;
      for (unsigned m = 0; m < members; ++m) {
        const Range share = share_of(count, 32, m, members);
        EXPECT_EQ(share.begin, next);
        EXPECT_LE(share.begin, share.end);
        next = share.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace thermocline::devices
