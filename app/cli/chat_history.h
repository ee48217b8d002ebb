// What was typed in earlier chats: a text file with one entry a line, the newest last. Several
// chats may write it at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::cli {

inline constexpr std::size_t most_history_lines = 1000;

// The newest entries. A file that has grown much longer than that is shortened; one that can't be
// read is an empty history.
std::vector<std::string> load_history(const std::filesystem::path& file);
// Adds an entry; a history that can't be written is no reason to disturb a chat.
void append_history(const std::filesystem::path& file, std::string_view line);

}  // namespace thermocline::cli
