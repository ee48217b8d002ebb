// Reads what a person types, line by line.
#pragma once

#include "app/cli/input.h"

#include <thermocline/expected.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace thermocline::cli {

class LineReader {
 public:
  virtual ~LineReader() = default;
  // The next line without its end. Nothing at the end of the input, or when Ctrl+C was pressed
  // (interrupt_flag() is set then). Errors: file_unreadable (also for a line without end).
  virtual Expected<std::optional<std::string>> read(const std::string& prompt) = 0;
};

// Plain lines from standard input; the prompt goes to standard error if a person is there.
class PlainLineReader : public LineReader {
 public:
  // Refuses lines of more than `limit` bytes.
  explicit PlainLineReader(std::uint64_t limit = max_input_bytes) : limit_(limit) {}
  Expected<std::optional<std::string>> read(const std::string& prompt) override;

 private:
  std::uint64_t limit_;
};

// Line editing with a history in `history_file` (empty: none), or plain lines where this build has
// no line editing or the system knows no UTF-8 to edit in.
std::unique_ptr<LineReader> make_editing_reader(const std::filesystem::path& history_file);

// Edited lines if a terminal is at both ends, else plain ones.
std::unique_ptr<LineReader> make_line_reader();

}  // namespace thermocline::cli
