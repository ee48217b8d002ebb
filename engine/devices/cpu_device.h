// The processor as a compute device: its kernels and its team of threads.
#pragma once

#include "devices/thread_pool.h"
#include "kernels/cpu/kernel_table.h"

#include <memory>

namespace thermocline::devices {

struct CpuDevice {
  const kernels::KernelTable* kernels = nullptr;
  std::unique_ptr<ThreadPool> pool;

  // Chooses the best kernel level, or the one that THERMOCLINE_CPU names. `threads` 0: one per
  // physical core. Errors: an unknown or unavailable level, no threads.
  static Expected<CpuDevice> create(unsigned threads);
};

}  // namespace thermocline::devices
