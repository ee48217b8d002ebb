// Encodes a container and writes it; what the reader would refuse is refused here too, by the
// reader.
#include "gguf/writer.h"

#include "gguf/limits.h"
#include "gguf/parser.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace thermocline::gguf {
namespace {

constexpr std::string_view alignment_key = "general.alignment";

using Bytes = std::vector<std::byte>;

template <typename T>
requires std::is_arithmetic_v<T>
void append(Bytes& out, T value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

void append(Bytes& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append(Bytes& out, ValueType type) {
  append(out, static_cast<std::uint32_t>(type));
}

void append(Bytes& out, std::string_view text) {
  append(out, static_cast<std::uint64_t>(text.size()));
  append(out, std::as_bytes(std::span(text)));
}

template <typename T>
Bytes scalar(ValueType type, T value) {
  Bytes out;
  append(out, type);
  append(out, value);
  return out;
}

Bytes array(ValueType element, std::uint64_t count) {
  Bytes out;
  append(out, ValueType::array);
  append(out, element);
  append(out, count);
  return out;
}

Error bad_tensor(std::string_view name, std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.tensor = name;
  return error;
}

Error bad_alignment(std::uint64_t alignment, std::string message, std::string wanted) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.tensor = alignment_key;
  error.wanted = std::move(wanted);
  error.found = std::to_string(alignment);
  return error;
}

// Zeros that bring `size` to the next multiple of `alignment`.
std::span<const std::byte> padding(std::uint64_t size, std::uint64_t alignment) {
  static constexpr std::array<std::byte, largest_alignment> zeros{};
  return std::span(zeros).first(align_up(size, alignment) - size);
}

}  // namespace

void Writer::add_u32(std::string key, std::uint32_t value) {
  pairs_.push_back({std::move(key), scalar(ValueType::u32, value)});
}

void Writer::add_u64(std::string key, std::uint64_t value) {
  pairs_.push_back({std::move(key), scalar(ValueType::u64, value)});
}

void Writer::add_i32(std::string key, std::int32_t value) {
  pairs_.push_back({std::move(key), scalar(ValueType::i32, value)});
}

void Writer::add_f32(std::string key, float value) {
  pairs_.push_back({std::move(key), scalar(ValueType::f32, value)});
}

void Writer::add_bool(std::string key, bool value) {
  pairs_.push_back({std::move(key), scalar(ValueType::boolean, std::uint8_t{value})});
}

void Writer::add_string(std::string key, std::string_view value) {
  pairs_.push_back({std::move(key), scalar(ValueType::string, value)});
}

void Writer::add_strings(std::string key, std::span<const std::string> values) {
  Bytes encoded = array(ValueType::string, values.size());
  for (const std::string& value : values)
    append(encoded, std::string_view(value));
  pairs_.push_back({std::move(key), std::move(encoded)});
}

void Writer::add_i32s(std::string key, std::span<const std::int32_t> values) {
  Bytes encoded = array(ValueType::i32, values.size());
  append(encoded, std::as_bytes(values));
  pairs_.push_back({std::move(key), std::move(encoded)});
}

void Writer::add_f32s(std::string key, std::span<const float> values) {
  Bytes encoded = array(ValueType::f32, values.size());
  append(encoded, std::as_bytes(values));
  pairs_.push_back({std::move(key), std::move(encoded)});
}

void Writer::copy(const Container& /*from*/, const KeyValue& pair) {
  Bytes encoded;
  append(encoded, pair.type);
  append(encoded, pair.encoded);
  pairs_.push_back({std::string(pair.key), std::move(encoded)});
}

void Writer::add_tensor(std::string name, std::span<const std::uint64_t> dims, TensorType type,
                        std::span<const std::byte> bytes) {
  tensors_.push_back({std::move(name), {dims.begin(), dims.end()}, type, bytes});
}

Expected<Bytes> Writer::header() const {
  if (!is_valid_alignment(alignment_)) {
    return bad_alignment(alignment_, "the alignment is no power of two within the limits",
                         "a power of two from 8 to 65536");
  }
  const bool names_alignment = alignment_ == default_alignment ||
                               std::any_of(pairs_.begin(), pairs_.end(), [](const Pair& pair) {
                                 return pair.key == alignment_key;
                               });

  Bytes out;
  append(out, std::as_bytes(std::span(magic_ == Magic::gguf ? "GGUF" : "PWRI", 4)));
  append(out, newest_version);
  append(out, static_cast<std::uint64_t>(tensors_.size()));
  append(out, static_cast<std::uint64_t>(pairs_.size() + (names_alignment ? 0 : 1)));
  if (!names_alignment) {
    append(out, alignment_key);
    append(out, scalar(ValueType::u32, static_cast<std::uint32_t>(alignment_)));
  }
  for (const Pair& pair : pairs_) {
    append(out, std::string_view(pair.key));
    append(out, pair.encoded);
  }

  std::uint64_t offset = 0;  // from the data section's start
  for (const Tensor& tensor : tensors_) {
    const auto size = tensor_bytes(tensor.dims, tensor_type_info(tensor.type));
    if (!size || *size != tensor.bytes.size()) {
      Error error = bad_tensor(tensor.name, "the tensor's dimensions don't fit its data");
      error.wanted = size ? std::to_string(*size) + " bytes" : "rows of whole blocks";
      error.found = std::to_string(tensor.bytes.size()) + " bytes";
      return error;
    }
    append(out, std::string_view(tensor.name));
    append(out, static_cast<std::uint32_t>(tensor.dims.size()));
    for (const std::uint64_t dim : tensor.dims)
      append(out, dim);
    append(out, stored_number(tensor.type, magic_));
    append(out, offset);
    offset += align_up(tensor.bytes.size(), alignment_);
  }
  THERMOCLINE_CHECK(check(out, offset));
  // Without tensors there is no data section whose start would need to be aligned.
  if (!tensors_.empty()) append(out, padding(out.size(), alignment_));
  return out;
}

Expected<void> Writer::check(std::span<const std::byte> header, std::uint64_t data_bytes) const {
  const std::uint64_t file_size = align_up(header.size(), alignment_) + data_bytes;
  auto parsed = Parser::parse(header, file_size, {});
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.code = ErrorCode::invalid_argument;
    error.remedy.clear();
    error.offset.reset();
    return error;
  }
  if (parsed->alignment() != alignment_) {
    return bad_alignment(parsed->alignment(),
                         "the key general.alignment differs from the file's alignment",
                         std::to_string(alignment_));
  }
  return {};
}

