// Reading the elements of an array value in place; the file promises no alignment.
#include "gguf/container.h"
#include "gguf/limits.h"

#include <cstring>

namespace thermocline::gguf {
namespace {

template <typename T>
T load(std::span<const std::byte> bytes, std::uint64_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

std::vector<std::string_view> ArrayView::strings(std::uint64_t most) const {
  std::vector<std::string_view> result;
  if (element_ != ValueType::string) return result;
  const std::uint64_t count = std::min(count_, most);
  result.reserve(count);
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    // The lengths were checked when the file was parsed, but the file may have been rewritten
    // since.
    std::uint64_t length = 0;
    if (bytes_.size() - at >= sizeof(length)) {
      length = load<std::uint64_t>(bytes_.subspan(at), 0);
      at += sizeof(length);
    }
    if (length > bytes_.size() - at) length = 0;
    result.emplace_back(reinterpret_cast<const char*>(bytes_.data()) + at, length);
    at += length;
  }
  return result;
}

std::int64_t ArrayView::integer(std::uint64_t i) const {
  if (i >= count_) return 0;
  switch (element_) {
    case ValueType::u8:
      return load<std::uint8_t>(bytes_, i);
    case ValueType::i8:
      return load<std::int8_t>(bytes_, i);
    case ValueType::u16:
      return load<std::uint16_t>(bytes_, i);
    case ValueType::i16:
      return load<std::int16_t>(bytes_, i);
    case ValueType::u32:
      return load<std::uint32_t>(bytes_, i);
    case ValueType::i32:
      return load<std::int32_t>(bytes_, i);
    case ValueType::boolean:
      return load<std::uint8_t>(bytes_, i) != 0;
    case ValueType::i64:
      return load<std::int64_t>(bytes_, i);
    case ValueType::u64: {
      const auto value = load<std::uint64_t>(bytes_, i);
      return value > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(value);
    }
    default:
      return 0;
  }
}

double ArrayView::real(std::uint64_t i) const {
  if (i >= count_) return 0;
  if (element_ == ValueType::f32) return load<float>(bytes_, i);
  if (element_ == ValueType::f64) return load<double>(bytes_, i);
  return 0;
}

bool ArrayView::is_integer() const {
  return fixed_size(element_) != 0 && !is_real();
}

bool ArrayView::is_real() const {
  return element_ == ValueType::f32 || element_ == ValueType::f64;
}

}  // namespace thermocline::gguf
