// Stands in for edited_lines.cpp where no line editing library was found.
#include "app/cli/line_reader.h"

namespace thermocline::cli {

std::unique_ptr<LineReader> make_editing_reader(const std::filesystem::path&) {
  return std::make_unique<PlainLineReader>();
}

}  // namespace thermocline::cli
