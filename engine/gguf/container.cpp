// Opening a container and typed access to what it holds.
#include "gguf/container.h"

#include "gguf/parser.h"

#include <utility>

namespace thermocline::gguf {
namespace {

Error wrong_type(const Container& file, const KeyValue& pair, std::string wanted,
                 std::string found) {
  Error error = file.error(ErrorCode::corrupt_file, "the key has a value of the wrong type",
                           "use another file of this model");
  error.offset = pair.offset;
  error.tensor = pair.key;
  error.wanted = std::move(wanted);
  error.found = std::move(found);
  return error;
}

std::string type_text(const KeyValue& pair) {
  std::string text(name_of(pair.type));
  if (const auto* array = std::get_if<ArrayView>(&pair.value)) {
    text += " of " + std::string(name_of(array->element_type()));
  }
  return text;
}

// The value of `key` if it has the alternative T, which the file calls `wanted`.
template <typename T>
Expected<std::optional<T>> typed(const Container& file, std::string_view key, const char* wanted) {
  const KeyValue* pair = file.find(key);
  if (pair == nullptr) return std::optional<T>{};
  if (const T* value = std::get_if<T>(&pair->value)) return std::optional<T>(*value);
  return wrong_type(file, *pair, wanted, type_text(*pair));
}

}  // namespace

Expected<std::shared_ptr<const Container>> Container::open(const std::filesystem::path& path,
                                                           platform::FileSystem& files) {
  THERMOCLINE_ASSIGN(std::unique_ptr<platform::MappedFile> mapping, files.map(path));
  const auto bytes = mapping->bytes();
  auto parsed = Parser::parse(bytes, bytes.size(), platform::to_utf8(path));
  if (mapping->damaged()) {
    // Whatever the parser saw may be zeros that stood in for lost bytes.
    Error error;
    error.code = ErrorCode::file_changed;
    error.message = "the file became shorter while it was being read";
    error.remedy = "wait until the file is complete, then open it again";
    error.file = platform::to_utf8(path);
    return error;
  }
  if (!parsed) return std::move(parsed).error();
  parsed->mapping_ = std::move(mapping);
  return std::make_shared<const Container>(*std::move(parsed));
}

Expected<std::shared_ptr<const Container>> Container::parse(std::span<const std::byte> bytes,
                                                            std::string name) {
  THERMOCLINE_ASSIGN(Container container, Parser::parse(bytes, bytes.size(), std::move(name)));
  return std::make_shared<const Container>(std::move(container));
}

const KeyValue* Container::find(std::string_view key) const {
  const auto found = key_index_.find(key);
  return found == key_index_.end() ? nullptr : &key_values_[found->second];
}

const TensorInfo* Container::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

Expected<std::optional<std::uint64_t>> Container::unsigned_value(std::string_view key) const {
  using Result = std::optional<std::uint64_t>;
  const KeyValue* pair = find(key);
  if (pair == nullptr) return Result{};
  if (const auto* value = std::get_if<std::uint64_t>(&pair->value)) return Result(*value);
  if (const auto* value = std::get_if<std::int64_t>(&pair->value)) {
    if (*value >= 0) return Result(static_cast<std::uint64_t>(*value));
    return wrong_type(*this, *pair, "an integer from 0 up", std::to_string(*value));
  }
  return wrong_type(*this, *pair, "an integer", type_text(*pair));
}

Expected<std::optional<double>> Container::real_value(std::string_view key) const {
  return typed<double>(*this, key, "f32 or f64");
}

Expected<std::optional<bool>> Container::bool_value(std::string_view key) const {
  return typed<bool>(*this, key, "bool");
}

Expected<std::optional<std::string_view>> Container::string_value(std::string_view key) const {
  return typed<std::string_view>(*this, key, "string");
}

Expected<const ArrayView*> Container::array_value(std::string_view key, ValueType element) const {
  const KeyValue* pair = find(key);
  if (pair == nullptr) return nullptr;
  const auto* array = std::get_if<ArrayView>(&pair->value);
  if (array != nullptr && array->element_type() == element) return array;
  return wrong_type(*this, *pair, "array of " + std::string(name_of(element)), type_text(*pair));
}

Error Container::error(ErrorCode code, std::string message, std::string remedy) const {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  error.file = name_;
  return error;
}

}  // namespace thermocline::gguf
