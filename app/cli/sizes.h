// Sizes in bytes as people write them: "2.5GB", "800MiB", "4096".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thermocline::cli {

// kB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB powers of 1024; case doesn't matter.
std::optional<std::uint64_t> parse_size(std::string_view text);
// "1.50 GB"
std::string size_text(std::uint64_t bytes);

}  // namespace thermocline::cli
