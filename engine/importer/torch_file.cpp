// PyTorch's two containers. ZIP: `<name>/data.pkl` describes the tensors, `<name>/data/<key>` are
// their storages. The older stream: pickles of a magic number, a version, the system's properties,
// the object and the list of its storages' keys, then for each key a count and the bytes. Source:
// the writers in PyTorch's torch/serialization.py (_save and _legacy_save).
#include "importer/torch_tensors.h"
#include "importer/zip_directory.h"

#include <optional>
#include <string>

namespace thermocline::importer {
namespace {

constexpr std::string_view pickle_name = "/data.pkl";

// The folder in the archive, with its final slash.
Expected<std::string> archive_folder(const SourceFile& file, const ZipDirectory& directory) {
  std::optional<std::string> folder;
  for (const auto& [name, entry] : directory) {
    if (!name.ends_with(pickle_name)) continue;
    if (folder) return file.corrupt(0, "the ZIP archive holds two pickles");
    folder = std::string(name.substr(0, name.size() - pickle_name.size() + 1));
  }
  if (folder) return *std::move(folder);
  return file.error(ErrorCode::not_a_model, 0, "the ZIP archive holds no data.pkl",
                    "choose a file that torch.save wrote");
}

Expected<void> check_byte_order(const SourceFile& file, const ZipDirectory& directory,
                                const std::string& folder) {
  const auto entry = directory.find(folder + "byteorder");
  if (entry == directory.end()) return {};  // written since 2023 only
  const std::string_view order = file.text(entry->second.offset, entry->second.bytes);
  if (order == "little") return {};
  return file.error(ErrorCode::unsupported, entry->second.offset,
                    "the file was made for another kind of processor",
                    "save it again on a little-endian machine", "little", std::string(order));
}

Error storage_error(const SourceFile& file, std::uint64_t offset, std::string message,
                    std::string_view key, std::string wanted = {}, std::string found = {}) {
  Error error = file.corrupt(offset, std::move(message), std::move(wanted), std::move(found));
  error.tensor = "storage " + std::string(key.substr(0, 100));
  return error;
}

class StreamReader {
 public:
  explicit StreamReader(const SourceFile& file) : file_(file) {}

  Expected<Contents> read() {
    constexpr int pickles_before_the_object = 3;
    for (int i = 0; i < pickles_before_the_object; ++i) {
      THERMOCLINE_ASSIGN(const Pickle pickle, next_pickle());
      THERMOCLINE_CHECK(check_system(pickle));
    }
    THERMOCLINE_ASSIGN(const Pickle object, next_pickle());
    THERMOCLINE_ASSIGN(const auto claims, storage_claims(file_, object));
    THERMOCLINE_ASSIGN(const Pickle keys, next_pickle());
    THERMOCLINE_CHECK(place_storages(keys, claims));
    return torch_contents(
        file_, object, [this, &object](std::string_view key) -> Expected<std::uint64_t> {
          const auto found = offsets_.find(key);
          if (found != offsets_.end()) return found->second;
          return storage_error(file_, object.end, "the file lacks this storage", key);
        });
  }

 private:
  Expected<Pickle> next_pickle() {
    THERMOCLINE_ASSIGN(Pickle pickle, read_pickle(file_, position_, file_.size()));
    position_ = pickle.end;
    return pickle;
  }

  Expected<void> check_system(const Pickle& pickle) const {
    const PickleValue& root = pickle[pickle.root];
    if (root.kind != PickleKind::dict) return {};
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
      if (pickle[root.items[i]].text != "little_endian") continue;
      if (pickle[root.items[i + 1]].integer != 0) return {};
      return file_.error(ErrorCode::unsupported, pickle.end,
                         "the file was made for another kind of processor",
                         "save it again on a little-endian machine");
    }
    return {};
  }

  Expected<void> place_storages(const Pickle& keys,
                                const std::map<std::string_view, StorageClaim>& claims) {
    const PickleValue& list = keys[keys.root];
    if (list.kind != PickleKind::list) {
      return file_.corrupt(keys.end, "the file doesn't list its storages");
    }
    for (const std::uint32_t item : list.items) {
      const std::string_view key = keys[item].text;
      const auto claim = claims.find(key);
      if (keys[item].kind != PickleKind::text || claim == claims.end()) {
        return storage_error(file_, keys.end, "no tensor uses this storage", key);
      }
      if (!file_.holds(position_, sizeof(std::uint64_t))) {
        return storage_error(file_, position_, "the file ends before this storage", key);
      }
      const auto elements = file_.number<std::uint64_t>(position_);
      const std::uint64_t bytes = claim->second.elements * claim->second.type.bytes;
      if (elements != claim->second.elements) {
        return storage_error(file_, position_, "the storage's length differs from its description",
                             key, std::to_string(claim->second.elements) + " elements",
                             std::to_string(elements));
      }
      position_ += sizeof(std::uint64_t);
      if (!file_.holds(position_, bytes)) {
        return storage_error(file_, position_, "the file ends inside this storage", key,
                             std::to_string(bytes) + " bytes",
                             std::to_string(file_.size() - position_));
      }
      if (!offsets_.emplace(key, position_).second) {
        return storage_error(file_, position_, "the file holds this storage twice", key);
      }
      position_ += bytes;
    }
    if (position_ == file_.size()) return {};
    return file_.corrupt(position_, "something follows the last storage", "the end of the file",
                         std::to_string(file_.size() - position_) + " bytes more");
  }

  const SourceFile& file_;
  std::uint64_t position_ = 0;
  std::map<std::string_view, std::uint64_t> offsets_;
};

}  // namespace

Expected<Contents> read_torch_zip(const SourceFile& file) {
  THERMOCLINE_ASSIGN(const ZipDirectory directory, read_zip_directory(file));
  THERMOCLINE_ASSIGN(const std::string folder, archive_folder(file, directory));
  THERMOCLINE_CHECK(check_byte_order(file, directory, folder));
  const ZipEntry code = directory.find(folder + "data.pkl")->second;
  THERMOCLINE_ASSIGN(const Pickle pickle, read_pickle(file, code.offset, code.offset + code.bytes));
  THERMOCLINE_ASSIGN(const auto claims, storage_claims(file, pickle));
  for (const auto& [key, claim] : claims) {
    const auto entry = directory.find(folder + "data/" + std::string(key));
    if (entry == directory.end()) {
      return storage_error(file, code.offset, "the ZIP archive lacks this storage", key);
    }
    const std::uint64_t bytes = claim.elements * claim.type.bytes;
    if (entry->second.bytes != bytes) {
      return storage_error(file, entry->second.offset,
                           "the storage's length differs from its description", key,
                           std::to_string(bytes) + " bytes", std::to_string(entry->second.bytes));
    }
  }
  return torch_contents(file, pickle, [&](std::string_view key) -> Expected<std::uint64_t> {
    return directory.find(folder + "data/" + std::string(key))->second.offset;
  });
}

Expected<Contents> read_torch_stream(const SourceFile& file) {
  return StreamReader(file).read();
}

}  // namespace thermocline::importer
