// Files that a command writes because a person named them.
#pragma once

#include "platform/file_system.h"

namespace thermocline::cli {

// Starts writing `path` as FileSystem::write does, but never in place of a model: a slip of the
// keyboard must not cost a download of many gigabytes. Errors: write_failed if a file of a model's
// kind lies there (also through a link), file_unreadable if what lies there can't be looked at,
// and those of FileSystem::write.
Expected<std::unique_ptr<platform::FileWriter>> write_output_file(
    const std::filesystem::path& path);

}  // namespace thermocline::cli
