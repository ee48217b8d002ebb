// Reads what a person types, line by line.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace thermocline::cli {

class LineReader {
 public:
  virtual ~LineReader() = default;
  // The next line without its end. Nothing at the end of the input, or when Ctrl+C was pressed
  // (interrupt_flag() is set then).
  virtual std::optional<std::string> read(const std::string& prompt) = 0;
};

// Plain lines from standard input; the prompt goes to standard error if a person is there.
class PlainLineReader : public LineReader {
 public:
  std::optional<std::string> read(const std::string& prompt) override;
};

// Line editing with a history in `history_file` (empty: none), or plain lines where this build has
// no line editing.
std::unique_ptr<LineReader> make_editing_reader(const std::filesystem::path& history_file);

// Edited lines if a terminal is at both ends, else plain ones.
std::unique_ptr<LineReader> make_line_reader();

}  // namespace thermocline::cli
