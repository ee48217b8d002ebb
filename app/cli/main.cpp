// Starts the command line program with its arguments in UTF-8.
#include "app/cli/host.h"
#include "app/cli/program.h"
#include "platform/file_system.h"

#include <string>
#include <vector>

#ifdef _WIN32
int wmain(int count, wchar_t** words) {
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) {
    arguments.push_back(thermocline::platform::to_utf8(std::filesystem::path(words[i])));
  }
#else
int main(int count, char** words) {
  const std::vector<std::string> arguments(words + (count > 0 ? 1 : 0), words + count);
#endif
  thermocline::cli::prepare_process();
  return thermocline::cli::run_program(arguments);
}
