// Files on Windows. A mapped file can't be truncated there, so nothing needs guarding; a network or
// removable drive that vanishes raises an in-page error, which ends the read of that page only.
#include "platform/file_system.h"

#include <atomic>
#include <string>
#include <system_error>
#include <utility>

#include <windows.h>

namespace thermocline::platform {
namespace {

Error file_error(ErrorCode code, const std::filesystem::path& path, std::string message,
                 std::string remedy) {
  Error error;
  error.code = code;
  error.file = to_utf8(path);
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

std::string cause_of(DWORD code) {
  return std::system_category().message(static_cast<int>(code));
}

class Handle {
 public:
  explicit Handle(HANDLE value) : value_(value) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  HANDLE get() const { return value_; }
  bool valid() const { return value_ != nullptr && value_ != INVALID_HANDLE_VALUE; }
  bool close() {
    const bool was_valid = valid();
    const HANDLE value = std::exchange(value_, INVALID_HANDLE_VALUE);
    return !was_valid || CloseHandle(value) != 0;
  }

 private:
  HANDLE value_;
};

class WindowsMapping final : public MappedFile {
 public:
  WindowsMapping(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  ~WindowsMapping() override {
    if (data_ != nullptr) UnmapViewOfFile(data_);
  }
  WindowsMapping(const WindowsMapping&) = delete;
  WindowsMapping& operator=(const WindowsMapping&) = delete;
  std::span<const std::byte> bytes() const noexcept override { return {data_, size_}; }
  bool damaged() const noexcept override { return false; }

 private:
  const std::byte* data_;
  std::size_t size_;
};

class WindowsWriter final : public FileWriter {
 public:
  WindowsWriter(std::filesystem::path path, std::filesystem::path temporary, HANDLE file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}
  ~WindowsWriter() override {
    file_.close();
    if (!committed_) DeleteFileW(temporary_.c_str());
  }
  WindowsWriter(const WindowsWriter&) = delete;
  WindowsWriter& operator=(const WindowsWriter&) = delete;

  Expected<void> write(std::span<const std::byte> bytes) override {
    constexpr std::size_t largest = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const auto piece = static_cast<DWORD>(bytes.size() < largest ? bytes.size() : largest);
      DWORD done = 0;
      if (WriteFile(file_.get(), bytes.data(), piece, &done, nullptr) == 0) {
        return failed("can't be written", GetLastError());
      }
      bytes = bytes.subspan(done);
    }
    return {};
  }

  Expected<void> commit() override {
    if (FlushFileBuffers(file_.get()) == 0)
      return failed("can't be written to disk", GetLastError());
    if (!file_.close()) return failed("can't be closed", GetLastError());
    if (MoveFileExW(temporary_.c_str(), path_.c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) == 0) {
      return failed("can't be put in place", GetLastError());
    }
    committed_ = true;
    return {};
  }

 private:
  Error failed(const std::string& what, DWORD code) const {
    return file_error(ErrorCode::write_failed, path_, what + ": " + cause_of(code),
                      code == ERROR_DISK_FULL ? "free some disk space and try again"
                                              : "check the folder's permissions and the disk");
  }

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Handle file_;
  bool committed_ = false;
};

class WindowsFileSystem final : public FileSystem {
 public:
  Expected<std::unique_ptr<MappedFile>> map(const std::filesystem::path& path) override {
    const DWORD attributes = GetFileAttributesW(path.c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
      Error error =
          file_error(ErrorCode::file_unreadable, path, "is not a regular file", "name a file");
      error.found = "a directory";
      return error;
    }
    const Handle file(CreateFileW(path.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file.valid()) {
      const DWORD code = GetLastError();
      const bool absent = code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND;
      return file_error(absent ? ErrorCode::file_not_found : ErrorCode::file_unreadable, path,
                        absent ? "no such file" : "can't be opened: " + cause_of(code),
                        "check the path");
    }
    if (GetFileType(file.get()) != FILE_TYPE_DISK) {
      Error error =
          file_error(ErrorCode::file_unreadable, path, "is not a regular file", "name a file");
      error.found = "a device";
      return error;
    }
    LARGE_INTEGER size = {};
    if (GetFileSizeEx(file.get(), &size) == 0) {
      return file_error(ErrorCode::file_unreadable, path,
                        "can't be read: " + cause_of(GetLastError()), "check the disk");
    }
    if (size.QuadPart == 0) {
      return std::unique_ptr<MappedFile>(std::make_unique<WindowsMapping>(nullptr, 0));
    }
    const Handle section(CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
    const void* view =
        section.valid() ? MapViewOfFile(section.get(), FILE_MAP_READ, 0, 0, 0) : nullptr;
    if (view == nullptr) {
      return file_error(ErrorCode::file_unreadable, path,
                        "can't be mapped: " + cause_of(GetLastError()),
                        "check that the address space and the disk are in order");
    }
    return std::unique_ptr<MappedFile>(std::make_unique<WindowsMapping>(
        static_cast<const std::byte*>(view), static_cast<std::size_t>(size.QuadPart)));
  }

  Expected<std::unique_ptr<FileWriter>> write(const std::filesystem::path& path) override {
    std::error_code unknown;  // What can't be looked at will say so when it is created.
    if (std::filesystem::is_directory(path, unknown)) {
      return file_error(ErrorCode::write_failed, path, "is a directory", "name a file");
    }
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::filesystem::path temporary = path;
      temporary += "." + std::to_string(GetCurrentProcessId()) + "-" +
                   std::to_string(next_.fetch_add(1)) + ".part";
      const HANDLE file = CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
      if (file != INVALID_HANDLE_VALUE) {
        return std::unique_ptr<FileWriter>(
            std::make_unique<WindowsWriter>(path, std::move(temporary), file));
      }
      if (GetLastError() != ERROR_FILE_EXISTS) break;
    }
    return file_error(ErrorCode::write_failed, path,
                      "can't be created: " + cause_of(GetLastError()),
                      "check that the folder exists and may be written");
  }

 private:
  std::atomic<unsigned> next_{0};
};

}  // namespace

FileSystem& FileSystem::system() {
  static WindowsFileSystem files;
  return files;
}

}  // namespace thermocline::platform
