#include "devices/thread_pool.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace thermocline::devices {

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
  round_.add(1);
  round_.wake();
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
  running_.store(static_cast<std::uint32_t>(workers_.size()));
  round_.add(1);
  round_.wake();
  function(context, 0);
  for (std::uint32_t left = running_.load(); left != 0; left = running_.load()) {
    running_.await_change(left);
  }
}

void ThreadPool::work(unsigned member) {
  std::uint32_t seen = 0;
  while (true) {
    round_.await_change(seen);
    // One step at a time: run() can't begin a further round before this one is counted as done.
    ++seen;
    if (ending_) return;
    function_(context_, member);
    if (running_.add(-1) == 0) running_.wake();
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
