// Keys, names and string values that break the rules. Class numbers as in header_test.cpp.
#include "raw_gguf.h"

namespace thermocline::gguf::testing {
namespace {

constexpr std::uint64_t first = 24;  // where the first key or tensor name stands

TEST(Strings, refuses_key_longer_than_the_file) {  // class 15
  RawGguf file(0, 1);
  file.number(std::uint64_t{100}).text("key").zeros(40);
  expect_refused(file, ErrorCode::corrupt_file, first, "a key reaches beyond the end");
}

TEST(Strings, refuses_string_value_longer_than_the_file) {  // class 15
  RawGguf file(0, 1);
  file.string("name").type(ValueType::string).number(std::uint64_t{9}).text("12345678");
  expect_refused(file, ErrorCode::corrupt_file, first + 16, "a string reaches beyond", "name");
}

TEST(Strings, refuses_tensor_name_longer_than_the_file) {  // class 15
  RawGguf file(1, 0);
  file.number(std::uint64_t{200}).text("w").zeros(100);
  expect_refused(file, ErrorCode::corrupt_file, first, "a tensor's name reaches beyond");
}

TEST(Strings, refuses_lengths_that_wrap_when_added_to) {  // class 16
  for (const std::uint64_t length : {huge, huge - 1, huge - 7, huge - 24, std::uint64_t{1} << 63}) {
    RawGguf key(0, 1);
    key.number(length).text("key").zeros(40);
    expect_refused(key, ErrorCode::corrupt_file, first, "a key reaches beyond");
    RawGguf value(0, 1);
    value.string("name").type(ValueType::string).number(length).zeros(40);
    expect_refused(value, ErrorCode::corrupt_file, first + 16, "a string reaches beyond", "name");
    RawGguf element(0, 1);
    element.array("list", ValueType::string, 2).string("a").number(length).zeros(40);
    expect_refused(element, ErrorCode::corrupt_file, first + 37, "an array's string reaches",
                   "list");
    RawGguf name(1, 0);
    name.number(length).zeros(100);
    expect_refused(name, ErrorCode::corrupt_file, first, "a tensor's name reaches beyond");
  }
}

TEST(Strings, refuses_empty_key) {  // class 17
  RawGguf file(0, 1);
  file.pair("", ValueType::u32, std::uint32_t{1});
  expect_refused(file, ErrorCode::corrupt_file, first, "a key is empty");
}

TEST(Strings, refuses_key_over_65535_bytes) {  // class 18
  RawGguf allowed(0, 1);
  allowed.pair(std::string(65535, 'k'), ValueType::u8, std::uint8_t{1});
  EXPECT_TRUE(Container::parse(allowed.bytes(), "x"));
  RawGguf file(0, 1);
  file.pair(std::string(65536, 'k'), ValueType::u8, std::uint8_t{1});
  expect_refused(file, ErrorCode::corrupt_file, first, "a key is too long");
}

TEST(Strings, refuses_invalid_utf8_and_nul_in_keys) {  // class 19
  for (const std::string_view key :
       {std::string_view("a\xff"), std::string_view("\xc0\x80"), std::string_view("\xed\xa0\x80"),
        std::string_view("a\0b", 3)}) {
    RawGguf file(0, 1);
    file.pair(key, ValueType::u32, std::uint32_t{1});
    expect_refused(file, ErrorCode::corrupt_file, first, "a key isn't UTF-8");
  }
}

TEST(Strings, refuses_invalid_utf8_and_nul_in_values) {  // class 19
  for (const std::string_view value : {std::string_view("x\xe2\x82"), std::string_view("a\0", 2)}) {
    RawGguf file(0, 1);
    file.pair("name", value);
    expect_refused(file, ErrorCode::corrupt_file, first + 16, "a string isn't UTF-8", "name");
  }
}

TEST(Strings, refuses_invalid_utf8_in_arrays) {  // class 19
  RawGguf file(0, 1);
  file.array("list", ValueType::string, 2).string("a").string("\xf5");
  expect_refused(file, ErrorCode::corrupt_file, first + 37, "an array's string isn't UTF-8",
                 "list");
  EXPECT_NE(refusal(file.bytes()).found.find("element 1"), std::string::npos);
}

TEST(Strings, accepts_nul_and_control_characters_in_tokens) {
  RawGguf file(0, 1);
  file.array("tokens", ValueType::string, 2).string(std::string_view("\0", 1)).string("\x1b[31m");
  EXPECT_TRUE(Container::parse(file.bytes(), "x"));
}

TEST(Strings, refuses_invalid_utf8_and_nul_in_tensor_names) {  // class 19
  for (const std::string_view name : {std::string_view("w\x80"), std::string_view("w\0", 2)}) {
    RawGguf file(1, 0);
    file.tensor(name, {8}, 0, 0).pad().zeros(32);
    expect_refused(file, ErrorCode::corrupt_file, first, "a tensor's name isn't UTF-8");
  }
}

TEST(Strings, refuses_duplicate_key) {  // class 20
  RawGguf file(0, 3);
  file.pair("same", ValueType::u32, std::uint32_t{1}).pair("other", ValueType::u8, std::uint8_t{1});
  const std::uint64_t second = file.size();
  file.pair("same", "x");
  expect_refused(file, ErrorCode::corrupt_file, second, "the key stands twice", "same");
}

TEST(Strings, refuses_duplicate_tensor_name) {  // class 21
  RawGguf file(2, 0);
  file.tensor("w", {8}, 0, 0);
  const std::uint64_t second = file.size();
  file.tensor("w", {8}, 0, 32).pad().zeros(64);
  expect_refused(file, ErrorCode::corrupt_file, second, "name stands twice", "w");
}

TEST(Strings, refuses_tensor_name_over_63_bytes) {  // class 22
  RawGguf allowed(1, 0);
  allowed.tensor(std::string(63, 'w'), {8}, 0, 0).pad().zeros(32);
  EXPECT_TRUE(Container::parse(allowed.bytes(), "x"));
  RawGguf file(1, 0);
  file.tensor(std::string(64, 'w'), {8}, 0, 0).pad().zeros(32);
  expect_refused(file, ErrorCode::corrupt_file, first, "a tensor's name is too long");
}

TEST(Strings, refuses_empty_tensor_name) {  // class 22
  RawGguf file(1, 0);
  file.tensor("", {8}, 0, 0).pad().zeros(32);
  expect_refused(file, ErrorCode::corrupt_file, first, "a tensor has no name");
}

TEST(Strings, shows_a_hostile_name_on_one_line) {
  RawGguf file(0, 2);
  file.pair("evil\x1b[2J\nname", ValueType::u8, std::uint8_t{0});
  file.pair("evil\x1b[2J\nname", ValueType::u8, std::uint8_t{0});
  const std::string line = refusal(file.bytes()).line();
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(line.find("evil"), std::string::npos);
}

}  // namespace
}  // namespace thermocline::gguf::testing
