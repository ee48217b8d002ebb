#include "app/cli/line_reader.h"

#include "app/cli/host.h"

#include <cstdio>

namespace thermocline::cli {

std::optional<std::string> PlainLineReader::read(const std::string& prompt) {
  if (is_terminal(Stream::input)) {
    std::fwrite(prompt.data(), 1, prompt.size(), stderr);
    std::fflush(stderr);
  }
  std::string line;
  for (;;) {
    const int c = std::getc(stdin);
    if (c == EOF) {
      const bool broken = std::ferror(stdin) != 0;
      std::clearerr(stdin);
      if (broken || line.empty()) return {};
      return line;
    }
    if (c == '\n') break;
    line += static_cast<char>(c);
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::unique_ptr<LineReader> make_line_reader() {
  if (!is_terminal(Stream::input) || !is_terminal(Stream::output)) {
    return std::make_unique<PlainLineReader>();
  }
  const std::filesystem::path folder = data_directory();
  if (folder.empty()) return make_editing_reader({});
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  return make_editing_reader(failure ? std::filesystem::path() : folder / "chat-history");
}

}  // namespace thermocline::cli
