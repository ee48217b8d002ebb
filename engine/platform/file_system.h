// Every file the engine touches goes through a FileSystem, so that tests can make the n-th call
// fail. Paths are std::filesystem::path: native, hence Unicode on Windows too.
#pragma once

#include <thermocline/expected.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace thermocline::platform {

// A file mapped read-only. If the file shrinks while it is mapped, the lost part reads as zeros and
// damaged() turns true: the process is never ended by a signal.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::span<const std::byte> bytes() const noexcept = 0;
  virtual bool damaged() const noexcept = 0;
};

// A file being written. Nothing is visible under its final name before commit(); destroyed without
// commit() it leaves nothing behind.
class FileWriter {
 public:
  virtual ~FileWriter() = default;
  virtual Expected<void> write(std::span<const std::byte> bytes) = 0;
  // Syncs to disk and renames to the final name, replacing what was there.
  virtual Expected<void> commit() = 0;
};

// Thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Maps a regular file. Refuses directories, pipes, devices, dangling and looping links with an
  // Error naming what was found. An empty file gives an empty span.
  virtual Expected<std::unique_ptr<MappedFile>> map(const std::filesystem::path& path) = 0;
  // Starts writing `path` through a temporary file beside it; what replaces a file has that file's
  // permissions. Writing to a pipe or device is `cancelled` by a signal that the program handles.
  virtual Expected<std::unique_ptr<FileWriter>> write(const std::filesystem::path& path) = 0;

  // The machine's files.
  static FileSystem& system();
};

// `path` as UTF-8, for messages.
std::string to_utf8(const std::filesystem::path& path);
// The path that a UTF-8 string names.
std::filesystem::path from_utf8(std::string_view text);

}  // namespace thermocline::platform
