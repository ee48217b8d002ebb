#include "platform/process_memory.h"

#if defined(_WIN32)
#include <windows.h>
// After windows.h, which it needs.
#include <psapi.h>
#elif defined(__linux__)
#include <unistd.h>
#include <cstdio>
#endif

namespace thermocline::platform {

std::uint64_t resident_bytes() noexcept {
#if defined(_WIN32)
  PROCESS_MEMORY_COUNTERS counters = {};
  if (K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters)) == 0) return 0;
  return counters.WorkingSetSize;
#elif defined(__linux__)
  std::FILE* file = std::fopen("/proc/self/statm", "r");  // NOLINT: closed below
  if (file == nullptr) return 0;
  unsigned long long total = 0;
  unsigned long long resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &total, &resident);  // NOLINT: numbers only
  std::fclose(file);                                                   // NOLINT: opened above
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
#else
  return 0;
#endif
}

}  // namespace thermocline::platform
