// What a file of original weights, predictors or statistics holds: named tensors, read in place.
// Formats: safetensors; PyTorch's `.pt` and `.bin` in both containers (ZIP and the older stream).
// A pickle is a program: only the steps that tensors need are understood, and nothing is run.
#pragma once

#include "importer/element_type.h"
#include "importer/file_kind.h"
#include "platform/file_system.h"

#include <thermocline/expected.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::importer {

struct StoredTensor {
  std::string name;  // empty if the file is one tensor
  ElementType type;
  std::vector<std::uint64_t> shape = {};    // outermost first; empty for a single number
  std::vector<std::uint64_t> strides = {};  // in elements, one for each dimension
  std::uint64_t elements = 1;               // product of the shape
  std::uint64_t offset = 0;                 // of the first element, in the file

  std::uint64_t bytes() const { return elements * type.bytes; }
  // Whether the elements stand one after the other in the file, in the shape's order.
  bool is_contiguous() const;
};

// Anything in the file that isn't a tensor.
struct Property {
  std::string key;
  std::string type;   // "string", "integer", ...
  std::string value;  // as text; empty where the type says all there is
};

// Immutable; may be read from any thread.
class Checkpoint {
 public:
  // Maps and checks `path`: every tensor lies in the file. Reads only its directory. Errors:
  // not_a_model (another kind of file), corrupt_file, unsupported, out_of_memory, or what the file
  // system says, always with file, offset and what was found.
  static Expected<std::shared_ptr<const Checkpoint>> open(
      const std::filesystem::path& path,
      platform::FileSystem& files = platform::FileSystem::system());
  // The same on bytes in memory, which must outlive the result; `name` appears in errors.
  static Expected<std::shared_ptr<const Checkpoint>> parse(std::span<const std::byte> bytes,
                                                           std::string name);

  FileKind kind() const { return kind_; }
  const std::string& file_name() const { return name_; }
  std::uint64_t file_size() const { return bytes_.size(); }
  std::span<const StoredTensor> tensors() const { return tensors_; }
  std::span<const Property> properties() const { return properties_; }
  // The bytes of a contiguous tensor.
  std::span<const std::byte> data(const StoredTensor& tensor) const {
    return bytes_.subspan(tensor.offset, tensor.bytes());
  }

 private:
  Checkpoint() = default;

  std::unique_ptr<platform::MappedFile> mapping_;
  std::span<const std::byte> bytes_;
  std::string name_;
  FileKind kind_ = FileKind::unknown;
  std::vector<StoredTensor> tensors_;
  std::vector<Property> properties_;
};

}  // namespace thermocline::importer
