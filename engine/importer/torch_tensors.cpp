#include "importer/torch_tensors.h"

#include <limits>
#include <optional>
#include <set>

namespace thermocline::importer {
namespace {

constexpr std::size_t most_dims = 8;

struct Reference {
  std::string_view key;
  StorageClaim claim;
};

class TorchReader {
 public:
  TorchReader(const SourceFile& file, const Pickle& pickle) : file_(file), pickle_(pickle) {}

  // ('storage', torch.XStorage, key, place, elements), in the older stream also a view on it.
  Expected<Reference> reference(const PickleValue& value) const {
    const PickleValue& id = pickle_[value.items.front()];
    constexpr std::size_t least = 5;
    const bool shaped =
        id.kind == PickleKind::tuple && id.items.size() >= least && id.items.size() <= least + 1 &&
        pickle_[id.items[0]].kind == PickleKind::text && pickle_[id.items[0]].text == "storage" &&
        pickle_[id.items[1]].kind == PickleKind::global &&
        pickle_[id.items[2]].kind == PickleKind::text &&
        pickle_[id.items[4]].kind == PickleKind::integer;
    if (!shaped) return damaged("refers to something that isn't a tensor's storage");
    if (id.items.size() > least && pickle_[id.items[least]].kind != PickleKind::none) {
      return damaged("refers to a view on a storage");
    }
    const std::optional<ElementType> type = storage_element_type(pickle_[id.items[1]].text);
    const std::int64_t elements = pickle_[id.items[4]].integer;
    if (!type || elements < 0 ||
        static_cast<std::uint64_t>(elements) > file_.size() / type->bytes) {
      return damaged("refers to a storage of unknown type or impossible size");
    }
    return Reference{pickle_[id.items[2]].text, {*type, static_cast<std::uint64_t>(elements)}};
  }

  bool is_tensor(const PickleValue& value) const {
    return value.kind == PickleKind::call;  // the pickle's reader lets no other calls through
  }

  Expected<StoredTensor> tensor(const PickleValue& value, std::string_view name,
                                const StorageOffset& storage_offset) const {
    const PickleValue* call = &value;
    // A parameter is a tensor with a wrapper around it.
    if (pickle_[call->items[0]].text == "_rebuild_parameter") {
      const PickleValue& arguments = pickle_[call->items[1]];
      if (arguments.items.empty() || pickle_[arguments.items[0]].kind != PickleKind::call) {
        return damaged("holds a parameter that isn't a tensor", name);
      }
      call = &pickle_[arguments.items[0]];
    }
    if (pickle_[call->items[0]].text != "_rebuild_tensor_v2") {
      return damaged("holds an object that isn't a tensor", name);
    }
    // (storage, offset, shape, strides, ...)
    const PickleValue& arguments = pickle_[call->items[1]];
    if (arguments.items.size() < 4 || pickle_[arguments.items[0]].kind != PickleKind::reference) {
      return damaged("holds a tensor without a storage", name);
    }
    THERMOCLINE_ASSIGN(const Reference storage, reference(pickle_[arguments.items[0]]));
    const std::optional<std::uint64_t> first = unsigned_value(pickle_[arguments.items[1]]);
    const auto shape = numbers(pickle_[arguments.items[2]]);
    const auto strides = numbers(pickle_[arguments.items[3]]);
    if (!first || !shape || !strides || shape->size() != strides->size()) {
      return damaged("holds a tensor with a senseless shape", name);
    }
    StoredTensor tensor{std::string(name), storage.claim.type, *shape, *strides};
    const std::optional<std::uint64_t> count = element_count(*shape, tensor.type.bytes);
    if (!count) return damaged("holds a tensor with a senseless shape", name);
    tensor.elements = *count;
    const std::optional<std::uint64_t> end = end_of(*first, tensor);
    if (!end || *end > storage.claim.elements || tensor.elements > storage.claim.elements) {
      return damaged("holds a tensor that is larger than its storage", name);
    }
    THERMOCLINE_ASSIGN(const std::uint64_t offset, storage_offset(storage.key));
    tensor.offset = offset + *first * tensor.type.bytes;
    return tensor;
  }

