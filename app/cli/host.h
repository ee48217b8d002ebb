// What the command line needs from the operating system; one source file for each kind.
#pragma once

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace thermocline::cli {

enum class Stream { input, output, error };

bool is_terminal(Stream stream);
// The running program's file; empty if the system doesn't tell.
std::filesystem::path executable_path();
struct CloseFile {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the unique_ptr below is the owner
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;
// fopen() for reading bytes, with any path; null if that fails.
OpenFile open_for_reading(const std::filesystem::path& path);
// Adds `text` at the end of a file in one piece, so that several programs can do so; a new file can
// be read by its owner only. False if that isn't possible.
bool append_privately(const std::filesystem::path& path, std::string_view text);
// Where chat history lies: $THERMOCLINE_DATA_DIR or the system's place for such data; may be empty.
std::filesystem::path data_directory();
// Streams carry bytes unchanged, a closed pipe is a write error instead of a signal, Ctrl+C sets
// interrupt_flag(), and a request to end sets both flags.
void prepare_process();
// Whether the system asked the program to end (SIGTERM, SIGHUP): it then cleans up and goes.
bool termination_requested();
// Set by Ctrl+C. A signal handler can reach nothing but a global; whoever acts on it clears it.
std::atomic<bool>& interrupt_flag();

}  // namespace thermocline::cli
