// What a GGUF file may hold at most, and the size rules that reader and writer share.
#pragma once

#include "gguf/container.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace thermocline::gguf {

inline constexpr std::uint32_t oldest_version = 2;
inline constexpr std::uint32_t newest_version = 3;
inline constexpr std::uint64_t fixed_header_bytes = 24;  // magic, version, two counts
inline constexpr std::uint64_t least_pair_bytes = 13;    // length, type and one byte of value
inline constexpr std::uint64_t least_tensor_bytes = 24;
// The largest models have about 2000 tensors and 50 keys.
inline constexpr std::uint64_t most_records = 65536;
inline constexpr std::uint64_t longest_key = 65535;
inline constexpr std::uint64_t longest_tensor_name = 63;  // GGML_MAX_NAME less the final NUL
inline constexpr std::uint32_t most_dims = 4;
inline constexpr std::uint64_t largest_dim = std::uint64_t{1} << 40;
inline constexpr std::uint64_t default_alignment = 32;
inline constexpr std::uint64_t smallest_alignment = 8;
inline constexpr std::uint64_t largest_alignment = 65536;

// Powers of two that files are made with.
constexpr bool is_valid_alignment(std::uint64_t alignment) {
  return alignment >= smallest_alignment && alignment <= largest_alignment &&
         (alignment & (alignment - 1)) == 0;
}

// The next multiple of `alignment`; `value` must be at most 2^63.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// PowerInfer's GPU index lists a layer's neurons in `blk.N.gpu_bucket`, which is empty for a layer
// without any on the GPU: the only tensor that may have no elements.
constexpr bool may_be_empty(Magic magic, std::string_view name, TensorType type,
                            std::size_t dim_count) {
  return magic == Magic::powerinfer && type == TensorType::i32 && dim_count == 1 &&
         name.ends_with(".gpu_bucket");
}

// Bytes of a tensor; nothing if there are too many or the rows aren't whole blocks.
std::optional<std::uint64_t> tensor_bytes(std::span<const std::uint64_t> dims,
                                          const TensorTypeInfo& type);

// Bytes of one element; 0 for strings and arrays, whose size varies, and for unknown types.
std::uint64_t fixed_size(ValueType type);

}  // namespace thermocline::gguf
