// The value and tensor types of the container: their names, numbers and sizes.
#include "gguf/container.h"
#include "gguf/limits.h"

#include <algorithm>

namespace thermocline::gguf {
namespace {

// As GGML lays them out: K formats hold 256 values in a block and the others 32.
constexpr std::array<TensorTypeInfo, 18> known_types{{
    {TensorType::f32, "F32", 1, 4},
    {TensorType::f16, "F16", 1, 2},
    {TensorType::q4_0, "Q4_0", 32, 18},
    {TensorType::q4_1, "Q4_1", 32, 20},
    {TensorType::q5_0, "Q5_0", 32, 22},
    {TensorType::q5_1, "Q5_1", 32, 24},
    {TensorType::q8_0, "Q8_0", 32, 34},
    {TensorType::q2_k, "Q2_K", 256, 84},
    {TensorType::q3_k, "Q3_K", 256, 110},
    {TensorType::q4_k, "Q4_K", 256, 144},
    {TensorType::q5_k, "Q5_K", 256, 176},
    {TensorType::q6_k, "Q6_K", 256, 210},
    {TensorType::i8, "I8", 1, 1},
    {TensorType::i16, "I16", 1, 2},
    {TensorType::i32, "I32", 1, 4},
    {TensorType::i64, "I64", 1, 8},
    {TensorType::f64, "F64", 1, 8},
    {TensorType::bf16, "BF16", 1, 2},
}};

// How far GGUF moved I8, I16 and I32 when it gave their numbers to other formats.
constexpr std::uint32_t integer_shift = 8;
constexpr std::uint32_t first_integer = static_cast<std::uint32_t>(TensorType::i8);
constexpr std::uint32_t last_integer = static_cast<std::uint32_t>(TensorType::i32);

}  // namespace

const TensorTypeInfo& tensor_type_info(TensorType type) {
  const auto found = std::find_if(known_types.begin(), known_types.end(),
                                  [&](const TensorTypeInfo& info) { return info.type == type; });
  return found == known_types.end() ? known_types.front() : *found;
}

const TensorTypeInfo* tensor_type_info(std::uint32_t stored, Magic magic) {
  const bool moved = magic == Magic::gguf;
  if (moved && stored >= first_integer && stored <= last_integer) return nullptr;
  if (moved && stored >= first_integer + integer_shift && stored <= last_integer + integer_shift) {
    stored -= integer_shift;
  }
  const auto found = std::find_if(
      known_types.begin(), known_types.end(),
      [&](const TensorTypeInfo& info) { return static_cast<std::uint32_t>(info.type) == stored; });
  return found == known_types.end() ? nullptr : &*found;
}

std::uint32_t stored_number(TensorType type, Magic magic) {
  const auto number = static_cast<std::uint32_t>(type);
  const bool moved = magic == Magic::gguf && number >= first_integer && number <= last_integer;
  return moved ? number + integer_shift : number;
}

std::string_view unsupported_type_name(std::uint32_t stored) {
  switch (stored) {
    case 4:
      return "removed type Q4_2";
    case 5:
      return "removed type Q4_3";
    case 9:
      return "Q8_1";
    case 15:
      return "Q8_K";
    case 16:
      return "IQ2_XXS";
    case 17:
      return "IQ2_XS";
    case 18:
      return "IQ3_XXS";
    case 19:
      return "IQ1_S";
    case 20:
      return "IQ4_NL";
    case 21:
      return "IQ3_S";
    case 22:
      return "IQ2_S";
    case 23:
      return "IQ4_XS";
    case 29:
      return "IQ1_M";
    case 31:
      return "removed type Q4_0_4_4";
    case 32:
      return "removed type Q4_0_4_8";
    case 33:
      return "removed type Q4_0_8_8";
    case 34:
      return "TQ1_0";
    case 35:
      return "TQ2_0";
    case 39:
      return "MXFP4";
    default:
      return {};
  }
}

std::optional<std::uint64_t> tensor_bytes(std::span<const std::uint64_t> dims,
                                          const TensorTypeInfo& type) {
  constexpr std::uint64_t most = INT64_MAX;
  if (dims.empty() || dims[0] % type.block_length != 0) return std::nullopt;
  std::uint64_t elements = 1;
  for (const std::uint64_t dim : dims) {
    if (dim == 0) return 0;
    if (elements > most / dim) return std::nullopt;
    elements *= dim;
  }
  const std::uint64_t blocks = elements / type.block_length;
  if (blocks > most / type.block_bytes) return std::nullopt;
  return blocks * type.block_bytes;
}

std::uint64_t fixed_size(ValueType type) {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean:
      return 1;
    case ValueType::u16:
    case ValueType::i16:
      return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32:
      return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64:
      return 8;
    case ValueType::string:
    case ValueType::array:
      return 0;
  }
  return 0;
}

std::string_view name_of(ValueType type) {
  switch (type) {
    case ValueType::u8:
      return "u8";
    case ValueType::i8:
      return "i8";
    case ValueType::u16:
      return "u16";
    case ValueType::i16:
      return "i16";
    case ValueType::u32:
      return "u32";
    case ValueType::i32:
      return "i32";
    case ValueType::f32:
      return "f32";
    case ValueType::boolean:
      return "bool";
    case ValueType::string:
      return "string";
    case ValueType::array:
      return "array";
    case ValueType::u64:
      return "u64";
    case ValueType::i64:
      return "i64";
    case ValueType::f64:
      return "f64";
  }
  return "unknown type";
}

}  // namespace thermocline::gguf
