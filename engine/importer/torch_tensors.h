// Finds the tensors that a pickle of torch.save describes.
#pragma once

#include "importer/contents.h"
#include "importer/pickle.h"

#include <functional>
#include <map>

namespace thermocline::importer {

// What a persistent id says about the bytes of one or several tensors.
struct StorageClaim {
  ElementType type;
  std::uint64_t elements = 0;
};
// All that a pickle refers to, by key. Errors: a reference that isn't to a storage, or one key with
// two descriptions.
Expected<std::map<std::string_view, StorageClaim>> storage_claims(const SourceFile& file,
                                                                  const Pickle& pickle);

// Where the storage of this key begins in the file.
using StorageOffset = std::function<Expected<std::uint64_t>(std::string_view key)>;

// The root must be a tensor, or a dictionary whose tensors become tensors and whose other values
// become properties. Each tensor lies within its storage.
Expected<Contents> torch_contents(const SourceFile& file, const Pickle& pickle,
                                  const StorageOffset& storage_offset);

}  // namespace thermocline::importer
