// Builds container files byte by byte, so that tests can break any single rule of the format.
#pragma once

#include "gguf/container.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::gguf::testing {

inline constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::string_view file_name = "broken.gguf";

class RawGguf {
 public:
  RawGguf() = default;
  RawGguf(std::string_view magic, std::uint32_t version, std::uint64_t tensors,
          std::uint64_t pairs) {
    text(magic).number(version).number(tensors).number(pairs);
  }
  // A version 3 file of the usual kind.
  RawGguf(std::uint64_t tensors, std::uint64_t pairs) : RawGguf("GGUF", 3, tensors, pairs) {}

  template <typename T>
  RawGguf& number(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  RawGguf& type(ValueType value) { return number(static_cast<std::uint32_t>(value)); }
  RawGguf& text(std::string_view value) {
    for (const char c : value)
      bytes_.push_back(static_cast<std::byte>(c));
    return *this;
  }
  RawGguf& string(std::string_view value) {
    return number(std::uint64_t{value.size()}).text(value);
  }
  RawGguf& zeros(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  RawGguf& pad(std::size_t alignment = 32) {
    return zeros((alignment - bytes_.size() % alignment) % alignment);
  }

  template <typename T>
  RawGguf& pair(std::string_view key, ValueType value_type, T value) {
    return string(key).type(value_type).number(value);
  }
  RawGguf& pair(std::string_view key, std::string_view value) {
    return string(key).type(ValueType::string).string(value);
  }
  // Starts an array whose elements follow.
  RawGguf& array(std::string_view key, ValueType element, std::uint64_t count) {
    return string(key).type(ValueType::array).type(element).number(count);
  }
  RawGguf& tensor(std::string_view name, std::initializer_list<std::uint64_t> dims,
                  std::uint32_t tensor_type, std::uint64_t offset) {
    string(name).number(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims)
      number(dim);
    return number(tensor_type).number(offset);
  }

  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// A small correct file with every kind of value and three tensors.
inline RawGguf small_file() {
  RawGguf file(3, 9);
  file.pair("general.architecture", "llama");
  file.pair("general.alignment", ValueType::u32, std::uint32_t{32});
  file.pair("llama.block_count", ValueType::u16, std::uint16_t{2});
  file.pair("llama.rope.freq_base", ValueType::f32, 10000.0F);
  file.pair("tokenizer.ggml.add_bos_token", ValueType::boolean, std::uint8_t{1});
  file.array("tokenizer.ggml.tokens", ValueType::string, 2).string("a").string("b\xc3\xa9");
  file.array("tokenizer.ggml.scores", ValueType::f32, 2).number(0.5F).number(-1.0F);
  file.array("flags", ValueType::boolean, 3).number('\0').number('\1').number('\0');
  file.pair("big", ValueType::i64, std::int64_t{-5});
  file.tensor("first", {8, 2}, 0, 0);
  file.tensor("second", {32}, 2, 64);
  file.tensor("third", {4, 1, 1, 2}, 1, 96);
  file.pad().zeros(64).zeros(18).zeros(14).zeros(16);
  return file;
}

inline Error refusal(const std::vector<std::byte>& bytes) {
  auto container = Container::parse(bytes, std::string(file_name));
  if (container) {
    ADD_FAILURE() << "the file was accepted";
    return {};
  }
  return std::move(container).error();
}

// Checks that a file is refused for the reason given, at the byte given, in one line that names the
// file, the place and a way out.
inline void expect_refused(const RawGguf& file, ErrorCode code, std::uint64_t offset,
                           std::string_view reason, std::string_view subject = {}) {
  const Error error = refusal(file.bytes());
  const std::string line = error.line();
  EXPECT_EQ(name_of(error.code), name_of(code)) << line;
  EXPECT_EQ(error.offset.value_or(huge), offset) << line;
  EXPECT_NE(error.message.find(reason), std::string::npos) << line;
  EXPECT_EQ(error.tensor, subject) << line;
  EXPECT_EQ(error.file, file_name);
  EXPECT_FALSE(error.remedy.empty()) << line;
  EXPECT_TRUE(line.starts_with(file_name)) << line;
  EXPECT_NE(line.find("byte " + std::to_string(offset)), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace thermocline::gguf::testing
