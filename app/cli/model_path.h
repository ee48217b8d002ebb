// Finds the file that the MODEL of a command line means.
#pragma once

#include <thermocline/expected.h>

#include <filesystem>
#include <string_view>

namespace thermocline::cli {

// `name` is a file, a folder with exactly one .gguf file, or "demo" for the built-in model.
Expected<std::filesystem::path> resolve_model(std::string_view name);

}  // namespace thermocline::cli