  Error damaged(const std::string& what, std::string_view tensor = {}) const {
    Error error = file_.corrupt(pickle_.end, "the pickle that ends here " + what);
    error.tensor = tensor.substr(0, 200);
    return error;
  }

 private:
  static std::optional<std::uint64_t> unsigned_value(const PickleValue& value) {
    if (value.kind != PickleKind::integer || value.integer < 0) return {};
    return static_cast<std::uint64_t>(value.integer);
  }
  std::optional<std::vector<std::uint64_t>> numbers(const PickleValue& value) const {
    if (value.kind != PickleKind::tuple || value.items.size() > most_dims) return {};
    std::vector<std::uint64_t> result;
    for (const std::uint32_t item : value.items) {
      const std::optional<std::uint64_t> number = unsigned_value(pickle_[item]);
      if (!number) return {};
      result.push_back(*number);
    }
    return result;
  }
  // One more than the last element's place in the storage; nothing if that overflows.
  static std::optional<std::uint64_t> end_of(std::uint64_t first, const StoredTensor& tensor) {
    if (tensor.elements == 0) return first;
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t last = first;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      const std::uint64_t steps = tensor.shape[i] - 1;
      if (steps != 0 && tensor.strides[i] > (most - last) / steps) return {};
      last += steps * tensor.strides[i];
    }
    return last + 1;
  }

  const SourceFile& file_;
  const Pickle& pickle_;
};

Property property(const PickleValue& value, std::string key) {
  Property result{std::move(key), std::string(name_of(value.kind)), {}};
  if (value.kind == PickleKind::text) result.value = std::string(value.text.substr(0, 1000));
  if (value.kind == PickleKind::integer) result.value = std::to_string(value.integer);
  if (value.kind == PickleKind::real) result.value = std::to_string(value.real);
  if (value.kind == PickleKind::boolean) result.value = value.integer != 0 ? "true" : "false";
  return result;
}

}  // namespace

Expected<std::map<std::string_view, StorageClaim>> storage_claims(const SourceFile& file,
                                                                  const Pickle& pickle) {
  const TorchReader reader(file, pickle);
  std::map<std::string_view, StorageClaim> claims;
  for (const PickleValue& value : pickle.values) {
    if (value.kind != PickleKind::reference) continue;
    THERMOCLINE_ASSIGN(const Reference reference, reader.reference(value));
    const auto [claim, added] = claims.emplace(reference.key, reference.claim);
    if (!added && (claim->second.type.name != reference.claim.type.name ||
                   claim->second.elements != reference.claim.elements)) {
      return reader.damaged("describes a storage in two ways");
    }
  }
  return claims;
}

Expected<Contents> torch_contents(const SourceFile& file, const Pickle& pickle,
                                  const StorageOffset& storage_offset) {
  const TorchReader reader(file, pickle);
  Contents contents;
  const PickleValue& root = pickle[pickle.root];
  if (reader.is_tensor(root)) {
    THERMOCLINE_ASSIGN(StoredTensor tensor, reader.tensor(root, "", storage_offset));
    contents.tensors.push_back(std::move(tensor));
    return contents;
  }
  if (root.kind != PickleKind::dict) {
    return file.error(
        ErrorCode::unsupported, pickle.end,
        "the pickle that ends here holds neither a tensor nor a dictionary of tensors",
        "choose a file of weights", "a tensor or a dictionary", std::string(name_of(root.kind)));
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const PickleValue& key = pickle[root.items[i]];
    const PickleValue& value = pickle[root.items[i + 1]];
    if (key.kind != PickleKind::text) return reader.damaged("names a tensor by what isn't text");
    if (!names.insert(key.text).second) {
      return reader.damaged("holds two entries of one name", key.text);
    }
    if (!reader.is_tensor(value)) {
      contents.properties.push_back(property(value, std::string(key.text)));
      continue;
    }
    THERMOCLINE_ASSIGN(StoredTensor tensor, reader.tensor(value, key.text, storage_offset));
    contents.tensors.push_back(std::move(tensor));
  }
  return contents;
}

}  // namespace thermocline::importer
