// Feeds bytes to the container's reader. What it accepts is read completely, written again and must
// come back equal.
#include "gguf/writer.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace gguf = thermocline::gguf;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Touches every element, so that a sanitizer sees a read out of bounds.
std::uint64_t walk(const gguf::ArrayView& array) {
  std::uint64_t sum = 0;
  for (const std::string_view text : array.strings()) {
    sum += text.empty()
               ? 0
               : static_cast<unsigned char>(text.front()) + static_cast<unsigned char>(text.back());
  }
  for (std::uint64_t i = 0; i < array.size(); ++i) {
    if (array.is_integer()) sum += static_cast<std::uint64_t>(array.integer(i));
    if (array.is_real()) sum += array.real(i) > 0 ? 1 : 0;
  }
  return sum;
}

std::uint64_t walk(const gguf::Container& file) {
  std::uint64_t sum = 0;
  for (const gguf::KeyValue& pair : file.key_values()) {
    require(file.find(pair.key) == &pair);
    if (const auto* array = std::get_if<gguf::ArrayView>(&pair.value)) sum += walk(*array);
    // Asking for the wrong type must be an error, never a crash.
    sum += file.unsigned_value(pair.key).has_value() ? 1 : 0;
    sum += file.real_value(pair.key).has_value() ? 1 : 0;
    sum += file.bool_value(pair.key).has_value() ? 1 : 0;
    sum += file.string_value(pair.key).has_value() ? 1 : 0;
    sum += file.array_value(pair.key, gguf::ValueType::i32).has_value() ? 1 : 0;
  }
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    require(file.find_tensor(tensor.name) == &tensor);
    require(tensor.offset % file.alignment() == 0);
    const auto data = file.data(tensor);
    if (data.empty()) continue;
    sum +=
        std::to_integer<std::uint64_t>(data.front()) + std::to_integer<std::uint64_t>(data.back());
  }
  return sum;
}

void require_equal(const gguf::Container& a, const gguf::Container& b) {
  require(a.magic() == b.magic() && a.alignment() == b.alignment());
  require(a.key_values().size() == b.key_values().size());
  for (std::size_t i = 0; i < a.key_values().size(); ++i) {
    const gguf::KeyValue& left = a.key_values()[i];
    const gguf::KeyValue& right = b.key_values()[i];
    require(left.key == right.key && left.type == right.type);
    require(same_bytes(left.encoded, right.encoded));
  }
  require(a.tensors().size() == b.tensors().size());
  for (std::size_t i = 0; i < a.tensors().size(); ++i) {
    const gguf::TensorInfo& left = a.tensors()[i];
    const gguf::TensorInfo& right = b.tensors()[i];
    require(left.name == right.name && left.type.type == right.type.type);
    require(left.dim_count == right.dim_count && left.dims == right.dims);
    require(same_bytes(a.data(left), b.data(right)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto parsed = gguf::Container::parse(bytes, "input");
  if (!parsed) {
    const std::string line = parsed.error().line();
    require(line.find('\n') == std::string::npos && parsed.error().offset.has_value());
    return 0;
  }
  const gguf::Container& file = **parsed;
  volatile std::uint64_t keep = walk(file);
  static_cast<void>(keep);

  gguf::Writer writer(file.magic(), file.alignment());
  for (const gguf::KeyValue& pair : file.key_values())
    writer.copy(file, pair);
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    writer.add_tensor(std::string(tensor.name), {tensor.dims.data(), tensor.dim_count},
                      tensor.type.type, file.data(tensor));
  }
  const auto written = writer.bytes();
  require(written.has_value());
  const auto again = gguf::Container::parse(*written, "copy");
  require(again.has_value());
  require_equal(file, **again);
  return 0;
}
