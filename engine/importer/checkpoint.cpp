#include "importer/checkpoint.h"

#include "importer/contents.h"
#include "platform/memory_guard.h"

namespace thermocline::importer {
namespace {

Expected<Contents> read(FileKind kind, const SourceFile& file) {
  switch (kind) {
    case FileKind::safetensors:
      return read_safetensors(file);
    case FileKind::torch_zip:
      return read_torch_zip(file);
    case FileKind::torch_pickle:
      return read_torch_stream(file);
    case FileKind::gguf:
    case FileKind::unknown:
      break;
  }
  return file.error(ErrorCode::not_a_model, 0, "this isn't a file of original weights",
                    "choose a .safetensors, .pt or .bin file", {}, std::string(description(kind)));
}

}  // namespace

bool StoredTensor::is_contiguous() const {
  return strides == contiguous_strides(shape);
}

std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape,
                                           std::uint32_t element_bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
  std::uint64_t count = 1;
  for (const std::uint64_t dim : shape) {
    if (dim != 0 && count > most_bytes / dim) return {};
    count *= dim;
  }
  if (count > most_bytes / element_bytes) return {};
  return count;
}

std::vector<std::uint64_t> contiguous_strides(std::span<const std::uint64_t> shape) {
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i] == 0 ? 1 : shape[i];
  }
  return strides;
}

Expected<std::shared_ptr<const Checkpoint>> Checkpoint::open(const std::filesystem::path& path,
                                                             platform::FileSystem& files) {
  THERMOCLINE_ASSIGN(auto mapping, files.map(path));
  THERMOCLINE_ASSIGN(const auto parsed, parse(mapping->bytes(), platform::to_utf8(path)));
  auto checkpoint = std::const_pointer_cast<Checkpoint>(parsed);
  checkpoint->mapping_ = std::move(mapping);
  return parsed;
}

Expected<std::shared_ptr<const Checkpoint>> Checkpoint::parse(std::span<const std::byte> bytes,
                                                              std::string name) {
  return platform::with_memory_guard("reading the file",
                                     [&]() -> Expected<std::shared_ptr<const Checkpoint>> {
                                       const SourceFile file(bytes, name);
                                       const FileKind kind = recognise(bytes);
                                       THERMOCLINE_ASSIGN(Contents contents, read(kind, file));
                                       const std::shared_ptr<Checkpoint> checkpoint(new Checkpoint);
                                       checkpoint->bytes_ = bytes;
                                       checkpoint->name_ = std::move(name);
                                       checkpoint->kind_ = kind;
                                       checkpoint->tensors_ = std::move(contents.tensors);
                                       checkpoint->properties_ = std::move(contents.properties);
                                       return std::shared_ptr<const Checkpoint>(checkpoint);
                                     });
}

}  // namespace thermocline::importer
