// Each rule that a vocabulary can break, from plain data; and what follows from correct data.
#include "tests/unit/tokenizer/sample_vocabularies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace thermocline::tests {
namespace {

using tokenizer::Vocabulary;
using tokenizer::VocabularyModel;

// Expects the refusal of `data` with this key and these words in the message.
void expect_refusal(const tokenizer::VocabularyData& data, std::string_view key,
                    std::string_view words) {
  const auto made = Vocabulary::make(data, "broken.gguf");
  ASSERT_FALSE(made.has_value());
  const Error& error = made.error();
  EXPECT_EQ(error.code, ErrorCode::corrupt_file);
  EXPECT_EQ(error.file, "broken.gguf");
  EXPECT_EQ(error.tensor, "tokenizer.ggml." + std::string(key));
  EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
  EXPECT_FALSE(error.remedy.empty());
}

class SentencePieceRules : public testing::Test {
 protected:
  SampleVocabulary sample_ = sample_sentencepiece();
};

class ByteLevelRules : public testing::Test {
 protected:
  SampleVocabulary sample_ = sample_byte_level();
};

TEST_F(SentencePieceRules, accepts_the_sample) {
  EXPECT_TRUE(Vocabulary::make(sample_.data, "sample").has_value());
}

TEST_F(SentencePieceRules, refuses_a_vocabulary_without_tokens) {
  expect_refusal({}, "tokens", "no tokens");
}

TEST_F(SentencePieceRules, refuses_more_than_a_million_tokens) {
  tokenizer::VocabularyData data;
  data.tokens.assign(tokenizer::most_tokens, "a");
  data.scores.assign(tokenizer::most_tokens, 0);
  EXPECT_TRUE(Vocabulary::make(data, "most").has_value());
  data.tokens.emplace_back("a");
  data.scores.push_back(0);
  expect_refusal(data, "tokens", "too many");
}

TEST_F(SentencePieceRules, refuses_a_token_longer_than_65535_bytes) {
  sample_.add(std::string(65535, 'x'));
  EXPECT_TRUE(Vocabulary::make(sample_.data, "long").has_value());
  sample_.add(std::string(65536, 'x'));
  expect_refusal(sample_.data, "tokens",
                 "token " + std::to_string(sample_.data.tokens.size() - 1) + " is too long");
}

TEST_F(SentencePieceRules, refuses_tokens_of_more_than_a_gigabyte_together) {
  const std::string longest(tokenizer::longest_token, 'x');
  sample_.data.tokens.assign(tokenizer::most_token_bytes / longest.size() + 1, longest);
  sample_.data.scores.assign(sample_.data.tokens.size(), 0);
  sample_.data.kinds.clear();
  expect_refusal(sample_.data, "tokens", "taken together");
}

TEST_F(SentencePieceRules, refuses_a_token_that_is_not_utf8) {
  for (const char* text : {"\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\xAF"}) {
    SampleVocabulary sample = sample_sentencepiece();
    sample.data.tokens[260] = text;
    expect_refusal(sample.data, "tokens", "token 260 isn't valid UTF-8");
  }
}

TEST_F(SentencePieceRules, refuses_scores_of_another_length) {
  sample_.data.scores.pop_back();
  expect_refusal(sample_.data, "scores", "one score for each token");
  sample_.data.scores.clear();
  expect_refusal(sample_.data, "scores", "one score for each token");
}

TEST_F(SentencePieceRules, refuses_scores_that_are_not_finite) {
  for (const float score : {std::nanf(""), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
    sample_.data.scores[7] = score;
    expect_refusal(sample_.data, "scores", "score 7 isn't a finite number");
  }
}

TEST_F(SentencePieceRules, refuses_token_types_of_another_length) {
  sample_.data.kinds.pop_back();
  expect_refusal(sample_.data, "token_type", "one type for each token");
}

TEST_F(SentencePieceRules, refuses_token_types_outside_one_to_six) {
  for (const std::int64_t kind : {std::int64_t{0}, std::int64_t{7}, std::int64_t{-1},
                                  std::int64_t{257}, std::int64_t{1} << 32 | 1}) {
    sample_.data.kinds[9] = kind;
    expect_refusal(sample_.data, "token_type", "token type 9 is unknown");
  }
}

TEST_F(SentencePieceRules, refuses_byte_tokens_that_name_no_byte) {
  for (const char* text :
       {"<0x-1>", "<0x100>", "<0xG0>", "<0x0>", "0x00", "", "<0x 1>", "<0X00>"}) {
    sample_.data.tokens[3] = text;
    expect_refusal(sample_.data, "tokens", "token 3 is a byte token that names no byte");
  }
}

TEST_F(SentencePieceRules, refuses_a_second_token_for_the_same_byte) {
  sample_.data.tokens[4] = "<0x00>";
  expect_refusal(sample_.data, "tokens", "token 4 is a second byte token");
}

TEST_F(SentencePieceRules, refuses_special_ids_out_of_range) {
  const std::uint64_t size = sample_.data.tokens.size();
  using Member = std::optional<std::uint64_t> tokenizer::VocabularyData::*;
  using Data = tokenizer::VocabularyData;
  const std::pair<Member, const char*> ids[] = {{&Data::bos, "bos_token_id"},
                                                {&Data::eos, "eos_token_id"},
                                                {&Data::unknown, "unknown_token_id"},
                                                {&Data::padding, "padding_token_id"},
                                                {&Data::separator, "seperator_token_id"}};
  for (const auto& [member, key] : ids) {
    for (const std::uint64_t id : {size, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
      SampleVocabulary sample = sample_sentencepiece();
      sample.data.*member = id;
      expect_refusal(sample.data, key, "outside the vocabulary");
    }
    SampleVocabulary sample = sample_sentencepiece();
    sample.data.*member = size - 1;
    EXPECT_TRUE(Vocabulary::make(sample.data, "last").has_value());
  }
}

TEST_F(SentencePieceRules, leaves_out_default_ids_that_are_not_there) {
  tokenizer::VocabularyData data;
  data.tokens = {"a"};
  data.scores = {0};
  const Tokenizer tokenizer = tokenizer_of(data);
  EXPECT_FALSE(tokenizer.bos().has_value());
  EXPECT_FALSE(tokenizer.eos().has_value());
  EXPECT_EQ(tokenizer.encode_special("").size(), 0u);
}

TEST_F(SentencePieceRules, keeps_the_first_of_tokens_with_the_same_text) {
  const auto first = tokenizer_of(sample_.data).find("he");
  sample_.add("he");
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(tokenizer.find("he"), first);
  EXPECT_EQ(tokenizer.token_text(static_cast<TokenId>(tokenizer.size() - 1)), "he");
}

TEST_F(ByteLevelRules, accepts_the_sample) {
  EXPECT_TRUE(Vocabulary::make(sample_.data, "sample").has_value());
}

TEST_F(ByteLevelRules, does_without_scores) {
  sample_.data.scores.clear();
  EXPECT_TRUE(Vocabulary::make(sample_.data, "sample").has_value());
}

TEST_F(ByteLevelRules, refuses_merges_of_another_form) {
  for (const char* rule : {"", "th", "t h e", "t  h"}) {
    SampleVocabulary sample = sample_byte_level();
    sample.data.merges[2] = rule;
    expect_refusal(sample.data, "merges", "merge 2 isn't two tokens");
  }
}

TEST_F(ByteLevelRules, refuses_a_merge_that_would_give_one_of_its_parts) {
  for (const char* rule : {" the", "the ", " "}) {
    SampleVocabulary sample = sample_byte_level();
    sample.data.merges[2] = rule;
    expect_refusal(sample.data, "merges", "merge 2 has an empty part");
  }
}

TEST_F(ByteLevelRules, refuses_a_merge_of_tokens_that_are_not_there) {
  for (const char* rule : {"zz h", "t zz"}) {
    SampleVocabulary sample = sample_byte_level();
    sample.data.merges[0] = rule;
    expect_refusal(sample.data, "merges", "merge 0 names a token that isn't there");
  }
}

TEST_F(ByteLevelRules, refuses_a_merge_whose_product_is_not_there) {
  sample_.data.merges[1] = "t e";
  expect_refusal(sample_.data, "merges", "merge 1 gives a token that isn't there");
}

TEST_F(ByteLevelRules, refuses_a_merge_that_stands_there_twice) {
  sample_.data.merges.push_back(sample_.data.merges.front());
  expect_refusal(
      sample_.data, "merges",
      "merge " + std::to_string(sample_.data.merges.size() - 1) + " stands in the list twice");
}

TEST_F(ByteLevelRules, refuses_scores_of_another_length) {
  sample_.data.scores.pop_back();
  expect_refusal(sample_.data, "scores", "one score for each token");
}

TEST_F(ByteLevelRules, has_no_special_ids_where_the_default_is_not_there) {
  tokenizer::VocabularyData data;
  data.model = VocabularyModel::byte_level;
  data.tokens = {"a", "b"};
  const Tokenizer tokenizer = tokenizer_of(data);
  EXPECT_FALSE(tokenizer.bos().has_value());
  EXPECT_FALSE(tokenizer.eos().has_value());
  EXPECT_FALSE(tokenizer.adds_bos());
}

// Files without token types: what no merging can make is special.
TEST_F(ByteLevelRules, guesses_kinds_as_the_types_say) {
  const Tokenizer typed = tokenizer_of(sample_.data);
  sample_.data.kinds.clear();
  const Tokenizer guessed = tokenizer_of(sample_.data);
  for (TokenId id = 0; id < static_cast<TokenId>(typed.size()); ++id) {
    const TokenKind kind = typed.kind(id);
    EXPECT_EQ(guessed.kind(id), kind == TokenKind::user_defined ? TokenKind::control : kind) << id;
  }
}

TEST_F(ByteLevelRules, guesses_that_an_end_token_is_special_though_it_is_the_unknown_one_too) {
  sample_.data.kinds.clear();
  sample_.data.unknown = sample_.data.eos;
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(tokenizer.kind(*tokenizer.eos()), TokenKind::control);
  EXPECT_EQ(tokenizer.encode_special("<|endoftext|>"), std::vector<TokenId>{*tokenizer.eos()});
}

TEST_F(SentencePieceRules, guesses_kinds_as_the_types_say) {
  const Tokenizer typed = tokenizer_of(sample_.data);
  sample_.data.kinds.clear();
  const Tokenizer guessed = tokenizer_of(sample_.data);
  for (const char* text :
       {"<unk>", "<0x00>", "<0xFF>", "he", "aaaa", "a", "\u2581", "<|im_end|>"}) {
    const TokenId id = *typed.find(text);
    EXPECT_EQ(guessed.kind(id), typed.kind(id)) << text;
  }
}

}  // namespace
}  // namespace thermocline::tests
