// What a GGUF or PowerInfer-GGUF file holds: typed key-value pairs and tensor descriptions.
// Everything here is a view on the mapped file; the Container keeps the mapping alive. Format: GGUF
// versions 2 and 3, little-endian; magic "GGUF" (dense) or "PWRI" (PowerInfer).
#pragma once

#include "platform/file_system.h"

#include <thermocline/expected.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace thermocline::gguf {

// Numbers as stored in the file.
enum class ValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};
std::string_view name_of(ValueType type);

// Tensor types as stored in the file. All that are known by name can be described; which of them
// can be computed with is the model's business.
enum class TensorType : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  i8 = 16,
  i16 = 17,
  i32 = 18,
  i64 = 27,
  f64 = 28,
  bf16 = 30,
};
struct TensorTypeInfo {
  TensorType type;
  std::string_view name;       // "Q4_0"
  std::uint32_t block_length;  // values in a block
  std::uint32_t block_bytes;
};
const TensorTypeInfo& tensor_type_info(TensorType type);

enum class Magic { gguf, powerinfer };

// The type that a file with this magic means by a number; null if this reader doesn't know it. The
// magic matters for the integer types: PowerInfer numbers them 16 to 18, while GGUF files made
// since 2024 use 24 to 26 for them and 16 to 18 for formats that can't be read here.
const TensorTypeInfo* tensor_type_info(std::uint32_t stored, Magic magic);
// The number by which a file with this magic names a type.
std::uint32_t stored_number(TensorType type, Magic magic);
// Name for a number that tensor_type_info() doesn't know ("IQ2_XXS", "removed type Q4_2"); empty if
// it has none.
std::string_view unsupported_type_name(std::uint32_t stored);

// An array value, read in place.
class ArrayView {
 public:
  ArrayView(ValueType element, std::uint64_t count, std::span<const std::byte> bytes,
            std::uint64_t offset)
      : element_(element), count_(count), bytes_(bytes), offset_(offset) {}
  ValueType element_type() const { return element_; }
  std::uint64_t size() const { return count_; }
  std::uint64_t file_offset() const { return offset_; }  // of the first element

  // The first `most` elements of a string array, in order; views on the file. Empty for other
  // arrays.
  std::vector<std::string_view> strings(
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  // Element `i` of an integer or bool array as i64 (u64 values above INT64_MAX clamp); i < size().
  std::int64_t integer(std::uint64_t i) const;
  // Element `i` of a f32 or f64 array; i < size().
  double real(std::uint64_t i) const;
  bool is_integer() const;
  bool is_real() const;

 private:
  ValueType element_;
  std::uint64_t count_;
  std::span<const std::byte> bytes_;
  std::uint64_t offset_;
};

struct KeyValue {
  std::string_view key;
  ValueType type;
  std::uint64_t offset = 0;  // of the value in the file
  // Integers are widened to i64 or u64, floats to f64; `type` tells what the file said.
  std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, ArrayView> value;
  std::span<const std::byte> encoded{};  // the value as it stands in the file, for copying
};

struct TensorInfo {
  std::string_view name;
  TensorTypeInfo type;
  std::uint32_t dim_count = 0;
  std::array<std::uint64_t, 4> dims{1, 1, 1, 1};  // fastest first; dims[0] = row length
  std::uint64_t offset = 0;                       // absolute, in the file
  std::uint64_t bytes = 0;

  std::uint64_t rows() const { return dims[1] * dims[2] * dims[3]; }
};

// A parsed and checked file. Immutable; may be read from any thread.
class Container {
 public:
  // Opens, maps and checks `path`: every rule of the format holds afterwards, every tensor lies in
  // the file and overlaps no other. Reads only the header. Errors: code corrupt_file, not_a_model,
  // unsupported, or what the file system says, always with file, offset and what was found.
  static Expected<std::shared_ptr<const Container>> open(
      const std::filesystem::path& path,
      platform::FileSystem& files = platform::FileSystem::system());
  // The same on bytes in memory, which must outlive the container; `name` appears in errors.
  static Expected<std::shared_ptr<const Container>> parse(std::span<const std::byte> bytes,
                                                          std::string name);

  Magic magic() const { return magic_; }
  std::uint32_t version() const { return version_; }
  std::uint64_t alignment() const { return alignment_; }
  std::uint64_t data_offset() const { return data_offset_; }
  std::uint64_t file_size() const { return bytes_.size(); }
  const std::string& file_name() const { return name_; }
  std::span<const KeyValue> key_values() const { return key_values_; }
  std::span<const TensorInfo> tensors() const { return tensors_; }

  const KeyValue* find(std::string_view key) const;
  const TensorInfo* find_tensor(std::string_view name) const;
  std::span<const std::byte> data(const TensorInfo& tensor) const {
    return bytes_.subspan(tensor.offset, tensor.bytes);
  }
  // True once the file has shrunk under the mapping: what was computed since may be wrong.
  bool damaged() const { return mapping_ && mapping_->damaged(); }

  // Typed access. Absent key: an empty optional. Present with another type or out of range: an
  // Error naming the key. Integers accept every integer type of the file.
  Expected<std::optional<std::uint64_t>> unsigned_value(std::string_view key) const;
  Expected<std::optional<double>> real_value(std::string_view key) const;
  Expected<std::optional<bool>> bool_value(std::string_view key) const;
  Expected<std::optional<std::string_view>> string_value(std::string_view key) const;
  Expected<const ArrayView*> array_value(std::string_view key,
                                         ValueType element) const;  // null: absent

  // An Error about this file.
  Error error(ErrorCode code, std::string message, std::string remedy = {}) const;

 private:
  friend class Parser;
  Container() = default;

  std::string name_;
  std::unique_ptr<platform::MappedFile> mapping_;
  std::span<const std::byte> bytes_;
  Magic magic_ = Magic::gguf;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 32;
  std::uint64_t data_offset_ = 0;
  std::vector<KeyValue> key_values_;
  std::vector<TensorInfo> tensors_;
  // Ordered, not hashed: a file with colliding names can't make lookups slow.
  std::map<std::string_view, std::size_t> key_index_;
  std::map<std::string_view, std::size_t> tensor_index_;
};

}  // namespace thermocline::gguf
