// A conversation as Markdown, for /save.
#pragma once

#include "app/cli/prompt_templates.h"

#include <thermocline/expected.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace thermocline::cli {

std::string transcript(const Conversation& conversation, std::string_view model_name);
// Replaces `path` as a whole or not at all.
Expected<void> save_transcript(const std::filesystem::path& path, const std::string& text);

}  // namespace thermocline::cli
