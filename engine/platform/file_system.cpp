// The parts of the file layer that are the same on every system.
#include "platform/file_system.h"

namespace thermocline::platform {

std::string to_utf8(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}

std::filesystem::path from_utf8(std::string_view text) {
  return std::filesystem::path(std::u8string(text.begin(), text.end()));
}

}  // namespace thermocline::platform
