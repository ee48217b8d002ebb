// What the writer writes, and what it refuses to write.
#include "gguf/writer.h"

#include "raw_gguf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace thermocline::gguf::testing {
namespace {

constexpr std::array<std::byte, 256> data{};

std::span<const std::byte> zeros(std::size_t count) {
  return std::span(data).first(count);
}

void add(Writer& writer, std::string name, std::vector<std::uint64_t> dims, TensorType type,
         std::size_t bytes) {
  writer.add_tensor(std::move(name), dims, type, zeros(bytes));
}

Error refusal(const Writer& writer) {
  auto bytes = writer.bytes();
  if (bytes) {
    ADD_FAILURE() << "the writer accepted it";
    return {};
  }
  EXPECT_EQ(name_of(bytes.error().code), "invalid_argument");
  EXPECT_FALSE(bytes.error().message.empty());
  return std::move(bytes).error();
}

TEST(Writer, writes_the_bytes_that_the_format_prescribes) {
  std::vector<std::byte> weights(32, std::byte{0xAB});
  const std::array<std::uint64_t, 2> dims{4, 2};
  Writer writer(Magic::powerinfer);
  writer.add_u32("a", 7);
  writer.add_string("b", "text");
  writer.add_tensor("w", dims, TensorType::f32, weights);
  writer.add_tensor("v", dims, TensorType::f16, zeros(16));
  const auto written = writer.bytes();
  ASSERT_TRUE(written) << written.error().line();

  RawGguf expected("PWRI", 3, 2, 2);
  expected.pair("a", ValueType::u32, std::uint32_t{7}).pair("b", "text");
  expected.tensor("w", {4, 2}, 0, 0).tensor("v", {4, 2}, 1, 32).pad();
  expected.text(std::string(32, '\xAB')).zeros(32);
  EXPECT_EQ(*written, expected.bytes());
}

TEST(Writer, writes_every_kind_of_value) {
  Writer writer(Magic::gguf);
  writer.add_u32("u32", 4000000000U);
  writer.add_u64("u64", huge);
  writer.add_i32("i32", -7);
  writer.add_f32("f32", 0.5F);
  writer.add_bool("yes", true);
  writer.add_string("text", "caf\xc3\xa9");
  const std::vector<std::string> strings{"a", "", "\xe2\x82\xac"};
  const std::vector<std::int32_t> integers{1, -2, 3};
  const std::vector<float> reals{1.5F, -0.0F};
  writer.add_strings("strings", strings);
  writer.add_i32s("integers", integers);
  writer.add_f32s("reals", reals);
  const auto written = writer.bytes();
  ASSERT_TRUE(written) << written.error().line();
  const auto parsed = Container::parse(*written, "x");
  ASSERT_TRUE(parsed) << parsed.error().line();
  const Container& file = **parsed;
  EXPECT_EQ(file.version(), 3U);
  EXPECT_EQ(*file.unsigned_value("u32"), 4000000000U);
  EXPECT_EQ(*file.unsigned_value("u64"), huge);
  EXPECT_EQ(std::get<std::int64_t>(file.find("i32")->value), -7);
  EXPECT_EQ(*file.real_value("f32"), 0.5);
  EXPECT_EQ(*file.bool_value("yes"), true);
  EXPECT_EQ(*file.string_value("text"), "caf\xc3\xa9");
  const auto read = (*file.array_value("strings", ValueType::string))->strings();
  EXPECT_TRUE(std::equal(read.begin(), read.end(), strings.begin(), strings.end()));
  EXPECT_EQ((*file.array_value("integers", ValueType::i32))->integer(1), -2);
  EXPECT_TRUE(std::signbit((*file.array_value("reals", ValueType::f32))->real(1)));
}

TEST(Writer, writes_the_same_bytes_each_time) {
  Writer writer(Magic::gguf, 64);
  writer.add_u32("k", 1);
  add(writer, "w", {8}, TensorType::f32, 32);
  const auto first = writer.bytes();
  const auto second = writer.bytes();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
}

TEST(Writer, aligns_data_and_names_the_alignment) {
  for (const std::uint64_t alignment : {8U, 64U, 4096U, 65536U}) {
    Writer writer(Magic::gguf, alignment);
    add(writer, "a", {3}, TensorType::f32, 12);
    add(writer, "b", {32}, TensorType::q4_0, 18);
    const auto written = writer.bytes();
    ASSERT_TRUE(written) << written.error().line();
    EXPECT_EQ(written->size() % alignment, 0U);
    const auto parsed = Container::parse(*written, "x");
    ASSERT_TRUE(parsed) << parsed.error().line();
    EXPECT_EQ((*parsed)->alignment(), alignment);
    for (const TensorInfo& tensor : (*parsed)->tensors())
      EXPECT_EQ(tensor.offset % alignment, 0U);
  }
}

TEST(Writer, keeps_a_copied_alignment) {
  RawGguf source(0, 2);
  source.pair("a", ValueType::u8, std::uint8_t{3});
  source.pair("general.alignment", ValueType::u32, std::uint32_t{128});
  const auto parsed = Container::parse(source.bytes(), "x");
  ASSERT_TRUE(parsed);
  Writer writer(Magic::gguf, 128);
  for (const KeyValue& pair : (*parsed)->key_values())
    writer.copy(**parsed, pair);
  const auto written = writer.bytes();
  ASSERT_TRUE(written) << written.error().line();
  EXPECT_EQ(*written, source.bytes());
}

TEST(Writer, copies_every_kind_of_value_unchanged) {
  RawGguf source(0, 12);
  source.pair("1", ValueType::u8, std::uint8_t{200}).pair("2", ValueType::i8, std::int8_t{-100});
  source.pair("3", ValueType::u16, std::uint16_t{60000});
  source.pair("4", ValueType::i16, std::int16_t{-30000});
  // A signalling NaN, which a conversion to double and back would change.
  source.pair("5", ValueType::f32, std::uint32_t{0x7FA00001U});
  source.pair("6", ValueType::f64, -0.0).pair("7", ValueType::boolean, std::uint8_t{0});
  source.pair("8", ValueType::i64, std::int64_t{INT64_MIN}).pair("9", "x");
  source.array("10", ValueType::string, 2).string("").string(std::string_view("\0", 1));
  source.array("11", ValueType::boolean, 1).number('\1');
  source.array("12", ValueType::u64, 0);
  const auto parsed = Container::parse(source.bytes(), "x");
  ASSERT_TRUE(parsed) << parsed.error().line();
  Writer writer(Magic::gguf);
  for (const KeyValue& pair : (*parsed)->key_values())
    writer.copy(**parsed, pair);
  const auto written = writer.bytes();
  ASSERT_TRUE(written) << written.error().line();
  EXPECT_EQ(*written, source.bytes());
}

TEST(Writer, numbers_integer_types_as_each_magic_does) {
  for (const Magic magic : {Magic::gguf, Magic::powerinfer}) {
    Writer writer(magic);
    add(writer, "w", {8}, TensorType::i32, 32);
    const auto written = writer.bytes();
    ASSERT_TRUE(written);
    const auto parsed = Container::parse(*written, "x");
    ASSERT_TRUE(parsed) << parsed.error().line();
    EXPECT_EQ((*parsed)->tensors()[0].type.type, TensorType::i32);
    std::uint32_t number = 0;
    std::memcpy(&number, written->data() + 45, sizeof(number));
    EXPECT_EQ(number, magic == Magic::gguf ? 26U : 18U);
  }
}

TEST(Writer, refuses_what_the_reader_would_refuse) {
  const std::vector<std::function<void(Writer&)>> faults{
      [](Writer& w) { w.add_u32("", 1); },
      [](Writer& w) { w.add_u32("k\xff", 1); },
      [](Writer& w) { w.add_u32(std::string(65536, 'k'), 1); },
      [](Writer& w) { w.add_string("k", "\xff"); },
      [](Writer& w) { w.add_string("k", std::string_view("\0", 1)); },
      [](Writer& w) { w.add_strings("k", std::vector<std::string>{"\xc0"}); },
      [](Writer& w) { w.add_f32("llama.rope.freq_base", std::nanf("")); },
      [](Writer& w) { w.add_i32("general.alignment", 32); },
      [](Writer& w) { add(w, "", {8}, TensorType::f32, 32); },
      [](Writer& w) { add(w, std::string(64, 'w'), {8}, TensorType::f32, 32); },
      [](Writer& w) { add(w, "w\x80", {8}, TensorType::f32, 32); },
      [](Writer& w) { add(w, "w", {}, TensorType::f32, 0); },
      [](Writer& w) { add(w, "w", {0}, TensorType::f32, 0); },
      [](Writer& w) {
        add(w, "w", {1, 1, 1, 1, 1}, TensorType::f32, 4);
      },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    SCOPED_TRACE(i);
    Writer writer(Magic::gguf);
    faults[i](writer);
    refusal(writer);
  }
}

TEST(Writer, refuses_duplicate_names) {
  Writer keys(Magic::gguf);
  keys.add_u32("same", 1);
  keys.add_bool("same", true);
  EXPECT_EQ(refusal(keys).tensor, "same");
  Writer tensors(Magic::gguf);
  add(tensors, "w", {8}, TensorType::f32, 32);
  add(tensors, "w", {8}, TensorType::f32, 32);
  EXPECT_EQ(refusal(tensors).tensor, "w");
}

TEST(Writer, refuses_data_that_does_not_fit_the_dimensions) {
  Writer shorter(Magic::gguf);
  add(shorter, "w", {8}, TensorType::f32, 31);
  const Error error = refusal(shorter);
  EXPECT_EQ(error.tensor, "w");
  EXPECT_EQ(error.wanted, "32 bytes");
  EXPECT_EQ(error.found, "31 bytes");
  Writer broken_block(Magic::gguf);
  add(broken_block, "w", {16}, TensorType::q4_0, 9);
  EXPECT_EQ(refusal(broken_block).tensor, "w");
  Writer wrapping(Magic::gguf);
  add(wrapping, "w", {std::uint64_t{1} << 32, std::uint64_t{1} << 32}, TensorType::f32, 0);
  EXPECT_EQ(refusal(wrapping).tensor, "w");
}

TEST(Writer, refuses_bad_alignment) {
  for (const std::uint64_t alignment :
       {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{48}, std::uint64_t{131072}, huge}) {
    EXPECT_EQ(refusal(Writer(Magic::gguf, alignment)).tensor, "general.alignment");
  }
}

TEST(Writer, refuses_alignment_key_that_contradicts_the_file) {
  Writer writer(Magic::gguf, 32);
  writer.add_u32("general.alignment", 64);
  EXPECT_EQ(refusal(writer).tensor, "general.alignment");
  Writer missing(Magic::gguf, 64);
  missing.add_u32("general.alignment", 32);
  add(missing, "w", {8}, TensorType::f32, 32);
  EXPECT_EQ(refusal(missing).tensor, "general.alignment");
}

}  // namespace
}  // namespace thermocline::gguf::testing
