#include "app/cli/chat_history.h"

#include "app/cli/host.h"
#include "platform/file_system.h"

#include <algorithm>
#include <span>

namespace thermocline::cli {
namespace {

// What may lie in the file before it is shortened.
constexpr std::size_t most_lines_in_file = 4 * most_history_lines;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void rewrite(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  auto writer = platform::FileSystem::system().write(file);
  if (!writer || !(*writer)->write(std::as_bytes(std::span(text.data(), text.size())))) return;
  static_cast<void>((*writer)->commit());
}

// The file is closed again afterwards: Windows replaces none that is open.
std::vector<std::string> all_lines(const std::filesystem::path& file) {
  const auto mapped = platform::FileSystem::system().map(file);
  if (!mapped) return {};
  const std::span<const std::byte> bytes = (*mapped)->bytes();
  return lines_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::vector<std::string> load_history(const std::filesystem::path& file) {
  std::vector<std::string> lines = all_lines(file);
  const bool shorten = lines.size() > most_lines_in_file;
  if (lines.size() > most_history_lines) {
    lines.erase(lines.begin(), lines.end() - most_history_lines);
  }
  if (shorten) rewrite(file, lines);
  return lines;
}

void append_history(const std::filesystem::path& file, std::string_view line) {
  if (line.empty() || line.find('\n') != std::string_view::npos) return;
  append_privately(file, std::string(line) + "\n");
}

}  // namespace thermocline::cli
