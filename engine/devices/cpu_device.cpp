#include "devices/cpu_device.h"

#include "platform/cpu_features.h"

namespace thermocline::devices {

Expected<CpuDevice> CpuDevice::create(unsigned threads) {
  const kernels::CpuFeatures features = platform::detect_cpu_features();
  THERMOCLINE_ASSIGN(const kernels::CpuLevel limit,
                     platform::parse_cpu_level(platform::environment("THERMOCLINE_CPU"), features));
  CpuDevice device;
  device.kernels = &kernels::select_kernels(features, limit);
  THERMOCLINE_ASSIGN(device.pool,
                     ThreadPool::create(threads == 0 ? platform::usable_cores() : threads));
  return device;
}

}  // namespace thermocline::devices
