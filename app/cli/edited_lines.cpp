// Line editing and history by libedit.
#include "app/cli/chat_history.h"
#include "app/cli/host.h"
#include "app/cli/line_reader.h"

#include <editline/readline.h>
#include <langinfo.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

namespace thermocline::cli {
namespace {

bool use_locale(const char* name) {
  return std::setlocale(LC_CTYPE, name) != nullptr &&
         std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

// libedit drops characters that the locale's encoding lacks, and minimal systems set no locale at
// all. False if the system knows no UTF-8.
bool use_utf8() {
  return use_locale("") || use_locale("C.UTF-8") || use_locale("en_US.UTF-8");
}

class EditingReader : public LineReader {
 public:
  explicit EditingReader(std::filesystem::path history_file)
      : history_file_(std::move(history_file)) {
    using_history();
    stifle_history(static_cast<int>(most_history_lines));
    if (history_file_.empty()) return;
    for (const std::string& line : load_history(history_file_))
      add_history(line.c_str());
  }

  Expected<std::optional<std::string>> read(const std::string& prompt) override {
    const std::unique_ptr<char, decltype(&std::free)> typed(readline(prompt.c_str()), &std::free);
    if (!typed || interrupt_flag()) return std::optional<std::string>();
    std::string line = typed.get();
    if (!line.empty()) {
      add_history(line.c_str());
      // Written each time, so that nothing is lost when the program ends by force.
      if (!history_file_.empty()) append_history(history_file_, line);
    }
    return std::optional(std::move(line));
  }

 private:
  std::filesystem::path history_file_;
};

}  // namespace

std::unique_ptr<LineReader> make_editing_reader(const std::filesystem::path& history_file) {
  if (!use_utf8()) return std::make_unique<PlainLineReader>();
  return std::make_unique<EditingReader>(history_file);
}

}  // namespace thermocline::cli
