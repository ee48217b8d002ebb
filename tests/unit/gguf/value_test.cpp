// Key-value pairs that break the rules. Class numbers as in header_test.cpp.
#include "raw_gguf.h"

#include <cmath>

namespace thermocline::gguf::testing {
namespace {

constexpr std::uint64_t first = 24;  // where the first key stands

RawGguf one_pair(std::string_view key, ValueType type) {
  return RawGguf(0, 1).string(key).type(type);
}

TEST(Values, refuses_unknown_value_type) {  // class 23
  for (const std::uint32_t type : {13U, 14U, 0x80000000U, 0xFFFFFFFFU}) {
    RawGguf file(0, 1);
    file.string("key").number(type).zeros(16);
    expect_refused(file, ErrorCode::corrupt_file, first + 11, "a value's type is unknown", "key");
  }
}

TEST(Values, refuses_array_of_arrays) {  // class 24
  RawGguf file(0, 1);
  file.array("key", ValueType::array, 1).type(ValueType::u8).number(std::uint64_t{0});
  expect_refused(file, ErrorCode::unsupported, first + 15, "arrays of arrays", "key");
}

TEST(Values, refuses_unknown_element_type) {  // class 24
  for (const std::uint32_t type : {13U, 0xFFFFFFFFU}) {
    RawGguf file(0, 1);
    file.string("key").type(ValueType::array).number(type).number(std::uint64_t{0});
    expect_refused(file, ErrorCode::corrupt_file, first + 15, "element type is unknown", "key");
  }
}

TEST(Values, refuses_array_beyond_file_end) {  // class 25
  RawGguf file(0, 1);
  file.array("key", ValueType::u32, 3).zeros(11);
  expect_refused(file, ErrorCode::corrupt_file, first + 19, "an array reaches beyond", "key");
}

TEST(Values, refuses_array_whose_size_wraps) {  // class 25
  for (const std::uint64_t count : {huge, huge / 8 + 1, huge / 4 + 1, huge / 2 + 2}) {
    for (const ValueType type : {ValueType::u16, ValueType::f32, ValueType::u64, ValueType::string,
                                 ValueType::boolean, ValueType::u8}) {
      RawGguf file(0, 1);
      file.array("key", type, count).zeros(64);
      expect_refused(file, ErrorCode::corrupt_file, first + 19, "an array reaches beyond", "key");
    }
  }
}

TEST(Values, refuses_string_array_with_more_elements_than_bytes) {  // class 25
  RawGguf file(0, 1);
  file.array("key", ValueType::string, 5).zeros(39);
  expect_refused(file, ErrorCode::corrupt_file, first + 19, "an array reaches beyond", "key");
}

TEST(Values, refuses_alignment_of_wrong_type) {  // class 26
  RawGguf as_i32 = one_pair("general.alignment", ValueType::i32).number(std::int32_t{32});
  expect_refused(as_i32, ErrorCode::corrupt_file, first + 29, "alignment has the wrong type",
                 "general.alignment");
  RawGguf as_string = one_pair("general.alignment", ValueType::string).string("32");
  expect_refused(as_string, ErrorCode::corrupt_file, first + 29, "alignment has the wrong type",
                 "general.alignment");
  RawGguf as_array(0, 1);
  as_array.array("general.alignment", ValueType::u32, 1).number(std::uint32_t{32});
  expect_refused(as_array, ErrorCode::corrupt_file, first + 29, "alignment has the wrong type",
                 "general.alignment");
}

TEST(Values, refuses_to_read_a_value_as_another_type) {  // class 26
  RawGguf file(0, 1);
  file.array("tokenizer.ggml.scores", ValueType::u8, 4).zeros(4);
  const auto container = Container::parse(file.bytes(), std::string(file_name));
  ASSERT_TRUE(container);
  const auto scores = (*container)->array_value("tokenizer.ggml.scores", ValueType::f32);
  ASSERT_FALSE(scores);
  EXPECT_EQ(scores.error().tensor, "tokenizer.ggml.scores");
  EXPECT_EQ(scores.error().wanted, "array of f32");
  EXPECT_EQ(scores.error().found, "array of u8");
  EXPECT_EQ(scores.error().file, file_name);
  EXPECT_EQ(scores.error().offset.value_or(0), first + 33);
}

TEST(Values, refuses_bool_other_than_0_and_1) {  // class 27
  for (const int value : {2, 128, 255}) {
    RawGguf file = one_pair("key", ValueType::boolean).number(static_cast<std::uint8_t>(value));
    expect_refused(file, ErrorCode::corrupt_file, first + 15, "neither true nor false", "key");
  }
}

TEST(Values, refuses_bool_other_than_0_and_1_in_arrays) {  // class 27
  RawGguf file(0, 1);
  file.array("key", ValueType::boolean, 4).number('\1').number('\0').number('\2').number('\1');
  expect_refused(file, ErrorCode::corrupt_file, first + 29, "neither true nor false", "key");
}

TEST(Values, refuses_numbers_that_are_not_finite_where_the_model_needs_them) {  // class 28
  for (const std::string_view key :
       {"llama.rope.freq_base", "llama.rope.scale_linear", "llama.rope.scaling.factor",
        "llama.attention.layer_norm_rms_epsilon", "falcon.attention.layer_norm_epsilon",
        "powerinfer.sparse_threshold"}) {
    const std::uint64_t offset = first + 8 + key.size() + 4;
    for (const float value : {std::nanf(""), INFINITY, -INFINITY}) {
      RawGguf file = one_pair(key, ValueType::f32).number(value);
      expect_refused(file, ErrorCode::corrupt_file, offset, "isn't finite", key);
      RawGguf wide = one_pair(key, ValueType::f64).number(static_cast<double>(value));
      expect_refused(wide, ErrorCode::corrupt_file, offset, "isn't finite", key);
    }
  }
}

TEST(Values, accepts_infinity_in_keys_that_do_not_matter) {
  RawGguf file = one_pair("general.note", ValueType::f32).number(INFINITY);
  EXPECT_TRUE(Container::parse(file.bytes(), "x"));
}

TEST(Values, refuses_impossible_alignment) {  // class 29
  for (const std::uint32_t alignment :
       {0U, 1U, 2U, 4U, 3U, 12U, 33U, 65537U, 131072U, 0x80000000U, 0xFFFFFFFFU}) {
    RawGguf file = one_pair("general.alignment", ValueType::u32).number(alignment);
    expect_refused(file, ErrorCode::corrupt_file, first + 29, "no power of two",
                   "general.alignment");
  }
}

TEST(Values, accepts_powers_of_two_as_alignment) {
  for (std::uint32_t alignment = 8; alignment <= 65536; alignment *= 2) {
    RawGguf file = one_pair("general.alignment", ValueType::u32).number(alignment);
    const auto container = Container::parse(file.bytes(), "x");
    ASSERT_TRUE(container) << alignment;
    EXPECT_EQ((*container)->alignment(), alignment);
    EXPECT_EQ((*container)->data_offset() % alignment, 0U);
  }
}

TEST(Values, names_the_key_whose_value_is_cut_off) {
  RawGguf file = one_pair("key", ValueType::u64).zeros(7);
  expect_refused(file, ErrorCode::corrupt_file, first + 15, "the file ends inside a value", "key");
}

}  // namespace
}  // namespace thermocline::gguf::testing