template <typename Sink>
Expected<void> Writer::write_all(const Sink& sink) const {
  THERMOCLINE_ASSIGN(const Bytes encoded, header());
  THERMOCLINE_CHECK(sink(std::span<const std::byte>(encoded)));
  for (const Tensor& tensor : tensors_) {
    if (tensor.bytes.empty()) continue;
    THERMOCLINE_CHECK(sink(tensor.bytes));
    const auto gap = padding(tensor.bytes.size(), alignment_);
    if (!gap.empty()) THERMOCLINE_CHECK(sink(gap));
  }
  return {};
}

Expected<void> Writer::write(const std::filesystem::path& path, platform::FileSystem& files) const {
  std::unique_ptr<platform::FileWriter> file;
  const auto sink = [&](std::span<const std::byte> part) -> Expected<void> {
    if (!file) {  // only once the header is known to be right
      THERMOCLINE_ASSIGN(file, files.write(path));
    }
    return file->write(part);
  };
  THERMOCLINE_CHECK(write_all(sink));
  return file->commit();
}

Expected<Bytes> Writer::bytes() const {
  Bytes out;
  THERMOCLINE_CHECK(write_all([&](std::span<const std::byte> part) -> Expected<void> {
    append(out, part);
    return {};
  }));
  return out;
}

}  // namespace thermocline::gguf
