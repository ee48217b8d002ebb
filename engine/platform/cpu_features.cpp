#include "platform/cpu_features.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>

#if defined(__x86_64__) || defined(_M_X64)
#define THERMOCLINE_X86 1
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace thermocline::platform {
namespace {

#if defined(THERMOCLINE_X86)
struct Registers {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf) {
  Registers r;
#if defined(_MSC_VER)
  int values[4] = {};
  __cpuidex(values, static_cast<int>(leaf), static_cast<int>(subleaf));
  r = {static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1]),
       static_cast<std::uint32_t>(values[2]), static_cast<std::uint32_t>(values[3])};
#else
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
#endif
  return r;
}

// XCR0: the register state that the operating system saves on a context switch.
std::uint64_t saved_state() {
#if defined(_MSC_VER)
  return _xgetbv(0);
#else
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<std::uint64_t>(high) << 32 | low;
#endif
}

bool bit(std::uint32_t value, int position) {
  return (value >> position & 1u) != 0;
}
#endif

#if defined(__linux__)
// Distinct (package, core) pairs among the processors this process may run on; 0 if unknown.
unsigned physical_cores_allowed() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 0;
  std::set<std::pair<int, int>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<unsigned>(cpu), &allowed)) continue;
    const std::string base = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    int package = -1;
    int core = -1;
    if (!(std::ifstream(base + "physical_package_id") >> package)) return 0;
    if (!(std::ifstream(base + "core_id") >> core)) return 0;
    cores.emplace(package, core);
  }
  return static_cast<unsigned>(cores.size());
}
#endif

}  // namespace

kernels::CpuFeatures detect_cpu_features() {
  kernels::CpuFeatures features;
#if defined(THERMOCLINE_X86)
  if (cpuid(0, 0).eax < 7) return features;
  const Registers one = cpuid(1, 0);
  const bool has_xsave = bit(one.ecx, 27);
  if (!has_xsave) return features;
  const std::uint64_t state = saved_state();
  const bool saves_ymm = (state & 0x6) == 0x6;
  const bool saves_zmm = (state & 0xE6) == 0xE6;
  const Registers seven = cpuid(7, 0);
  features.avx2 =
      saves_ymm && bit(one.ecx, 28) && bit(one.ecx, 12) && bit(one.ecx, 29) && bit(seven.ebx, 5);
  features.avx512 = features.avx2 && saves_zmm && bit(seven.ebx, 16) && bit(seven.ebx, 17) &&
                    bit(seven.ebx, 30) && bit(seven.ebx, 31);
  features.avx512_vnni = features.avx512 && bit(seven.ecx, 11);
#endif
  return features;
}

Expected<kernels::CpuLevel> parse_cpu_level(std::string_view name,
                                            const kernels::CpuFeatures& features) {
  using kernels::CpuLevel;
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.wanted = "scalar, avx2 or avx512";
  error.found = std::string(name);
  if (name.empty()) return CpuLevel::avx512;
  if (name == "scalar") return CpuLevel::scalar;
  if (name == "avx2" || name == "avx512") {
    if (name == "avx2" ? features.avx2 : features.avx512) {
      return name == "avx2" ? CpuLevel::avx2 : CpuLevel::avx512;
    }
    error.code = ErrorCode::unsupported;
    error.message = "this processor can't run the kernel level that THERMOCLINE_CPU asks for";
    error.wanted = features.avx2 ? "scalar or avx2" : "scalar";
    error.remedy = "unset THERMOCLINE_CPU to use the best level";
    return error;
  }
  error.message = "THERMOCLINE_CPU names no kernel level";
  error.remedy = "unset it to use the best level";
  return error;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

unsigned usable_cores() {
  unsigned cores = 0;
#if defined(__linux__)
  cores = physical_cores_allowed();
#endif
  if (cores == 0) cores = std::thread::hardware_concurrency();
  return std::max(1u, cores);
}

}  // namespace thermocline::platform
