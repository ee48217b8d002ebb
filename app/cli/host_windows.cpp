#include "app/cli/host.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace thermocline::cli {
namespace {

std::atomic<bool> interrupted{false};

std::atomic<bool> terminated{false};

extern "C" void note_interrupt(int signal) {
  if (signal != SIGINT) terminated.store(true);
  interrupted.store(true);
  std::signal(signal, note_interrupt);  // Windows forgets the handler when it calls it
}

std::filesystem::path environment_path(const wchar_t* name) {
  const wchar_t* value = _wgetenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

}  // namespace

bool is_terminal(Stream stream) {
  switch (stream) {
    case Stream::input:
      return _isatty(_fileno(stdin)) != 0;
    case Stream::output:
      return _isatty(_fileno(stdout)) != 0;
    case Stream::error:
      return _isatty(_fileno(stderr)) != 0;
  }
  return false;
}

std::filesystem::path executable_path() {
  std::array<wchar_t, 32768> name{};
  const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
  if (length == 0 || length >= name.size()) return {};
  return std::filesystem::path(std::wstring(name.data(), length));
}

OpenFile open_for_reading(const std::filesystem::path& path) {
  return OpenFile(_wfopen(path.c_str(), L"rb"));
}

bool append_privately(const std::filesystem::path& path, std::string_view text) {
  const OpenFile file(_wfopen(path.c_str(), L"ab"));  // the profile's folders are private already
  return file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
         std::fflush(file.get()) == 0;
}

std::filesystem::path data_directory() {
  if (auto path = environment_path(L"THERMOCLINE_DATA_DIR"); !path.empty()) return path;
  if (auto path = environment_path(L"APPDATA"); !path.empty()) return path / "Thermocline";
  return {};
}

void prepare_process() {
  for (std::FILE* stream : {stdin, stdout, stderr})
    _setmode(_fileno(stream), _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  SetConsoleCP(CP_UTF8);
  for (const int signal : {SIGINT, SIGTERM, SIGBREAK})
    std::signal(signal, note_interrupt);
}

bool termination_requested() {
  return terminated;
}

std::atomic<bool>& interrupt_flag() {
  return interrupted;
}

}  // namespace thermocline::cli
