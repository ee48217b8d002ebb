// The bytes of a file being read, and errors that name it.
#pragma once

#include <thermocline/expected.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace thermocline::importer {

static_assert(std::endian::native == std::endian::little, "files are read as they stand in memory");

class SourceFile {
 public:
  // `bytes` must outlive the SourceFile; `name` appears in errors.
  SourceFile(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return bytes_.size(); }
  // Whether `length` bytes from `offset` on lie in the file.
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= size() && length <= size() - offset;
  }

  // Only where holds(offset, length).
  std::string_view text(std::uint64_t offset, std::uint64_t length) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + offset, length};
  }
  template <typename T>
  T number(std::uint64_t offset) const {
    T value{};
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  Error error(ErrorCode code, std::uint64_t offset, std::string message, std::string remedy,
              std::string wanted = {}, std::string found = {}) const;
  // corrupt_file, with the advice to get the file again.
  Error corrupt(std::uint64_t offset, std::string message, std::string wanted = {},
                std::string found = {}) const;

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
};

}  // namespace thermocline::importer
