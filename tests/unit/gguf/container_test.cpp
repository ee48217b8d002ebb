// Reading values and arrays of a correct file.
#include "raw_gguf.h"

#include "platform/file_system.h"

#include <utility>

namespace thermocline::gguf::testing {
namespace {

class ContainerValues : public ::testing::Test {
 protected:
  void parse(const RawGguf& file) {
    bytes_ = file.bytes();
    auto parsed = Container::parse(bytes_, std::string(file_name));
    ASSERT_TRUE(parsed) << parsed.error().line();
    container_ = *std::move(parsed);
  }
  const ArrayView& array(std::string_view key) {
    return std::get<ArrayView>(container_->find(key)->value);
  }

  std::vector<std::byte> bytes_;
  std::shared_ptr<const Container> container_;
};

TEST_F(ContainerValues, finds_keys_and_tensors_by_name) {
  parse(small_file());
  EXPECT_EQ(container_->key_values().size(), 9U);
  EXPECT_EQ(container_->tensors().size(), 3U);
  ASSERT_NE(container_->find("big"), nullptr);
  EXPECT_EQ(container_->find("big")->type, ValueType::i64);
  EXPECT_EQ(container_->find("absent"), nullptr);
  ASSERT_NE(container_->find_tensor("second"), nullptr);
  EXPECT_EQ(container_->find_tensor("second")->bytes, 18U);
  EXPECT_EQ(container_->find_tensor("second")->type.name, "Q4_0");
  EXPECT_EQ(container_->find_tensor("absent"), nullptr);
  EXPECT_EQ(container_->file_size(), bytes_.size());
  EXPECT_EQ(container_->data_offset() % 32, 0U);
  EXPECT_FALSE(container_->damaged());
}

TEST_F(ContainerValues, reads_every_integer_type_as_unsigned) {
  RawGguf file(0, 8);
  file.pair("u8", ValueType::u8, std::uint8_t{255});
  file.pair("i8", ValueType::i8, std::int8_t{127});
  file.pair("u16", ValueType::u16, std::uint16_t{65535});
  file.pair("i16", ValueType::i16, std::int16_t{32767});
  file.pair("u32", ValueType::u32, std::uint32_t{4294967295U});
  file.pair("i32", ValueType::i32, std::int32_t{2147483647});
  file.pair("u64", ValueType::u64, huge);
  file.pair("i64", ValueType::i64, std::int64_t{INT64_MAX});
  parse(file);
  const std::pair<const char*, std::uint64_t> expected[] = {
      {"u8", 255},         {"i8", 127},         {"u16", 65535}, {"i16", 32767},
      {"u32", 4294967295}, {"i32", 2147483647}, {"u64", huge},  {"i64", INT64_MAX}};
  for (const auto& [key, value] : expected) {
    const auto read = container_->unsigned_value(key);
    ASSERT_TRUE(read) << key;
    EXPECT_EQ(*read, value) << key;
  }
}

TEST_F(ContainerValues, absent_keys_are_empty_not_errors) {
  parse(RawGguf(0, 0));
  EXPECT_EQ(*container_->unsigned_value("k"), std::nullopt);
  EXPECT_EQ(*container_->real_value("k"), std::nullopt);
  EXPECT_EQ(*container_->bool_value("k"), std::nullopt);
  EXPECT_EQ(*container_->string_value("k"), std::nullopt);
  EXPECT_EQ(*container_->array_value("k", ValueType::u8), nullptr);
}

TEST_F(ContainerValues, refuses_negative_numbers_as_unsigned) {
  parse(RawGguf(0, 1).pair("k", ValueType::i32, std::int32_t{-1}));
  const auto value = container_->unsigned_value("k");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().found, "-1");
  EXPECT_EQ(value.error().tensor, "k");
}

TEST_F(ContainerValues, names_the_key_of_a_value_with_another_type) {
  parse(RawGguf(0, 1).pair("k", "text"));
  EXPECT_EQ(container_->unsigned_value("k").error().found, "string");
  EXPECT_EQ(container_->real_value("k").error().wanted, "f32 or f64");
  EXPECT_EQ(container_->bool_value("k").error().tensor, "k");
  EXPECT_EQ(container_->array_value("k", ValueType::f32).error().wanted, "array of f32");
  const auto line = container_->bool_value("k").error().line();
  EXPECT_NE(line.find(file_name), std::string::npos);
  EXPECT_EQ(**container_->string_value("k"), "text");
}

TEST_F(ContainerValues, reads_floats_and_bools) {
  RawGguf file(0, 3);
  file.pair("f32", ValueType::f32, 0.25F).pair("f64", ValueType::f64, 1e300);
  file.pair("yes", ValueType::boolean, std::uint8_t{1});
  parse(file);
  EXPECT_EQ(**container_->real_value("f32"), 0.25);
  EXPECT_EQ(**container_->real_value("f64"), 1e300);
  EXPECT_EQ(**container_->bool_value("yes"), true);
}

TEST_F(ContainerValues, reads_integer_arrays_that_are_not_aligned) {
  RawGguf file(0, 4);
  file.array("x", ValueType::i16, 2).number(std::int16_t{-2}).number(std::int16_t{300});
  file.array("yy", ValueType::u64, 2).number(huge).number(std::uint64_t{7});
  file.array("zzz", ValueType::i8, 1).number(std::int8_t{-128});
  file.array("b", ValueType::boolean, 2).number('\0').number('\1');
  parse(file);
  EXPECT_EQ(array("x").integer(0), -2);
  EXPECT_EQ(array("x").integer(1), 300);
  EXPECT_EQ(array("yy").integer(0), INT64_MAX);
  EXPECT_EQ(array("yy").integer(1), 7);
  EXPECT_EQ(array("zzz").integer(0), -128);
  EXPECT_EQ(array("b").integer(1), 1);
  EXPECT_TRUE(array("x").is_integer());
  EXPECT_FALSE(array("x").is_real());
  EXPECT_TRUE(array("x").strings().empty());
}

TEST_F(ContainerValues, reads_real_arrays) {
  RawGguf file(0, 2);
  file.array("abc", ValueType::f32, 2).number(0.5F).number(-3.0F);
  file.array("d", ValueType::f64, 1).number(1e-300);
  parse(file);
  EXPECT_EQ(array("abc").real(1), -3.0);
  EXPECT_EQ(array("d").real(0), 1e-300);
  EXPECT_TRUE(array("abc").is_real());
  EXPECT_FALSE(array("abc").is_integer());
}

TEST_F(ContainerValues, reads_string_arrays_in_order) {
  parse(small_file());
  const auto tokens = container_->array_value("tokenizer.ggml.tokens", ValueType::string);
  ASSERT_TRUE(tokens);
  const std::vector<std::string_view> expected{"a", "b\xc3\xa9"};
  EXPECT_EQ((*tokens)->strings(), expected);
  EXPECT_FALSE((*tokens)->is_integer());
}

// The mapped file can be rewritten by others while it is open.
TEST_F(ContainerValues, stays_inside_the_array_when_lengths_change_later) {
  RawGguf file(0, 1);
  file.array("tokens", ValueType::string, 3).string("a").string("b").string("c");
  const std::size_t lengths_at = file.size() - 27;
  parse(file);
  for (std::size_t i = 0; i < 8; ++i)
    bytes_[lengths_at + i] = std::byte{0xFF};
  const auto tokens = array("tokens").strings();
  ASSERT_EQ(tokens.size(), 3U);
  const auto* begin = reinterpret_cast<const char*>(bytes_.data());
  for (const std::string_view token : tokens) {
    EXPECT_GE(token.data(), begin);
    EXPECT_LE(token.data() + token.size(), begin + bytes_.size());
  }
}

// Hands out bytes in memory as if they were a file that shrinks while it is read.
class ShrinkingFiles : public platform::FileSystem {
 public:
  explicit ShrinkingFiles(std::span<const std::byte> bytes) : bytes_(bytes) {}
  Expected<std::unique_ptr<platform::MappedFile>> map(const std::filesystem::path&) override {
    return std::unique_ptr<platform::MappedFile>(std::make_unique<Mapping>(bytes_));
  }
  Expected<std::unique_ptr<platform::FileWriter>> write(const std::filesystem::path&) override {
    return Error{};
  }

 private:
  class Mapping : public platform::MappedFile {
   public:
    explicit Mapping(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::span<const std::byte> bytes() const noexcept override { return bytes_; }
    bool damaged() const noexcept override { return true; }

   private:
    std::span<const std::byte> bytes_;
  };
  std::span<const std::byte> bytes_;
};

TEST(Open, says_that_the_file_changed_whatever_the_parser_saw) {
  const RawGguf whole = small_file();
  const RawGguf zeros = RawGguf().zeros(100);
  for (const RawGguf* file : {&whole, &zeros}) {
    ShrinkingFiles files(file->bytes());
    const auto container = Container::open("model.gguf", files);
    ASSERT_FALSE(container);
    EXPECT_EQ(container.error().code, ErrorCode::file_changed);
    EXPECT_EQ(container.error().file, "model.gguf");
  }
}

TEST(Open, passes_on_what_the_file_system_says) {
  const auto container = Container::open(THERMOCLINE_TEST_DATA "/no such file.gguf");
  ASSERT_FALSE(container);
  EXPECT_EQ(container.error().code, ErrorCode::file_not_found);
}

}  // namespace
}  // namespace thermocline::gguf::testing
