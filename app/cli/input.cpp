#include "app/cli/input.h"

#include "app/cli/host.h"
#include "app/cli/sizes.h"
#include "platform/file_system.h"

#include <array>
#include <cstdio>

namespace thermocline::cli {
namespace {

Expected<std::string> read_all(std::FILE* file, const std::string& file_name, std::uint64_t limit) {
  std::string text;
  std::array<char, 65536> block{};
  for (;;) {
    const std::size_t count = std::fread(block.data(), 1, block.size(), file);
    text.append(block.data(), count);
    if (text.size() > limit) return input_too_long(file_name, limit);
    if (count == block.size()) continue;
    if (!std::ferror(file)) return text;
    return input_error(file_name, "can't be read", "check that it is a file or pipe with text");
  }
}

}  // namespace

Error input_error(std::string name, std::string message, std::string remedy) {
  Error error;
  error.code = interrupt_flag() ? ErrorCode::cancelled : ErrorCode::file_unreadable;
  error.file = std::move(name);
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

Error input_too_long(std::string name, std::uint64_t limit) {
  return input_error(std::move(name), "there is more than " + size_text(limit) + " of text",
                     "give less at once");
}

Expected<std::string> read_input(std::uint64_t limit) {
  return read_all(stdin, "standard input", limit);
}

Expected<std::string> read_input_file(const std::filesystem::path& path, std::uint64_t limit) {
  if (path == "-") return read_input(limit);
  const std::string name = platform::to_utf8(path);
  std::error_code failure;
  const std::filesystem::file_type type = std::filesystem::status(path, failure).type();
  const bool stream = type == std::filesystem::file_type::fifo ||
                      type == std::filesystem::file_type::character ||
                      type == std::filesystem::file_type::socket;
  if (!stream) {
    THERMOCLINE_ASSIGN(const auto file, platform::FileSystem::system().map(path));
    const std::span<const std::byte> bytes = file->bytes();
    if (bytes.size() > limit) return input_too_long(name, limit);
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const OpenFile file = open_for_reading(path);
  if (!file) return input_error(name, "can't be opened", "check the path and its permissions");
  return read_all(file.get(), name, limit);
}

}  // namespace thermocline::cli
