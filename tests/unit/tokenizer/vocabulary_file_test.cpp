// What read_vocabulary() accepts and refuses in a file, with the keys' types and presence.
#include "gguf/container.h"
#include "tokenizer/vocabulary.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace thermocline::tests {
namespace {

using gguf::ValueType;

// A GGUF file of key-value pairs only, spelled out here so that every wrong type can be written.
class FileBytes {
 public:
  FileBytes& text(std::string_view key, std::string_view value) {
    begin(key, ValueType::string);
    put_string(value);
    return *this;
  }
  FileBytes& texts(std::string_view key, const std::vector<std::string>& values) {
    begin_array(key, ValueType::string, values.size());
    for (const std::string& value : values)
      put_string(value);
    return *this;
  }
  template <typename T>
  FileBytes& number(std::string_view key, ValueType type, T value) {
    begin(key, type);
    put(value);
    return *this;
  }
  template <typename T>
  FileBytes& numbers(std::string_view key, ValueType type, const std::vector<T>& values) {
    begin_array(key, type, values.size());
    for (const T& value : values)
      put(value);
    return *this;
  }

  Expected<std::shared_ptr<const tokenizer::Vocabulary>> read() {
    std::string header = "GGUF";
    const auto add = [&header](auto value) {
      header.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    add(std::uint32_t{3});
    add(std::uint64_t{0});
    add(pair_count_);
    file_ = header + pairs_;
    auto container = gguf::Container::parse(std::as_bytes(std::span(file_)), "test.gguf");
    if (!container) return std::move(container).error();
    return tokenizer::read_vocabulary(*std::move(container));
  }

 private:
  template <typename T>
  void put(T value) {
    pairs_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void put_string(std::string_view value) {
    put(std::uint64_t{value.size()});
    pairs_ += value;
  }
  void begin(std::string_view key, ValueType type) {
    put_string(key);
    put(static_cast<std::uint32_t>(type));
    ++pair_count_;
  }
  void begin_array(std::string_view key, ValueType element, std::uint64_t count) {
    begin(key, ValueType::array);
    put(static_cast<std::uint32_t>(element));
    put(count);
  }

  std::string pairs_;
  std::string file_;
  std::uint64_t pair_count_ = 0;
};

constexpr const char* model_key = "tokenizer.ggml.model";
constexpr const char* tokens_key = "tokenizer.ggml.tokens";
constexpr const char* scores_key = "tokenizer.ggml.scores";
constexpr const char* types_key = "tokenizer.ggml.token_type";
constexpr const char* merges_key = "tokenizer.ggml.merges";

FileBytes llama() {
  FileBytes file;
  file.text(model_key, "llama").texts(tokens_key, {"<unk>", "<s>", "a"});
  return file;
}

FileBytes scored_llama() {
  FileBytes file = llama();
  file.numbers<float>(scores_key, ValueType::f32, {0, 0, -1});
  return file;
}

FileBytes gpt2() {
  FileBytes file;
  file.text(model_key, "gpt2").texts(tokens_key, {"a", "b", "ab", "1", "2", "3", "4", "123"});
  file.texts(merges_key, {"a b"});
  return file;
}

void expect_refusal(FileBytes file, std::string_view key, ErrorCode code = ErrorCode::corrupt_file,
                    std::string_view found = {}) {
  const auto read = file.read();
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, code) << read.error().line();
  EXPECT_EQ(read.error().tensor, key) << read.error().line();
  EXPECT_EQ(read.error().file, "test.gguf");
  EXPECT_FALSE(read.error().message.empty());
  EXPECT_NE(read.error().line().find(found), std::string::npos) << read.error().line();
}

TEST(read_vocabulary, reads_both_models) {
  EXPECT_TRUE(scored_llama().read().has_value());
  EXPECT_TRUE(gpt2().read().has_value());
}

TEST(read_vocabulary, refuses_a_file_without_model) {
  expect_refusal(FileBytes().texts(tokens_key, {"a"}), model_key);
}

TEST(read_vocabulary, refuses_a_model_that_is_no_text) {
  expect_refusal(FileBytes().number(model_key, ValueType::u32, std::uint32_t{1}), model_key);
}

TEST(read_vocabulary, names_an_unsupported_model) {
  for (const char* name : {"bert", "t5", "rwkv", "no_vocab", ""}) {
    expect_refusal(FileBytes().text(model_key, name).texts(tokens_key, {"a"}), model_key,
                   ErrorCode::unsupported, name);
  }
}

TEST(read_vocabulary, refuses_a_file_without_tokens) {
  expect_refusal(FileBytes().text(model_key, "llama"), tokens_key);
  expect_refusal(FileBytes()
                     .text(model_key, "llama")
                     .texts(tokens_key, {})
                     .numbers<float>(scores_key, ValueType::f32, {}),
                 tokens_key);
}

TEST(read_vocabulary, refuses_tokens_that_are_no_texts) {
  expect_refusal(FileBytes()
                     .text(model_key, "llama")
                     .numbers<std::int32_t>(tokens_key, ValueType::i32, {1, 2}),
                 tokens_key);
  expect_refusal(FileBytes().text(model_key, "llama").text(tokens_key, "a"), tokens_key);
}

TEST(read_vocabulary, refuses_more_than_a_million_tokens) {
  FileBytes file;
  file.text(model_key, "llama");
  file.texts(tokens_key, std::vector<std::string>(tokenizer::most_tokens + 1));
  expect_refusal(std::move(file), tokens_key);
}

TEST(read_vocabulary, refuses_a_sentencepiece_file_without_scores) {
  expect_refusal(llama(), scores_key);
}

TEST(read_vocabulary, refuses_scores_that_are_not_f32) {
  expect_refusal(llama().numbers<std::uint8_t>(scores_key, ValueType::u8, {0, 0, 0}), scores_key);
  expect_refusal(llama().numbers<double>(scores_key, ValueType::f64, {0, 0, 0}), scores_key);
  expect_refusal(llama().number(scores_key, ValueType::f32, 0.0f), scores_key);
}

TEST(read_vocabulary, refuses_scores_of_another_length) {
  for (std::size_t length : {0, 2, 4}) {
    expect_refusal(llama().numbers<float>(scores_key, ValueType::f32, std::vector<float>(length)),
                   scores_key);
    expect_refusal(gpt2().numbers<float>(scores_key, ValueType::f32, std::vector<float>(length)),
                   scores_key);
  }
}

TEST(read_vocabulary, takes_token_types_of_any_integer_type) {
  EXPECT_TRUE(
      scored_llama().numbers<std::uint8_t>(types_key, ValueType::u8, {2, 3, 1}).read().has_value());
  const auto read =
      scored_llama().numbers<std::int64_t>(types_key, ValueType::i64, {2, 3, 1}).read();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ((*read)->kind(1), TokenKind::control);
}

TEST(read_vocabulary, refuses_token_types_that_are_no_integers) {
  expect_refusal(scored_llama().numbers<float>(types_key, ValueType::f32, {2, 3, 1}), types_key);
  expect_refusal(scored_llama().numbers<std::uint8_t>(types_key, ValueType::boolean, {1, 1, 1}),
                 types_key);
  expect_refusal(scored_llama().texts(types_key, {"1", "1", "1"}), types_key);
  expect_refusal(scored_llama().number(types_key, ValueType::i32, std::int32_t{1}), types_key);
}

TEST(read_vocabulary, refuses_token_types_of_another_length) {
  for (std::size_t length : {0, 2, 4}) {
    expect_refusal(scored_llama().numbers<std::int32_t>(types_key, ValueType::i32,
                                                        std::vector<std::int32_t>(length, 1)),
                   types_key);
  }
}

TEST(read_vocabulary, refuses_a_byte_level_file_without_merges) {
  expect_refusal(FileBytes().text(model_key, "gpt2").texts(tokens_key, {"a"}), merges_key);
}

TEST(read_vocabulary, refuses_merges_that_are_no_texts) {
  expect_refusal(FileBytes()
                     .text(model_key, "gpt2")
                     .texts(tokens_key, {"a"})
                     .numbers<std::int32_t>(merges_key, ValueType::i32, {1}),
                 merges_key);
}

TEST(read_vocabulary, refuses_special_ids_of_the_wrong_type_or_out_of_range) {
  for (const char* name : {"bos_token_id", "eos_token_id", "unknown_token_id", "padding_token_id",
                           "seperator_token_id"}) {
    const std::string key = "tokenizer.ggml." + std::string(name);
    expect_refusal(scored_llama().number(key, ValueType::u32, std::uint32_t{3}), key);
    expect_refusal(scored_llama().number(key, ValueType::i32, std::int32_t{-1}), key);
    expect_refusal(scored_llama().number(key, ValueType::u64, ~std::uint64_t{0}), key);
    expect_refusal(scored_llama().number(key, ValueType::f32, 1.0f), key);
    expect_refusal(scored_llama().text(key, "1"), key);
    EXPECT_TRUE(scored_llama().number(key, ValueType::u8, std::uint8_t{2}).read().has_value());
  }
}

TEST(read_vocabulary, refuses_flags_that_are_no_bools) {
  for (const char* name : {"add_bos_token", "add_eos_token", "add_space_prefix"}) {
    const std::string key = "tokenizer.ggml." + std::string(name);
    expect_refusal(scored_llama().number(key, ValueType::u32, std::uint32_t{1}), key);
  }
}

TEST(read_vocabulary, takes_the_flags_of_the_file) {
  auto plain = scored_llama().read();
  ASSERT_TRUE(plain.has_value());
  EXPECT_TRUE((*plain)->adds_bos() && !(*plain)->adds_eos() && (*plain)->adds_space_prefix());
  auto other = scored_llama()
                   .number("tokenizer.ggml.add_bos_token", ValueType::boolean, false)
                   .number("tokenizer.ggml.add_eos_token", ValueType::boolean, true)
                   .number("tokenizer.ggml.add_space_prefix", ValueType::boolean, false)
                   .read();
  ASSERT_TRUE(other.has_value());
  EXPECT_TRUE(!(*other)->adds_bos() && (*other)->adds_eos() && !(*other)->adds_space_prefix());
}

TEST(read_vocabulary, chooses_the_pre_tokeniser_by_name_then_by_architecture) {
  const auto chosen = [](const char* pre, const char* architecture) {
    FileBytes file = gpt2();
    if (pre != nullptr) file.text("tokenizer.ggml.pre", pre);
    if (architecture != nullptr) file.text("general.architecture", architecture);
    auto read = file.read();
    EXPECT_TRUE(read.has_value());
    return (*read)->pre_tokenizer();
  };
  using tokenizer::PreTokenizer;
  EXPECT_EQ(chosen("falcon", nullptr), PreTokenizer::falcon);
  EXPECT_EQ(chosen("falcon", "opt"), PreTokenizer::falcon);
  EXPECT_EQ(chosen("gpt-2", "falcon"), PreTokenizer::gpt2);
  EXPECT_EQ(chosen("gpt2", nullptr), PreTokenizer::gpt2);
  EXPECT_EQ(chosen("default", "falcon"), PreTokenizer::gpt2);
  EXPECT_EQ(chosen(nullptr, "falcon"), PreTokenizer::falcon);
  EXPECT_EQ(chosen(nullptr, "opt"), PreTokenizer::gpt2);
  EXPECT_EQ(chosen(nullptr, nullptr), PreTokenizer::gpt2);
}

TEST(read_vocabulary, names_an_unsupported_pre_tokeniser) {
  expect_refusal(gpt2().text("tokenizer.ggml.pre", "llama-bpe"), "tokenizer.ggml.pre",
                 ErrorCode::unsupported, "llama-bpe");
}

TEST(tokenizer_open, says_that_a_file_is_not_there) {
  const auto opened = Tokenizer::open(std::filesystem::path(THERMOCLINE_TEST_DATA) / "absent.gguf");
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::file_not_found);
}

TEST(tokenizer_open, reads_the_vocabularies_of_all_golden_models) {
  int opened_files = 0;
  const auto golden = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden)) {
    if (entry.path().extension() != ".gguf") continue;
    const auto opened = Tokenizer::open(entry.path());
    ASSERT_TRUE(opened.has_value()) << opened.error().line();
    ++opened_files;
    const std::string text = "Hello, the year is 1234.";
    EXPECT_EQ(opened->decode(opened->encode(text)), text) << entry.path();
    EXPECT_TRUE(opened->eos().has_value());
  }
  EXPECT_GE(opened_files, 11);
}

}  // namespace
}  // namespace thermocline::tests
