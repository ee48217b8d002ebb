// Which kernels this processor can run, and how many threads are worth using.
#pragma once

#include "kernels/cpu/kernel_table.h"

#include <thermocline/expected.h>

#include <string_view>

namespace thermocline::platform {

// Asked from the processor, including whether the operating system saves the wide registers.
kernels::CpuFeatures detect_cpu_features();

// The level named by THERMOCLINE_CPU or an option: "scalar", "avx2", "avx512"; empty means the
// best. Error: an unknown name, or a level that this processor doesn't have.
Expected<kernels::CpuLevel> parse_cpu_level(std::string_view name,
                                            const kernels::CpuFeatures& features);

// The value of an environment variable, empty if unset.
std::string environment(const char* name);

// Number of physical cores this process may use, at least 1.
unsigned usable_cores();

}  // namespace thermocline::platform
