#include "app/cli/line_reader.h"

#include "app/cli/host.h"

#include <cstdio>

namespace thermocline::cli {

Expected<std::optional<std::string>> PlainLineReader::read(const std::string& prompt) {
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
      if (broken && !interrupt_flag()) {
        return input_error("standard input", "can't be read",
                           "type there, or redirect a file or pipe with text");
      }
      if (broken || line.empty()) return std::optional<std::string>();
      return std::optional(std::move(line));
    }
    if (c == '\n') break;
    if (line.size() == limit_) return input_too_long("standard input", limit_);
    line += static_cast<char>(c);
  }
  if (line.ends_with('\r')) line.pop_back();
  return std::optional(std::move(line));
}

std::unique_ptr<LineReader> make_line_reader() {
  if (!is_terminal(Stream::input) || !is_terminal(Stream::output)) {
    return std::make_unique<PlainLineReader>();
  }
  const std::filesystem::path folder = data_directory();
  if (folder.empty()) return make_editing_reader({});
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  return make_editing_reader(failure ? std::filesystem::path() : folder / "chat-history.txt");
}

}  // namespace thermocline::cli
