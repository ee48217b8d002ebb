// Text that a person gives to the program: standard input and files named as options.
#pragma once

#include <thermocline/expected.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace thermocline::cli {

// More is refused: an endless stream must not fill the memory. Tokenising takes up to about 55
// bytes for each byte of text.
inline constexpr std::uint64_t max_input_bytes = std::uint64_t{64} << 20;

// Errors about text from `name`, "standard input" or a file: cancelled after Ctrl+C, else
// file_unreadable.
Error input_error(std::string name, std::string message, std::string remedy);
Error input_too_long(std::string name, std::uint64_t limit);

// All of standard input as bytes. Errors: file_unreadable (also for more than `limit` bytes),
// cancelled (Ctrl+C).
Expected<std::string> read_input(std::uint64_t limit = max_input_bytes);
// All of a file, pipe or device as bytes; "-" is standard input. Errors: the same, and
// file_not_found.
Expected<std::string> read_input_file(const std::filesystem::path& path,
                                      std::uint64_t limit = max_input_bytes);

}  // namespace thermocline::cli
