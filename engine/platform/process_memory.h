// How much memory this process holds.
#pragma once

#include <cstdint>

namespace thermocline::platform {

// Resident bytes as the system counts them, mapped files included; 0 if it doesn't say.
std::uint64_t resident_bytes() noexcept;

}  // namespace thermocline::platform
