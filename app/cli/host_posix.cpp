#include "app/cli/host.h"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <array>
#include <cstdint>
#endif

namespace thermocline::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such a flag");

std::atomic<bool> terminated{false};

extern "C" void note_interrupt(int signal) {
  if (signal != SIGINT) terminated.store(true);
  interrupted.store(true);
}

std::filesystem::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

}  // namespace

bool is_terminal(Stream stream) {
  switch (stream) {
    case Stream::input:
      return isatty(STDIN_FILENO) == 1;
    case Stream::output:
      return isatty(STDOUT_FILENO) == 1;
    case Stream::error:
      return isatty(STDERR_FILENO) == 1;
  }
  return false;
}

std::filesystem::path executable_path() {
  std::error_code failure;
#ifdef __APPLE__
  std::array<char, 4096> name{};
  std::uint32_t size = static_cast<std::uint32_t>(name.size());
  if (_NSGetExecutablePath(name.data(), &size) != 0) return {};
  return std::filesystem::canonical(name.data(), failure);
#else
  return std::filesystem::read_symlink("/proc/self/exe", failure);
#endif
}

OpenFile open_for_reading(const std::filesystem::path& path) {
  return OpenFile(std::fopen(path.c_str(), "rb"));
}

bool append_privately(const std::filesystem::path& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && written;
}

std::filesystem::path data_directory() {
  if (auto path = environment_path("THERMOCLINE_DATA_DIR"); !path.empty()) return path;
  if (auto path = environment_path("XDG_DATA_HOME"); path.is_absolute())
    return path / "thermocline";
  if (auto path = environment_path("HOME"); !path.empty()) {
    return path / ".local" / "share" / "thermocline";
  }
  return {};
}

void prepare_process() {
  // A closed pipe and a file that may not grow are errors of the write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Every piece of output is flushed at once anyway, and what a stuck reader didn't take must not
  // keep the program from ending.
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART a read at the prompt ends when Ctrl+C is pressed.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // nohup and shells in the background have it ignored; that stays so.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

bool termination_requested() {
  return terminated;
}

std::atomic<bool>& interrupt_flag() {
  return interrupted;
}

}  // namespace thermocline::cli
