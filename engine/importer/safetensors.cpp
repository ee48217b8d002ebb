// safetensors: a 64-bit length, a JSON header of that length, and the tensors' bytes without a gap.
// Source: the format's own description, huggingface.co/docs/safetensors.
#include "importer/contents.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <set>

namespace thermocline::importer {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit
constexpr std::size_t most_dims = 8;

// Takes the header's JSON piece by piece: nothing but what a header may hold is kept, and what
// comes twice is noticed.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  struct Entry {
    StoredTensor tensor;  // `offset` is relative to the data
    std::uint64_t end = 0;
    int fields = 0;  // one bit for each that was given
  };
  std::vector<Entry> entries;
  std::vector<Property> properties;
  std::string problem;
  std::string subject;  // the tensor it is about
  std::uint64_t problem_offset = 0;

  bool null() override { return fail("holds a value that has no place there"); }
  bool boolean(bool) override { return fail("holds a value that has no place there"); }
  bool number_integer(number_integer_t) override { return fail("holds a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return fail("holds a number that isn't whole or is too large");
  }
  bool binary(binary_t&) override { return fail("holds a value that has no place there"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) {
      return fail("holds a number that has no place there");
    }
    if (numbers_.size() == most_dims) return fail("has too many dimensions");
    numbers_.push_back(value);
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata) {
      properties.push_back({std::move(key_), "string", std::move(text)});
      return true;
    }
    if (place_ != Place::tensor || key_ != "dtype") return fail("holds a text that has no place");
    const std::optional<ElementType> type = element_type(text);
    if (!type) return fail("is of an unknown type, '" + text + "'");
    entries.back().tensor.type = *type;
    return give(dtype_bit);
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::start) {
      place_ = Place::top;
      return true;
    }
    if (place_ != Place::top) return fail("is nested too deeply");
    if (key_ == "__metadata__") {
      place_ = Place::metadata;
      return true;
    }
    place_ = Place::tensor;
    subject = key_;
    entries.emplace_back();
    entries.back().tensor.name = std::move(key_);
    return true;
  }

  bool key(string_t& text) override {
    if (text.find('\0') != std::string::npos) return fail("has a name with a zero byte");
    if (place_ == Place::top && !names_.insert(text).second) {
      subject = text;
      return fail("stands in the header twice");
    }
    if (place_ == Place::metadata && !metadata_names_.insert(text).second) {
      return fail("names a property twice");
    }
    key_ = std::move(text);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && entries.back().fields != all_bits) {
      return fail("lacks its dtype, shape or data_offsets");
    }
    place_ = place_ == Place::top ? Place::end : Place::top;
    subject.clear();
    return true;
  }

  bool start_array(std::size_t) override {
    numbers_.clear();
    if (place_ == Place::tensor && key_ == "shape") {
      place_ = Place::shape;
    } else if (place_ == Place::tensor && key_ == "data_offsets") {
      place_ = Place::offsets;
    } else {
      return fail("holds a list that has no place there");
    }
    return true;
  }

  bool end_array() override {
    Entry& entry = entries.back();
    const bool shape = place_ == Place::shape;
    place_ = Place::tensor;
    if (shape) {
      entry.tensor.shape = numbers_;
      return give(shape_bit);
    }
    if (numbers_.size() != 2 || numbers_[0] > numbers_[1]) {
      return fail("has data_offsets that aren't a beginning and an end");
    }
    entry.tensor.offset = numbers_[0];
    entry.end = numbers_[1];
    return give(offsets_bit);
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    problem_offset = position == 0 ? 0 : position - 1;
    return fail("isn't JSON");
  }

 private:
  enum class Place { start, top, metadata, tensor, shape, offsets, end };
  static constexpr int dtype_bit = 1;
  static constexpr int shape_bit = 2;
  static constexpr int offsets_bit = 4;
  static constexpr int all_bits = 7;

  bool give(int bit) {
    if ((entries.back().fields & bit) != 0) return fail("states '" + key_ + "' twice");
    entries.back().fields |= bit;
    return true;
  }
  bool fail(std::string what) {
    problem = std::move(what);
    return false;
  }

  Place place_ = Place::start;
  std::string key_;
  std::vector<std::uint64_t> numbers_;
  std::set<std::string> names_;
  std::set<std::string> metadata_names_;
};

