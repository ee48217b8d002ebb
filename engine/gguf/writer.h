// Writes GGUF and PowerInfer-GGUF files (version 3) through a temporary file: on any failure
// nothing is left behind and an existing file stays as it was.
#pragma once

#include "gguf/container.h"

#include <string>
#include <vector>

namespace thermocline::gguf {

// One file to be written. Keys and tensors keep the order in which they were added. One thread.
class Writer {
 public:
  explicit Writer(Magic magic, std::uint64_t alignment = 32)
      : magic_(magic), alignment_(alignment) {}

  void add_u32(std::string key, std::uint32_t value);
  void add_u64(std::string key, std::uint64_t value);
  void add_i32(std::string key, std::int32_t value);
  void add_f32(std::string key, float value);
  void add_bool(std::string key, bool value);
  void add_string(std::string key, std::string_view value);
  void add_strings(std::string key, std::span<const std::string> values);
  void add_i32s(std::string key, std::span<const std::int32_t> values);
  void add_f32s(std::string key, std::span<const float> values);
  // A key-value pair of another file, unchanged.
  void copy(const Container& from, const KeyValue& pair);

  // Describes a tensor whose bytes must stay valid until write(). `dims` fastest first, 1 to 4.
  void add_tensor(std::string name, std::span<const std::uint64_t> dims, TensorType type,
                  std::span<const std::byte> bytes);

  // Writes everything. Errors: invalid_argument (duplicate names, sizes that don't fit the dims,
  // bad alignment), write_failed.
  Expected<void> write(const std::filesystem::path& path,
                       platform::FileSystem& files = platform::FileSystem::system()) const;
  // The same into memory, for tests.
  Expected<std::vector<std::byte>> bytes() const;

 private:
  struct Pair {
    std::string key;
    std::vector<std::byte> encoded;  // type and value
  };
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;
    TensorType type;
    std::span<const std::byte> bytes;
  };
  // Everything before the first tensor's data, checked with the reader's own rules.
  Expected<std::vector<std::byte>> header() const;
  Expected<void> check(std::span<const std::byte> header, std::uint64_t data_bytes) const;
  // Hands the file to `sink` piece by piece.
  template <typename Sink>
  Expected<void> write_all(const Sink& sink) const;

  Magic magic_;
  std::uint64_t alignment_;
  std::vector<Pair> pairs_;
  std::vector<Tensor> tensors_;
};

}  // namespace thermocline::gguf
