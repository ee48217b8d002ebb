// What every step of the forward pass needs to know: where to compute, how precisely, and whether
// to give up.
#pragma once

#include "devices/cpu_device.h"

#include <thermocline/modes.h>

#include <atomic>

namespace thermocline::runtime {

struct ComputeContext {
  const devices::CpuDevice* device = nullptr;
  Precision precision = Precision::fast;
  const std::atomic<bool>* cancel = nullptr;

  bool cancelled() const noexcept {
    return cancel != nullptr && cancel->load(std::memory_order_relaxed);
  }
  const kernels::KernelTable& kernels() const noexcept { return *device->kernels; }
  devices::ThreadPool& pool() const noexcept { return *device->pool; }
};

}  // namespace thermocline::runtime
