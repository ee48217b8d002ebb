// Writing to the standard streams, so that nothing a model or file says can disturb a
// terminal.
#pragma once

#include <thermocline/error.h>

#include <string>
#include <string_view>

namespace thermocline::cli {

// `text` with control characters other than newline and tab, and bidirectional overrides, replaced
// by visible escapes.
std::string safe_for_terminal(std::string_view text);

// Writes bytes to standard output at once. False if that isn't possible (closed pipe, full disk).
bool write_output(std::string_view bytes);
// The same for text that a model or file said: made safe if standard output is a terminal.
bool write_untrusted(std::string_view text);
// Writes a line to standard error, which may fail silently.
void write_message(std::string_view line);
Error output_error();  // write_failed, or cancelled after Ctrl+C

// A line on standard error that is overwritten as things go on; silent unless that's a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(std::string_view text);
  void clear();

 private:
  bool enabled_;
  std::size_t width_ = 0;
};

}  // namespace thermocline::cli