Error about(const SourceFile& file, const std::string& tensor, std::uint64_t offset,
            std::string message, std::string wanted = {}, std::string found = {}) {
  Error error = file.corrupt(offset, std::move(message), std::move(wanted), std::move(found));
  error.tensor = tensor.substr(0, 200);
  return error;
}

// Makes offsets absolute and checks that the tensors fill the data without gap or overlap.
Expected<void> place(const SourceFile& file, std::uint64_t data_offset,
                     std::vector<HeaderReader::Entry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&entries](std::size_t a, std::size_t b) {
    return std::pair(entries[a].tensor.offset, entries[a].end) <
           std::pair(entries[b].tensor.offset, entries[b].end);
  });
  const std::uint64_t data_bytes = file.size() - data_offset;
  std::uint64_t filled = 0;
  for (const std::size_t i : order) {
    StoredTensor& tensor = entries[i].tensor;
    const std::uint64_t end = entries[i].end;
    if (end > data_bytes) {
      return about(file, tensor.name, length_bytes, "the tensor lies beyond the end of the file",
                   "at most " + std::to_string(data_bytes), std::to_string(end));
    }
    const std::optional<std::uint64_t> count = element_count(tensor.shape, tensor.type.bytes);
    if (!count || *count * tensor.type.bytes != end - tensor.offset) {
      return about(file, tensor.name, length_bytes, "the tensor's shape and its bytes disagree",
                   count ? std::to_string(*count * tensor.type.bytes) + " bytes" : "",
                   std::to_string(end - tensor.offset) + " bytes");
    }
    if (tensor.offset != filled) {
      return about(file, tensor.name, length_bytes,
                   tensor.offset < filled ? "the tensor overlaps another"
                                          : "there is a gap before the tensor",
                   "a beginning at " + std::to_string(filled), std::to_string(tensor.offset));
    }
    filled = end;
    tensor.elements = *count;
    tensor.offset += data_offset;
    tensor.strides = contiguous_strides(tensor.shape);
  }
  if (filled != data_bytes) {
    return file.corrupt(data_offset + filled, "bytes that belong to no tensor follow the last one",
                        std::to_string(filled) + " bytes of data", std::to_string(data_bytes));
  }
  return {};
}

}  // namespace

Expected<Contents> read_safetensors(const SourceFile& file) {
  if (!file.holds(0, length_bytes)) return file.corrupt(0, "the file ends inside its header");
  const auto header_bytes = file.number<std::uint64_t>(0);
  if (header_bytes > longest_header || !file.holds(length_bytes, header_bytes)) {
    return file.corrupt(
        0, "the header is longer than the file or than the format allows",
        "at most " + std::to_string(std::min(longest_header, file.size() - length_bytes)),
        std::to_string(header_bytes));
  }
  HeaderReader header;
  const std::string_view text = file.text(length_bytes, header_bytes);
  if (!Json::sax_parse(text.begin(), text.end(), &header)) {
    return about(file, header.subject, length_bytes + header.problem_offset,
                 (header.subject.empty() ? "the header " : "the tensor ") + header.problem);
  }
  THERMOCLINE_CHECK(place(file, length_bytes + header_bytes, header.entries));
  Contents contents;
  contents.properties = std::move(header.properties);
  contents.tensors.reserve(header.entries.size());
  for (HeaderReader::Entry& entry : header.entries)
    contents.tensors.push_back(std::move(entry.tensor));
  return contents;
}

}  // namespace thermocline::importer
