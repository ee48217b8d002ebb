// Line editing and history by libedit.
#include "app/cli/host.h"
#include "app/cli/line_reader.h"

#include <editline/readline.h>

#include <clocale>
#include <cstdlib>

namespace thermocline::cli {
namespace {

constexpr int most_history_lines = 1000;

class EditingReader : public LineReader {
 public:
  explicit EditingReader(const std::filesystem::path& history_file)
      : history_file_(history_file.string()) {
    std::setlocale(LC_CTYPE,
                   "");  // libedit moves over whole characters only if it knows the encoding
    using_history();
    stifle_history(most_history_lines);
    if (!history_file_.empty()) read_history(history_file_.c_str());
  }

  std::optional<std::string> read(const std::string& prompt) override {
    const std::unique_ptr<char, decltype(&std::free)> typed(readline(prompt.c_str()), &std::free);
    if (!typed || interrupt_flag()) return {};
    std::string line = typed.get();
    if (!line.empty()) {
      add_history(line.c_str());
      // Written each time, so that nothing is lost when the program ends by force.
      if (!history_file_.empty()) write_history(history_file_.c_str());
    }
    return line;
  }

 private:
  std::string history_file_;
};

}  // namespace

std::unique_ptr<LineReader> make_editing_reader(const std::filesystem::path& history_file) {
  return std::make_unique<EditingReader>(history_file);
}

}  // namespace thermocline::cli
