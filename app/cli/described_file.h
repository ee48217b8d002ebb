// What `thermocline inspect` shows, as JSON and as a table of it.
#pragma once

#include "app/cli/json_text.h"

#include <filesystem>
#include <string>

namespace thermocline::gguf {
class Container;
}
namespace thermocline::importer {
class Checkpoint;
}

namespace thermocline::cli {

// {file, kind, description, bytes, ..., keys, tensors, run}. `path` is where `file` was read: a
// model is opened to find out whether it would run.
Json described(const gguf::Container& file, const std::filesystem::path& path);
Json described(const importer::Checkpoint& file);
std::string table_of(const Json& described);

}  // namespace thermocline::cli
