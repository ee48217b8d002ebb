// What the readers of the single formats hand over, and what they share.
#pragma once

#include "importer/checkpoint.h"
#include "importer/source_file.h"

#include <optional>

namespace thermocline::importer {

struct Contents {
  std::vector<StoredTensor> tensors;
  std::vector<Property> properties;
};

// Product of the dimensions; nothing if it or its bytes don't fit in 63 bits.
std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape,
                                           std::uint32_t element_bytes);
// The strides of a tensor whose elements stand one after the other; `shape` has passed
// element_count().
std::vector<std::uint64_t> contiguous_strides(std::span<const std::uint64_t> shape);

// Each checks every rule of its format that bears on finding the tensors.
Expected<Contents> read_safetensors(const SourceFile& file);
Expected<Contents> read_torch_zip(const SourceFile& file);
Expected<Contents> read_torch_stream(const SourceFile& file);

}  // namespace thermocline::importer
