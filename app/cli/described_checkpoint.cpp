// What a file of original weights, predictors or statistics holds.
#include "app/cli/described_file.h"
#include "importer/checkpoint.h"

namespace thermocline::cli {

Json described(const importer::Checkpoint& file) {
  Json keys = Json::array();
  for (const importer::Property& property : file.properties()) {
    keys.push_back({{"key", property.key}, {"type", property.type}, {"value", property.value}});
  }
  Json tensors = Json::array();
  std::uint64_t tensor_bytes = 0;
  for (const importer::StoredTensor& tensor : file.tensors()) {
    tensor_bytes += tensor.bytes();
    Json entry{{"name", tensor.name},
               {"type", tensor.type.name},
               {"shape", tensor.shape},
               {"offset", tensor.offset},
               {"bytes", tensor.bytes()}};
    if (!tensor.is_contiguous()) entry["strides"] = tensor.strides;
    tensors.push_back(std::move(entry));
  }
  return {{"file", file.file_name()},
          {"kind", importer::name_of(file.kind())},
          {"description", importer::description(file.kind())},
          {"bytes", file.file_size()},
          {"tensor_bytes", tensor_bytes},
          {"keys", std::move(keys)},
          {"tensors", std::move(tensors)},
          {"run",
           {{"runs", false},
            {"reason", "the file holds weights or statistics, not a model; GGUF files run"}}}};
}

}  // namespace thermocline::cli
