// Reads a container's header: magic, version, counts and key-value pairs, with every rule checked.
// The tensor table is in parser_tensors.cpp.
#include "gguf/parser.h"

#include "gguf/foreign_file.h"
#include "gguf/limits.h"
#include "platform/utf8.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thermocline::gguf {
namespace {

constexpr std::string_view download_again = "download the file again; it is incomplete or damaged";
constexpr std::string_view other_file = "use a GGUF version 2 or 3 file of this model";

// Values that a model divides by or scales with: a NaN here would turn every answer to noise.
constexpr std::array<std::string_view, 6> finite_keys{
    "rope.freq_base",         "rope.scale_linear",  "rope.scaling.factor",
    "layer_norm_rms_epsilon", "layer_norm_epsilon", "powerinfer.sparse_threshold"};

std::string count_of(std::uint64_t count, std::string_view unit) {
  return std::to_string(count) + " " + std::string(unit);
}

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

std::uint32_t byte_swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xFF00u) | (value << 8 & 0xFF0000u) | value << 24;
}

}  // namespace

Expected<Container> Parser::parse(std::span<const std::byte> bytes, std::uint64_t file_size,
                                  std::string name) {
  Container container;
  container.name_ = std::move(name);
  container.bytes_ = bytes;
  THERMOCLINE_CHECK(Parser(container, file_size).run());
  return container;
}

Expected<void> Parser::run() {
  THERMOCLINE_CHECK(read_magic());
  THERMOCLINE_CHECK(read_version());
  THERMOCLINE_CHECK(read_counts());
  for (std::uint64_t i = 0; i < pair_count_; ++i)
    THERMOCLINE_CHECK(read_pair());
  for (std::uint64_t i = 0; i < tensor_count_; ++i)
    THERMOCLINE_CHECK(read_tensor());
  subject_ = {};
  THERMOCLINE_CHECK(place_tensors());
  return check_overlaps();
}

Expected<void> Parser::read_magic() {
  constexpr std::size_t length = 4;
  const auto bytes = container_.bytes_;
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()),
                               std::min(bytes.size(), length));
  if (magic == "GGUF") {
    container_.magic_ = Magic::gguf;
  } else if (magic == "PWRI") {
    container_.magic_ = Magic::powerinfer;
  } else {
    const ForeignFile seen = recognise_foreign_file(bytes);
    return fail(ErrorCode::not_a_model, 0, "this isn't a GGUF or PowerInfer model",
                std::string(seen.remedy), "the letters GGUF or PWRI at the beginning",
                std::string(seen.what));
  }
  position_ = length;
  return {};
}

Expected<void> Parser::read_version() {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::uint32_t version, read<std::uint32_t>("the file's version"));
  const std::string format =
      container_.magic_ == Magic::gguf ? "GGUF version " : "PowerInfer GGUF version ";
  const std::string wanted = "version 2 or 3";
  if (version >= oldest_version && version <= newest_version) {
    container_.version_ = version;
    return {};
  }
  if (version == 0) {
    return corrupt(offset, "there is no " + format + "0", wanted, "version 0");
  }
  if (version == 1) {
    return fail(ErrorCode::unsupported, offset,
                format + "1 isn't supported: it was replaced within days of its release",
                std::string(other_file), wanted, "version 1");
  }
  // A small number read in the wrong byte order has its low half empty.
  if ((version & 0xFFFFu) == 0) {
    return fail(ErrorCode::unsupported, offset,
                "this is a big-endian file, made for another kind of processor",
                "use a little-endian file of this model", wanted,
                "version " + std::to_string(byte_swapped(version)) + " with its bytes reversed");
  }
  return fail(ErrorCode::unsupported, offset,
              format + std::to_string(version) + " isn't known; versions 2 and 3 are",
              "update this program, or use a GGUF version 2 or 3 file of this model", wanted,
              "version " + std::to_string(version));
}

Expected<void> Parser::read_counts() {
  const std::uint64_t tensors_at = position_;
  THERMOCLINE_ASSIGN(tensor_count_, read<std::uint64_t>("the number of tensors"));
  const std::uint64_t pairs_at = position_;
  THERMOCLINE_ASSIGN(pair_count_, read<std::uint64_t>("the number of key-value pairs"));

  const std::uint64_t room = remaining();
  const auto more_than_fits = [&](std::uint64_t offset, std::uint64_t count, std::string_view what,
                                  std::uint64_t most) {
    return corrupt(offset,
                   "the header announces more " + std::string(what) + " than fit in the file",
                   "at most " + std::to_string(most), std::to_string(count));
  };
  if (tensor_count_ > room / least_tensor_bytes) {
    return more_than_fits(tensors_at, tensor_count_, "tensors", room / least_tensor_bytes);
  }
  const std::uint64_t pair_room = room - tensor_count_ * least_tensor_bytes;
  if (pair_count_ > pair_room / least_pair_bytes) {
    return more_than_fits(pairs_at, pair_count_, "key-value pairs", pair_room / least_pair_bytes);
  }
  const auto too_many = [&](std::uint64_t offset, std::uint64_t count, std::string_view what) {
    return fail(ErrorCode::unsupported, offset, "the file has too many " + std::string(what),
                "check where the file comes from; no model needs so many",
                "at most " + std::to_string(most_records), std::to_string(count));
  };
  if (tensor_count_ > most_records) return too_many(tensors_at, tensor_count_, "tensors");
  if (pair_count_ > most_records) return too_many(pairs_at, pair_count_, "key-value pairs");
  return {};
}

