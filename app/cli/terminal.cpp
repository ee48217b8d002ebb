#include "app/cli/terminal.h"

#include "app/cli/host.h"

#include <algorithm>
#include <cstdio>

namespace thermocline::cli {

std::string safe_for_terminal(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    safe += printable(text.substr(0, end));
    if (end < text.size()) safe += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

bool write_output(std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
         std::fflush(stdout) == 0;
}

bool write_untrusted(std::string_view text) {
  return is_terminal(Stream::output) ? write_output(safe_for_terminal(text)) : write_output(text);
}

void write_message(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  if (std::fwrite(text.data(), 1, text.size(), stderr) == text.size()) std::fflush(stderr);
}

Error output_error() {
  Error error;
  error.code = interrupt_flag() ? ErrorCode::cancelled : ErrorCode::write_failed;
  error.message = "standard output can't be written";
  error.remedy = "check the disk's free space or the program that reads it";
  return error;
}

ProgressLine::ProgressLine() : enabled_(is_terminal(Stream::error)) {}

void ProgressLine::show(std::string_view text) {
  if (!enabled_) return;
  std::string line = "\r" + std::string(text);
  if (text.size() < width_) line.append(width_ - text.size(), ' ');
  width_ = text.size();
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (width_ == 0) return;
  show("");
  std::fwrite("\r", 1, 1, stderr);
  std::fflush(stderr);
}

}  // namespace thermocline::cli
