// A counter that threads wait on: they spin first and then sleep. std::atomic::wait would do, but
// where the system has no futex (MinGW's library) it was seen to miss wake-ups.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace thermocline::devices {

// All members may be called from any thread.
class AwaitedCounter {
 public:
  std::uint32_t load() const noexcept { return value_.load(std::memory_order_acquire); }

  // Changes the value without waking anyone.
  void store(std::uint32_t value) noexcept { value_.store(value, std::memory_order_release); }

  // Adds `step` (which may be a negative number) and returns the new value. Wakes nobody.
  std::uint32_t add(std::int32_t step) noexcept {
    const auto unsigned_step = static_cast<std::uint32_t>(step);
    return value_.fetch_add(unsigned_step, std::memory_order_seq_cst) + unsigned_step;
  }

  // Wakes all that sleep in await_change(); to be called after a change that they wait for.
  void wake() noexcept;

  // Returns once the value differs from `old`; what was written before the change is visible then.
  void await_change(std::uint32_t old) noexcept;

 private:
  alignas(64) std::atomic<std::uint32_t> value_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace thermocline::devices
