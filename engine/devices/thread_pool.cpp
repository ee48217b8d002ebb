#include "devices/thread_pool.h"

#include <algorithm>
#include <string>
#include <system_error>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace thermocline::devices {
namespace {

// Long enough to bridge the gap between two loops of a forward pass (microseconds), short enough
// that nothing shows in a process monitor.
constexpr int spins_before_parking = 4000;

void pause_briefly() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Returns once `value` differs from `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < spins_before_parking; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

Expected<std::unique_ptr<ThreadPool>> ThreadPool::create(unsigned threads) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool);  // NOLINT: private constructor
  const unsigned wanted = std::clamp(threads, 1u, 1024u);
  pool->workers_.reserve(wanted - 1);
  try {
    for (unsigned member = 1; member < wanted; ++member) {
      pool->workers_.emplace_back([raw = pool.get(), member] { raw->work(member); });
    }
  } catch (const std::system_error&) {
    Error error;
    error.code = ErrorCode::out_of_memory;
    error.message = "the system gives no more threads";
    error.wanted = std::to_string(wanted);
    error.found = std::to_string(pool->size());
    error.remedy = "ask for fewer threads";
    return error;
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  ending_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_)
    worker.join();
}

void ThreadPool::start(Function function, void* context) {
  if (workers_.empty()) {
    function(context, 0);
    return;
  }
  function_ = function;
  context_ = context;
  running_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  function(context, 0);
  for (std::uint32_t left = running_.load(std::memory_order_acquire); left != 0;
       left = running_.load(std::memory_order_acquire)) {
    await_change(running_, left);
  }
}

void ThreadPool::work(unsigned member) {
  std::uint32_t seen = 0;
  while (true) {
    await_change(round_, seen);
    // One step at a time: run() can't begin a further round before this one is counted as done.
    ++seen;
    if (ending_) return;
    function_(context_, member);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

Range share_of(std::size_t count, std::size_t grain, unsigned member, unsigned members) {
  const std::size_t grains = (count + grain - 1) / grain;
  const std::size_t each = grains / members;
  const std::size_t extra = grains % members;
  const std::size_t first = member * each + std::min<std::size_t>(member, extra);
  const std::size_t last = first + each + (member < extra ? 1 : 0);
  return {std::min(count, first * grain), std::min(count, last * grain)};
}

}  // namespace thermocline::devices
