// Reads a container's tensor table and checks that every tensor lies in the file, apart from all
// others. The rest of the header is in parser.cpp.
#include "gguf/limits.h"
#include "gguf/parser.h"
#include "platform/utf8.h"

#include <algorithm>
#include <utility>

namespace thermocline::gguf {
namespace {

std::string dims_text(const TensorInfo& tensor) {
  std::string text = "dimensions ";
  for (std::uint32_t i = 0; i < tensor.dim_count; ++i) {
    if (i != 0) text += " x ";
    text += std::to_string(tensor.dims[i]);
  }
  return text;
}

}  // namespace

Expected<void> Parser::read_tensor() {
  const std::uint64_t name_at = position_;
  TensorInfo tensor{};
  THERMOCLINE_ASSIGN(tensor.name, read_tensor_name());
  subject_ = tensor.name;
  if (!container_.tensor_index_.emplace(tensor.name, container_.tensors_.size()).second) {
    return corrupt(name_at, "the tensor's name stands twice in the file");
  }
  THERMOCLINE_CHECK(read_dims(tensor));
  const std::uint64_t dims_at = position_ - tensor.dim_count * sizeof(std::uint64_t);
  THERMOCLINE_CHECK(read_tensor_type(tensor));
  THERMOCLINE_CHECK(check_dims(tensor, dims_at));
  const auto bytes = tensor_bytes({tensor.dims.data(), tensor.dim_count}, tensor.type);
  if (!bytes) {
    return corrupt(dims_at, "the tensor's size overflows", "less than 2^63 elements and bytes",
                   dims_text(tensor));
  }
  tensor.bytes = *bytes;

  const std::uint64_t offset_at = position_;
  THERMOCLINE_ASSIGN(tensor.offset, read<std::uint64_t>("a tensor's offset"));
  if (tensor.offset % container_.alignment_ != 0) {
    return corrupt(offset_at, "the tensor's offset isn't aligned",
                   "a multiple of " + std::to_string(container_.alignment_),
                   std::to_string(tensor.offset));
  }
  offset_fields_.push_back(offset_at);
  container_.tensors_.push_back(tensor);
  subject_ = {};
  return {};
}

Expected<std::string_view> Parser::read_tensor_name() {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::string_view name, read_string("a tensor's name"));
  if (name.empty()) return corrupt(offset, "a tensor has no name");
  if (name.size() > longest_tensor_name) {
    return corrupt(offset, "a tensor's name is too long",
                   "at most " + std::to_string(longest_tensor_name) + " bytes",
                   std::to_string(name.size()) + " bytes");
  }
  if (!platform::is_valid_utf8(name) || name.find('\0') != std::string_view::npos) {
    return corrupt(offset, "a tensor's name isn't UTF-8 text", "UTF-8 without NUL",
                   std::string(name));
  }
  return name;
}

Expected<void> Parser::read_dims(TensorInfo& tensor) {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::uint32_t count,
                     read<std::uint32_t>("a tensor's number of dimensions"));
  if (count < 1 || count > most_dims) {
    return corrupt(offset, "the tensor has an impossible number of dimensions", "1 to 4",
                   std::to_string(count));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    THERMOCLINE_ASSIGN(tensor.dims[i], read<std::uint64_t>("a tensor's dimensions"));
  }
  tensor.dim_count = count;
  return {};
}

Expected<void> Parser::read_tensor_type(TensorInfo& tensor) {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::uint32_t number, read<std::uint32_t>("a tensor's type"));
  const TensorTypeInfo* type = tensor_type_info(number, container_.magic_);
  if (type == nullptr) {
    const std::string_view name = unsupported_type_name(number);
    std::string shown = "type " + std::to_string(number);
    if (!name.empty()) shown += " (" + std::string(name) + ")";
    return fail(ErrorCode::unsupported, offset,
                shown + " in tensor " + std::string(tensor.name) + " isn't supported",
                "use a F16, Q8_0 or Q4_0 file of this model", "a supported tensor type", shown);
  }
  tensor.type = *type;
  return {};
}

Expected<void> Parser::check_dims(const TensorInfo& tensor, std::uint64_t dims_offset) const {
  for (std::uint32_t i = 0; i < tensor.dim_count; ++i) {
    const std::uint64_t dim = tensor.dims[i];
    const std::uint64_t offset = dims_offset + i * sizeof(dim);
    if (dim == 0 &&
        !may_be_empty(container_.magic_, tensor.name, tensor.type.type, tensor.dim_count)) {
      return corrupt(offset, "a dimension of the tensor is zero", "at least 1", "0");
    }
    if (dim > largest_dim) {
      return corrupt(offset, "a dimension of the tensor is too large",
                     "at most " + std::to_string(largest_dim), std::to_string(dim));
    }
  }
  if (tensor.dims[0] % tensor.type.block_length != 0) {
    return corrupt(dims_offset, "the tensor's rows aren't whole blocks",
                   "a multiple of " + std::to_string(tensor.type.block_length) + " for " +
                       std::string(tensor.type.name),
                   std::to_string(tensor.dims[0]));
  }
  return {};
}

Expected<void> Parser::place_tensors() {
  container_.data_offset_ = align_up(position_, container_.alignment_);
  // A file without tensors may end before the place where their data would begin.
  const std::uint64_t room =
      file_size_ > container_.data_offset_ ? file_size_ - container_.data_offset_ : 0;
  for (std::size_t i = 0; i < container_.tensors_.size(); ++i) {
    TensorInfo& tensor = container_.tensors_[i];
    if (tensor.offset > room || tensor.bytes > room - tensor.offset ||
        container_.data_offset_ > file_size_) {
      subject_ = tensor.name;
      return corrupt(
          offset_fields_[i], "the tensor reaches beyond the end of the file",
          "at most " + std::to_string(room) + " bytes of tensors",
          std::to_string(tensor.bytes) + " bytes at offset " + std::to_string(tensor.offset));
    }
    tensor.offset += container_.data_offset_;
  }
  return {};
}

Expected<void> Parser::check_overlaps() const {
  struct Extent {
    std::uint64_t begin;
    std::uint64_t end;
    std::size_t index;
  };
  const auto& tensors = container_.tensors_;
  std::vector<Extent> extents;
  extents.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].bytes == 0) continue;
    extents.push_back({tensors[i].offset, tensors[i].offset + tensors[i].bytes, i});
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.index) < std::pair(b.begin, b.index);
  });
  for (std::size_t i = 1; i < extents.size(); ++i) {
    const Extent& first = extents[i - 1];
    const Extent& second = extents[i];
    if (second.begin >= first.end) continue;
    Error error = corrupt(offset_fields_[second.index],
                          "the tensor overlaps tensor " + std::string(tensors[first.index].name),
                          "data at byte " + std::to_string(first.end) + " or later",
                          "data at byte " + std::to_string(second.begin));
    error.tensor = tensors[second.index].name;
    return error;
  }
  return {};
}

}  // namespace thermocline::gguf
