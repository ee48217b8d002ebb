#include "devices/awaited_counter.h"

#include <thread>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace thermocline::devices {
namespace {

// Long enough to bridge the gap between two loops of a forward pass (microseconds), short enough
// that nothing shows in a process monitor.
constexpr int spins_before_sleeping = 4000;

void pause_briefly() noexcept {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

// Sequential consistency makes it impossible that the changing thread sees no sleeper while the
// sleeper sees no change: each announces itself before it looks at the other.
void AwaitedCounter::wake() noexcept {
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  // A sleeper holds the mutex between its look at the value and its sleep.
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void AwaitedCounter::await_change(std::uint32_t old) noexcept {
  for (int i = 0; i < spins_before_sleeping; ++i) {
    if (load() != old) return;
    pause_briefly();
  }
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return value_.load(std::memory_order_seq_cst) != old; });
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace thermocline::devices
