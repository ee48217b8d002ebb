// Files on Linux and other POSIX systems.
#include "platform/file_system.h"
#include "platform/mapping_guard.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::string cause_of(int code) {
  return std::generic_category().message(code);
}

// Closes its descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return value_; }
  bool close() {
    const int value = std::exchange(value_, -1);
    return value < 0 || ::close(value) == 0;
  }

 private:
  int value_;
};

class PosixMapping final : public MappedFile {
 public:
  PosixMapping(const std::byte* data, std::size_t size) : data_(data), size_(size) {
    if (size > 0) guard_.emplace(data, size);
  }
  ~PosixMapping() override {
    guard_.reset();
    if (size_ > 0) munmap(const_cast<std::byte*>(data_), size_);
  }
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;

  std::span<const std::byte> bytes() const noexcept override { return {data_, size_}; }
  bool damaged() const noexcept override { return guard_ && guard_->damaged(); }
  bool guarded() const noexcept { return !guard_ || guard_->registered(); }

 private:
  const std::byte* data_;
  std::size_t size_;
  std::optional<MappingGuard> guard_;
};

Error open_error(const std::filesystem::path& path, int code) {
  if (code == ENOENT || code == ENOTDIR) {
    struct stat link = {};
    const bool dangling = lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
    return file_error(ErrorCode::file_not_found, path,
                      dangling ? "the link points to a file that doesn't exist" : "no such file",
                      "check the path");
  }
  if (code == ELOOP) {
    return file_error(ErrorCode::file_unreadable, path, "the link points to itself",
                      "check the path");
  }
  return file_error(ErrorCode::file_unreadable, path, "can't be opened: " + cause_of(code),
                    code == EACCES ? "check the file's permissions" : "check the path");
}

// What a thing that isn't a regular file is.
std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "something else";
}

std::string write_remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some disk space and try again";
    case EFBIG:
      return "raise the system's limit on the size of files, or choose another disk";
    case ENAMETOOLONG:
      return "choose a shorter name";
    default:
      return "check that the folder exists and may be written, and the disk";
  }
}

Error write_error(const std::filesystem::path& path, const std::string& what, int code) {
  // Only devices and pipes keep a program waiting, and only a signal that it handles ends that.
  const ErrorCode kind = code == EINTR ? ErrorCode::cancelled : ErrorCode::write_failed;
  return file_error(kind, path, what + ": " + cause_of(code), write_remedy(code));
}

constexpr int most_links = 40;  // as many as Linux follows

// Where a link leads, even if nothing is there yet; `path` itself if it is none.
std::filesystem::path target_of(std::filesystem::path path) {
  std::error_code failure;
  std::filesystem::path canonical = std::filesystem::canonical(path, failure);
  if (!failure) return canonical;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, failure); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path, failure);
  }
  return path;
}

Expected<void> write_all(const Descriptor& file, const std::filesystem::path& path,
                         std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file.get(), bytes.data(), bytes.size());
    if (done < 0) {
      return write_error(path, "can't be written", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

class PosixWriter final : public FileWriter {
 public:
  PosixWriter(std::filesystem::path path, std::filesystem::path temporary, int descriptor)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(descriptor) {}
  ~PosixWriter() override {
    if (!committed_) unlink(temporary_.c_str());
  }
  PosixWriter(const PosixWriter&) = delete;
  PosixWriter& operator=(const PosixWriter&) = delete;

  Expected<void> write(std::span<const std::byte> bytes) override {
    return write_all(file_, path_, bytes);
  }

  Expected<void> commit() override {
    if (fsync(file_.get()) != 0) return write_error(path_, "can't be written to disk", errno);
    if (!file_.close()) return write_error(path_, "can't be closed", errno);
    if (rename(temporary_.c_str(), path_.c_str()) != 0) {
      return write_error(path_, "can't be put in place", errno);
    }
    committed_ = true;
    // The rename itself is durable only once the directory is; a file system that can't sync a
    // directory is no reason to fail.
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() >= 0) fsync(directory.get());
    return {};
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Descriptor file_;
  bool committed_ = false;
};

// Devices and pipes (/dev/null, /dev/stdout) are written in place: renaming a file over them would
// destroy them.
class DirectWriter final : public FileWriter {
 public:
  DirectWriter(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), file_(descriptor) {}
  Expected<void> write(std::span<const std::byte> bytes) override {
    return write_all(file_, path_, bytes);
  }
  Expected<void> commit() override {
    if (!file_.close()) return write_error(path_, "can't be closed", errno);
    return {};
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

class PosixFileSystem final : public FileSystem {
 public:
  Expected<std::unique_ptr<MappedFile>> map(const std::filesystem::path& path) override {
    // Non-blocking: opening a pipe must not wait for a writer.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return open_error(path, errno);
    struct stat status = {};
    if (fstat(file.get(), &status) != 0) return open_error(path, errno);
    if (!S_ISREG(status.st_mode)) {
      Error error =
          file_error(ErrorCode::file_unreadable, path, "is not a regular file", "name a file");
      error.found = kind_of(status.st_mode);
      return error;
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return std::unique_ptr<MappedFile>(std::make_unique<PosixMapping>(nullptr, 0));
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) {
      return file_error(ErrorCode::file_unreadable, path, "can't be mapped: " + cause_of(errno),
                        "check that the address space and the disk are in order");
    }
    auto mapping = std::make_unique<PosixMapping>(static_cast<const std::byte*>(data), size);
    if (!mapping->guarded()) {
      return file_error(ErrorCode::file_unreadable, path, "too many model files are open",
                        "close some of them");
    }
    return std::unique_ptr<MappedFile>(std::move(mapping));
  }

  Expected<std::unique_ptr<FileWriter>> write(const std::filesystem::path& named) override {
    std::error_code ignored;
    // A link to a file is followed: the file is replaced, not the link.
    const std::filesystem::path path = target_of(named);
    const std::filesystem::file_type type = std::filesystem::status(path, ignored).type();
    if (type == std::filesystem::file_type::directory) {
      return file_error(ErrorCode::write_failed, path, "is a directory", "name a file");
    }
    if (type != std::filesystem::file_type::regular &&
        type != std::filesystem::file_type::not_found) {
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor < 0) return write_error(path, "can't be opened", errno);
      return std::unique_ptr<FileWriter>(std::make_unique<DirectWriter>(path, descriptor));
    }
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::filesystem::path temporary = temporary_path(path);
      const int descriptor =
          ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (descriptor >= 0) {
        keep_permissions(path, descriptor);
        return std::unique_ptr<FileWriter>(
            std::make_unique<PosixWriter>(path, std::move(temporary), descriptor));
      }
      if (errno != EEXIST) break;
    }
    return write_error(path, "can't be created", errno);
  }

 private:
  // A name beside `path` that leaves room for what makes it its own.
  std::filesystem::path temporary_path(const std::filesystem::path& path) {
    constexpr std::size_t longest_kept = 200;
    const std::string name = path.filename().string();
    return path.parent_path() /
           ((name.size() > longest_kept ? std::string(".thermocline") : name) + "." +
            std::to_string(getpid()) + "-" + std::to_string(next_.fetch_add(1)) + ".part");
  }

  // What replaces a file can be read by those who could read that.
  static void keep_permissions(const std::filesystem::path& path, int descriptor) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0) {
      static_cast<void>(fchmod(descriptor, status.st_mode & 07777));
    }
  }

  std::atomic<unsigned> next_{0};
};

}  // namespace

FileSystem& FileSystem::system() {
  static PosixFileSystem files;
  return files;
}

}  // namespace thermocline::platform