Expected<void> Parser::read_pair() {
  const std::uint64_t key_at = position_;
  KeyValue pair{};
  THERMOCLINE_ASSIGN(pair.key, read_key());
  subject_ = pair.key;
  if (!container_.key_index_.emplace(pair.key, container_.key_values_.size()).second) {
    return corrupt(key_at, "the key stands twice in the file");
  }
  THERMOCLINE_ASSIGN(pair.type, read_value_type("a value's type"));
  pair.offset = position_;
  THERMOCLINE_CHECK(read_value(pair));
  pair.encoded = container_.bytes_.subspan(pair.offset, position_ - pair.offset);
  if (pair.key == "general.alignment") THERMOCLINE_CHECK(read_alignment(pair));
  THERMOCLINE_CHECK(check_finite(pair));
  container_.key_values_.push_back(pair);
  subject_ = {};
  return {};
}

Expected<std::string_view> Parser::read_key() {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::string_view key, read_string("a key"));
  if (key.empty()) return corrupt(offset, "a key is empty");
  if (key.size() > longest_key) {
    return corrupt(offset, "a key is too long", "at most " + count_of(longest_key, "bytes"),
                   count_of(key.size(), "bytes"));
  }
  if (!platform::is_valid_utf8(key) || has_nul(key)) {
    return corrupt(offset, "a key isn't UTF-8 text", "UTF-8 without NUL", std::string(key));
  }
  return key;
}

Expected<std::string_view> Parser::read_string(std::string_view what) {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::uint64_t length, read<std::uint64_t>(what));
  if (length > remaining()) {
    return corrupt(offset, std::string(what) + " reaches beyond the end of the file",
                   "at most " + count_of(remaining(), "bytes"), count_of(length, "bytes"));
  }
  const std::string_view text(reinterpret_cast<const char*>(container_.bytes_.data()) + position_,
                              length);
  position_ += length;
  return text;
}

Expected<ValueType> Parser::read_value_type(std::string_view what) {
  const std::uint64_t offset = position_;
  THERMOCLINE_ASSIGN(const std::uint32_t number, read<std::uint32_t>(what));
  if (number > static_cast<std::uint32_t>(ValueType::f64)) {
    return corrupt(offset, std::string(what) + " is unknown", "a number from 0 to 12",
                   std::to_string(number));
  }
  return static_cast<ValueType>(number);
}

Expected<void> Parser::read_value(KeyValue& pair) {
  constexpr std::string_view what = "a value";
  const auto store = [&]<typename Wide, typename Stored>(Wide, Stored) -> Expected<void> {
    THERMOCLINE_ASSIGN(const Stored value, read<Stored>(what));
    pair.value = static_cast<Wide>(value);
    return {};
  };
  constexpr std::uint64_t as_unsigned = 0;
  constexpr std::int64_t as_signed = 0;
  switch (pair.type) {
    case ValueType::u8:
      return store(as_unsigned, std::uint8_t{});
    case ValueType::i8:
      return store(as_signed, std::int8_t{});
    case ValueType::u16:
      return store(as_unsigned, std::uint16_t{});
    case ValueType::i16:
      return store(as_signed, std::int16_t{});
    case ValueType::u32:
      return store(as_unsigned, std::uint32_t{});
    case ValueType::i32:
      return store(as_signed, std::int32_t{});
    case ValueType::u64:
      return store(as_unsigned, std::uint64_t{});
    case ValueType::i64:
      return store(as_signed, std::int64_t{});
    case ValueType::f32:
      return store(double{}, float{});
    case ValueType::f64:
      return store(double{}, double{});
    case ValueType::boolean: {
      THERMOCLINE_ASSIGN(const std::uint8_t value, read<std::uint8_t>(what));
      if (value > 1) {
        return corrupt(pair.offset, "a bool is neither true nor false", "0 or 1",
                       std::to_string(value));
      }
      pair.value = value != 0;
      return {};
    }
    case ValueType::string: {
      THERMOCLINE_ASSIGN(const std::string_view text, read_string("a string"));
      if (!platform::is_valid_utf8(text) || has_nul(text)) {
        return corrupt(pair.offset, "a string isn't UTF-8 text", "UTF-8 without NUL");
      }
      pair.value = text;
      return {};
    }
    case ValueType::array:
      return read_array(pair);
  }
  return corrupt(pair.offset, "a value's type is unknown");
}

