// The whole program, apart from how the system starts it.
#pragma once

#include <span>
#include <string>

namespace thermocline::cli {

// `words` are the arguments without the program's name, in UTF-8. Gives the exit code.
int run_program(std::span<const std::string> words);

}  // namespace thermocline::cli
