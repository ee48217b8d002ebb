// Feeds bytes to the readers of safetensors and PyTorch's containers. What they accept must lie in
// the input.
#include "importer/checkpoint.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace importer = thermocline::importer;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// One more than the place of the last element, in elements.
std::uint64_t extent_of(const importer::StoredTensor& tensor) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    last += (tensor.shape[i] - 1) * tensor.strides[i];
  return last + 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = importer::Checkpoint::parse(std::as_bytes(std::span(data, size)), "input");
  if (!parsed) {
    const std::string line = parsed.error().line();
    require(line.find('\n') == std::string::npos && parsed.error().offset.has_value());
    require(!parsed.error().remedy.empty());
    return 0;
  }
  for (const importer::StoredTensor& tensor : (*parsed)->tensors()) {
    require(tensor.shape.size() == tensor.strides.size());
    require(tensor.offset <= size && tensor.bytes() <= size - tensor.offset);
    if (tensor.elements == 0) continue;
    require(extent_of(tensor) <= (size - tensor.offset) / tensor.type.bytes);
  }
  return 0;
}