Expected<void> Parser::read_array(KeyValue& pair) {
  const std::uint64_t type_at = position_;
  THERMOCLINE_ASSIGN(const ValueType element, read_value_type("an array's element type"));
  if (element == ValueType::array) {
    return fail(ErrorCode::unsupported, type_at, "arrays of arrays aren't supported",
                std::string(other_file), "numbers, bools or strings", "arrays");
  }
  const std::uint64_t count_at = position_;
  THERMOCLINE_ASSIGN(const std::uint64_t count, read<std::uint64_t>("an array's length"));
  const bool is_strings = element == ValueType::string;
  const std::uint64_t least = is_strings ? sizeof(std::uint64_t) : fixed_size(element);
  if (count > remaining() / least) {
    return corrupt(count_at, "an array reaches beyond the end of the file",
                   "at most " + count_of(remaining() / least, "elements"),
                   count_of(count, "elements"));
  }
  const std::uint64_t start = position_;
  if (is_strings) {
    THERMOCLINE_CHECK(check_array_strings(count));
  } else {
    if (element == ValueType::boolean) THERMOCLINE_CHECK(check_array_bools(count));
    position_ += count * least;
  }
  pair.value =
      ArrayView(element, count, container_.bytes_.subspan(start, position_ - start), start);
  return {};
}

Expected<void> Parser::check_array_strings(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = position_;
    THERMOCLINE_ASSIGN(const std::string_view text, read_string("an array's string"));
    // A token may be any text, even NUL.
    if (!platform::is_valid_utf8(text)) {
      return corrupt(offset, "an array's string isn't UTF-8 text", "UTF-8",
                     "invalid bytes in element " + std::to_string(i));
    }
  }
  return {};
}

Expected<void> Parser::check_array_bools(std::uint64_t count) {
  const auto bools = container_.bytes_.subspan(position_, count);
  const auto bad =
      std::find_if(bools.begin(), bools.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bools.end()) return {};
  const auto index = static_cast<std::uint64_t>(bad - bools.begin());
  return corrupt(
      position_ + index, "a bool is neither true nor false", "0 or 1",
      std::to_string(std::to_integer<unsigned>(*bad)) + " in element " + std::to_string(index));
}

Expected<void> Parser::read_alignment(const KeyValue& pair) {
  if (pair.type != ValueType::u32) {
    return corrupt(pair.offset, "the alignment has the wrong type", "u32",
                   std::string(name_of(pair.type)));
  }
  const std::uint64_t alignment = *std::get_if<std::uint64_t>(&pair.value);
  if (!is_valid_alignment(alignment)) {
    return corrupt(pair.offset, "the alignment is no power of two within the limits",
                   "a power of two from 8 to 65536", std::to_string(alignment));
  }
  container_.alignment_ = alignment;
  return {};
}

Expected<void> Parser::check_finite(const KeyValue& pair) const {
  const double* value = std::get_if<double>(&pair.value);
  if (value == nullptr || std::isfinite(*value)) return {};
  const bool matters = std::any_of(finite_keys.begin(), finite_keys.end(),
                                   [&](std::string_view end) { return pair.key.ends_with(end); });
  if (!matters) return {};
  return corrupt(pair.offset, "a number that the model computes with isn't finite",
                 "a finite number", std::isnan(*value) ? "not a number" : "infinity");
}

Error Parser::corrupt(std::uint64_t offset, std::string message, std::string wanted,
                      std::string found) const {
  return fail(ErrorCode::corrupt_file, offset, std::move(message), std::string(download_again),
              std::move(wanted), std::move(found));
}

Error Parser::fail(ErrorCode code, std::uint64_t offset, std::string message, std::string remedy,
                   std::string wanted, std::string found) const {
  constexpr std::size_t longest_shown = 200;
  Error error = container_.error(code, std::move(message), std::move(remedy));
  error.offset = offset;
  error.tensor = subject_.substr(0, longest_shown);
  error.wanted = std::move(wanted);
  if (found.size() > longest_shown) found.resize(longest_shown);
  error.found = std::move(found);
  return error;
}

Error Parser::ends_inside(std::string_view what, std::uint64_t needed) const {
  return corrupt(position_, "the file ends inside " + std::string(what), count_of(needed, "bytes"),
                 count_of(remaining(), "bytes left"));
}

}  // namespace thermocline::gguf
