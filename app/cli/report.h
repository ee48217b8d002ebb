// Exit codes, and the one line that goes with a failure.
#pragma once

#include <thermocline/error.h>

#include <string_view>

namespace thermocline::cli {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_wrong_usage = 2;
inline constexpr int exit_interrupted = 130;

// For what went wrong while working. Gives exit_interrupted for `cancelled`, without a line.
int report_failure(const Error& error);
// For an option or operand that can't be taken; `unsupported` is no wrong usage but a failure.
int report_usage(Error error, std::string_view command = {});
// Writes the last output of a command.
int finish_with(std::string_view output);

}  // namespace thermocline::cli
