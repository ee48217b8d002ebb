// A fixed team of threads for short parallel loops. Between loops the workers spin briefly and then
// park, so an idle engine uses no core.
#pragma once

#include "devices/awaited_counter.h"

#include <thermocline/expected.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace thermocline::devices {

class ThreadPool {
 public:
  // A team of `threads` (at least 1), the calling thread included. Error: the system gives no
  // threads.
  static Expected<std::unique_ptr<ThreadPool>> create(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // Calls task(member) once for each member 0..size()-1, member 0 on the calling thread, and
  // returns when all are done; what they wrote is visible then. Only one thread may call run() at a
  // time, and not from inside a task. The task must not throw.
  template <typename Task>
  void run(Task&& task) {
    static_assert(std::is_nothrow_invocable_v<Task&, unsigned>, "a task must be noexcept");
    using Plain = std::remove_reference_t<Task>;
    start([](void* context, unsigned member) noexcept { (*static_cast<Plain*>(context))(member); },
          const_cast<std::remove_const_t<Plain>*>(&task));
  }

 private:
  using Function = void (*)(void*, unsigned) noexcept;
  ThreadPool() = default;
  void start(Function function, void* context);
  void work(unsigned member);

  // `round_` counts loops; a worker runs one each time it changes. Both sides spin before they
  // sleep.
  AwaitedCounter round_;
  AwaitedCounter running_;
  Function function_ = nullptr;
  void* context_ = nullptr;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};

// Member `member`'s share of 0..count, in multiples of `grain`: the same for a given team size.
struct Range {
  std::size_t begin;
  std::size_t end;
};
Range share_of(std::size_t count, std::size_t grain, unsigned member, unsigned members);

}  // namespace thermocline::devices
