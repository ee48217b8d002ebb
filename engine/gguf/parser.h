// Reads a container's header and checks every rule of the format on the way.
#pragma once

#include "gguf/container.h"

#include <thermocline/expected.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::gguf {

static_assert(std::endian::native == std::endian::little, "files are read as they stand in memory");

// One parse. Time and memory are linear in the header's bytes (n log n in the number of names), and
// nothing is allocated for what a count merely announces.
class Parser {
 public:
  // Parses `bytes`, the beginning of a file of `file_size` bytes that holds at least the header:
  // so a header can be checked before its tensors are written. `name` appears in errors.
  static Expected<Container> parse(std::span<const std::byte> bytes, std::uint64_t file_size,
                                   std::string name);

 private:
  Parser(Container& container, std::uint64_t file_size)
      : container_(container), file_size_(file_size) {}

  Expected<void> run();
  Expected<void> read_magic();
  Expected<void> read_version();
  Expected<void> read_counts();

  Expected<void> read_pair();
  Expected<std::string_view> read_key();
  Expected<void> read_value(KeyValue& pair);
  Expected<void> read_array(KeyValue& pair);
  Expected<void> check_array_strings(std::uint64_t count);
  Expected<void> check_array_bools(std::uint64_t count);
  Expected<void> read_alignment(const KeyValue& pair);
  Expected<void> check_finite(const KeyValue& pair) const;

  Expected<void> read_tensor();
  Expected<std::string_view> read_tensor_name();
  Expected<void> read_dims(TensorInfo& tensor);
  Expected<void> read_tensor_type(TensorInfo& tensor);
  Expected<void> check_dims(const TensorInfo& tensor, std::uint64_t dims_offset) const;
  Expected<void> place_tensors();
  Expected<void> check_overlaps() const;

  // The next value, or an error that says in what the file ended.
  template <typename T>
  Expected<T> read(std::string_view what) {
    if (remaining() < sizeof(T)) return ends_inside(what, sizeof(T));
    T value{};
    std::memcpy(&value, container_.bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  // A length and as many bytes.
  Expected<std::string_view> read_string(std::string_view what);
  Expected<ValueType> read_value_type(std::string_view what);

  std::uint64_t remaining() const { return container_.bytes_.size() - position_; }
  Error corrupt(std::uint64_t offset, std::string message, std::string wanted = {},
                std::string found = {}) const;
  Error fail(ErrorCode code, std::uint64_t offset, std::string message, std::string remedy,
             std::string wanted = {}, std::string found = {}) const;
  Error ends_inside(std::string_view what, std::uint64_t needed) const;

  Container& container_;
  std::uint64_t file_size_;
  std::uint64_t position_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t pair_count_ = 0;
  std::string_view subject_;                  // the key or tensor being read, for errors
  std::vector<std::uint64_t> offset_fields_;  // where each tensor's offset stands in the file
};

}  // namespace thermocline::gguf
