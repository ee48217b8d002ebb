// How text becomes ids: order of merging, special tokens, what follows them, fall-backs.
#include "platform/utf8.h"
#include "tests/unit/tokenizer/sample_vocabularies.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace thermocline::tests {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  Texts result;
  for (const TokenId id : ids)
    result.push_back(tokenizer.token_text(id));
  return result;
}

// The rule itself, without any cleverness: join the best pair, start over.
template <typename RankOf>
Texts merged_naively(Texts symbols, RankOf rank_of) {
  while (true) {
    std::size_t best = symbols.size();
    double best_rank = std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
      const double rank = rank_of(symbols[at], symbols[at + 1]);
      if (rank < best_rank) {
        best_rank = rank;
        best = at;
      }
    }
    if (best == symbols.size()) return symbols;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(sentencepiece_encoding, joins_in_the_order_of_scores_leftmost_first) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    // Random tokens over three letters, with many equal scores.
    SampleVocabulary sample;
    sample.data.add_space_prefix = false;
    for (const char* letter : {"a", "b", "\u00e9"})
      sample.add(letter, TokenKind::normal, -9);
    for (int extra = 0; extra < 14; ++extra) {
      std::string text;
      for (auto count = 2 + random() % 4; count > 0; --count) {
        text += sample.data.tokens[random() % 3];
      }
      sample.add(text, TokenKind::normal, -static_cast<float>(random() % 4));
    }
    const Tokenizer tokenizer = tokenizer_of(sample.data);
    Texts letters;
    std::string text;
    for (int count = 0; count < 40; ++count) {
      letters.emplace_back(sample.data.tokens[random() % 3]);
      text += letters.back();
    }
    const Texts expected = merged_naively(letters, [&](const std::string& a, const std::string& b) {
      const auto id = tokenizer.find(a + b);
      return id ? -static_cast<double>(sample.data.scores[static_cast<std::size_t>(*id)])
                : std::numeric_limits<double>::infinity();
    });
    ASSERT_EQ(texts(tokenizer, tokenizer.encode(text)), expected) << text;
  }
}

std::string rule_of(std::string left, const std::string& right) {
  left += ' ';
  left += right;
  return left;
}

TEST(byte_level_encoding, joins_in_the_order_of_the_rules) {
  std::mt19937 random(6);
  for (int round = 0; round < 400; ++round) {
    SampleVocabulary sample;
    sample.data.model = tokenizer::VocabularyModel::byte_level;
    for (const char* letter : {"a", "b", "c"})
      sample.add(letter);
    for (int extra = 0; extra < 12; ++extra) {
      const auto count = sample.data.tokens.size();
      const std::string left(sample.data.tokens[random() % count]);
      const std::string right(sample.data.tokens[random() % count]);
      const std::string rule = rule_of(left, right);
      if (std::ranges::find(sample.data.merges, rule) != sample.data.merges.end()) continue;
      sample.add_merge(rule);
      sample.add(left + right);
    }
    const Tokenizer tokenizer = tokenizer_of(sample.data);
    Texts letters;
    std::string text;
    for (int count = 0; count < 60; ++count) {
      letters.emplace_back(1, static_cast<char>('a' + random() % 3));
      text += letters.back();
    }
    const Texts expected = merged_naively(letters, [&](const std::string& a, const std::string& b) {
      const auto& merges = sample.data.merges;
      const auto rule = std::ranges::find(merges, rule_of(a, b));
      return rule == merges.end() ? std::numeric_limits<double>::infinity()
                                  : static_cast<double>(rule - merges.begin());
    });
    ASSERT_EQ(texts(tokenizer, tokenizer.encode(text)), expected) << text;
  }
}

class Sentencepiece : public testing::Test {
 protected:
  Texts encoded(std::string_view text) const { return texts(tokenizer_, tokenizer_.encode(text)); }
  Texts with_special(std::string_view text) const {
    return texts(tokenizer_, tokenizer_.encode_special(text));
  }
  SampleVocabulary sample_ = sample_sentencepiece();
  Tokenizer tokenizer_ = tokenizer_of(sample_.data);
};

TEST_F(Sentencepiece, puts_one_space_in_front) {
  EXPECT_EQ(encoded("the"), Texts{"\u2581the"});
  EXPECT_EQ(encoded(" the"), (Texts{"\u2581", "\u2581the"}));
  EXPECT_EQ(encoded(""), Texts{});
  EXPECT_EQ(texts(tokenizer_, tokenizer_.encode_piece("the", false, false)), (Texts{"t", "he"}));
}

TEST_F(Sentencepiece, puts_none_in_front_when_the_vocabulary_says_so) {
  sample_.data.add_space_prefix = false;
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("the")), (Texts{"t", "he"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(" the")), " the");
}

TEST_F(Sentencepiece, puts_a_space_in_front_again_after_a_special_token) {
  EXPECT_EQ(with_special("the</s>the"), (Texts{"<s>", "\u2581the", "</s>", "\u2581the"}));
  EXPECT_EQ(texts(tokenizer_, tokenizer_.encode_piece("the</s>the", true, false)),
            (Texts{"t", "he", "</s>", "\u2581the"}));
}

TEST_F(Sentencepiece, adds_bos_and_eos_as_the_vocabulary_says) {
  EXPECT_EQ(with_special("a"), (Texts{"<s>", "\u2581a"}));
  sample_.data.add_bos = false;
  sample_.data.add_eos = true;
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode_special("a")), (Texts{"\u2581a", "</s>"}));
  EXPECT_EQ(texts(tokenizer, tokenizer.encode_piece("a", true, true)), Texts{"\u2581a"});
}

TEST_F(Sentencepiece, takes_the_longest_special_token_that_begins_somewhere) {
  EXPECT_EQ(with_special("<|im_end|>er"), (Texts{"<s>", "<|im_end|>er"}));
  EXPECT_EQ(with_special("<|im_end|>e"), (Texts{"<s>", "<|im_end|>", "\u2581", "e"}));
}

TEST_F(Sentencepiece, never_makes_a_special_token_of_ordinary_text) {
  // Every joining on the way to this control token is possible.
  sample_.add("<|", TokenKind::normal, -1);
  sample_.add("|", TokenKind::normal, -1);
  sample_.add("<|e", TokenKind::normal, -1);
  sample_.add("<|e|", TokenKind::normal, -1);
  sample_.add("<|e|>", TokenKind::control, -1);
  sample_.add("<0", TokenKind::normal, -1);
  sample_.add("x0>", TokenKind::normal, -1);
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode_piece("<|e|>", false, false)), (Texts{"<|e|", ">"}));
  EXPECT_EQ(texts(tokenizer, tokenizer.encode_piece("<|e|>", true, false)), Texts{"<|e|>"});
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<0x41>")), "<0x41>");
}

TEST_F(Sentencepiece, spells_what_is_no_token_by_bytes) {
  EXPECT_EQ(encoded("q"), (Texts{"\u2581", "<0x71>"}));
  EXPECT_EQ(encoded("\U0001F600"), (Texts{"\u2581", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"}));
  EXPECT_EQ(encoded("\xFF"), (Texts{"\u2581", "<0xFF>"}));
}

TEST_F(Sentencepiece, gives_the_unknown_token_where_bytes_have_none) {
  SampleVocabulary sample;
  sample.add("<unk>", TokenKind::unknown);
  sample.add("a");
  sample.add("\u2581");
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("a\u00e9a")), (Texts{"\u2581", "a", "<unk>", "a"}));
}

TEST_F(Sentencepiece, spells_a_space_that_is_no_token_by_its_byte) {
  SampleVocabulary sample;
  sample.add("a");
  sample.add("<0x20>", TokenKind::byte);
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  const auto ids = tokenizer.encode("a a");
  EXPECT_EQ(texts(tokenizer, ids), (Texts{"<0x20>", "a", "<0x20>", "a"}));
  EXPECT_EQ(tokenizer.decode(ids), "a a");
}

TEST_F(Sentencepiece, decodes_the_text_after_bos_without_the_space_in_front) {
  const auto ids = tokenizer_.encode_special("the the");
  EXPECT_EQ(tokenizer_.decode(ids, false), "the the");
  EXPECT_EQ(tokenizer_.decode(ids, true), "<s>the the");
}

TEST_F(Sentencepiece, ends_generation_at_eos_and_at_control_tokens_that_end_a_turn) {
  EXPECT_TRUE(tokenizer_.ends_generation(2));
  EXPECT_TRUE(tokenizer_.ends_generation(*tokenizer_.find("<|im_end|>")));
  EXPECT_FALSE(tokenizer_.ends_generation(*tokenizer_.find("<|im_end|>er")));
  EXPECT_FALSE(tokenizer_.ends_generation(1));
  EXPECT_FALSE(tokenizer_.ends_generation(-1));
  EXPECT_FALSE(tokenizer_.ends_generation(1 << 30));
}

TEST_F(Sentencepiece, answers_for_ids_out_of_range_with_nothing) {
  EXPECT_EQ(tokenizer_.token_text(-1), "");
  EXPECT_EQ(tokenizer_.token_bytes(std::numeric_limits<TokenId>::max()), "");
  EXPECT_EQ(tokenizer_.decode(std::vector<TokenId>{-5, 1 << 29}), "");
}

class ByteLevel : public testing::Test {
 protected:
  SampleVocabulary sample_ = sample_byte_level();
  Tokenizer tokenizer_ = tokenizer_of(sample_.data);
};

TEST_F(ByteLevel, merges_inside_words) {
  EXPECT_EQ(texts(tokenizer_, tokenizer_.encode("the the")), (Texts{"the", "\u0120the"}));
  EXPECT_EQ(texts(tokenizer_, tokenizer_.encode("\u00e9")), Texts{"\u00c3\u00a9"});
}

TEST_F(ByteLevel, takes_the_longest_special_token_that_begins_somewhere) {
  EXPECT_EQ(texts(tokenizer_, tokenizer_.encode_special("the<|end|>\n<|end|>the")),
            (Texts{"the", "<|end|>\n", "<|end|>", "the"}));
  EXPECT_EQ(tokenizer_.decode(tokenizer_.encode_special("a<|end|>\na")), "a<|end|>\na");
}

TEST_F(ByteLevel, never_makes_a_special_token_of_ordinary_text) {
  sample_.data.kinds[256] = static_cast<std::int64_t>(TokenKind::control);       // "th"
  sample_.data.kinds[259] = static_cast<std::int64_t>(TokenKind::user_defined);  // "aa"
  const Tokenizer tokenizer = tokenizer_of(sample_.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("th")), (Texts{"t", "h"}));
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("aa")), (Texts{"a", "a"}));
}

TEST_F(ByteLevel, leaves_out_bytes_without_a_token_and_joins_nothing_across_them) {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::byte_level;
  sample.add("a");
  sample.add("aa");
  sample.data.merges = {"a a"};
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("aa")), Texts{"aa"});
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("aba")), (Texts{"a", "a"}));
  EXPECT_TRUE(tokenizer.encode("bbb").empty());
}

TEST_F(ByteLevel, gives_bytes_without_a_token_the_unknown_one) {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::byte_level;
  sample.add("a");
  sample.add("<unk>", TokenKind::unknown);
  sample.data.unknown = 1;
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ab")), "a<unk>");
}

TEST_F(ByteLevel, takes_no_special_token_for_the_unknown_one) {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::byte_level;
  sample.add("a");
  sample.add("<|endoftext|>", TokenKind::control);
  sample.data.unknown = 1;
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  EXPECT_EQ(texts(tokenizer, tokenizer.encode("ab")), Texts{"a"});
}

TEST_F(ByteLevel, drops_bytes_that_nothing_can_stand_for) {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::byte_level;
  sample.add("a");
  const Tokenizer tokenizer = tokenizer_of(sample.data);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("abba")), "aa");
}

TEST(byte_alphabet, spells_each_byte_by_its_own_character) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto spelling = tokenizer::spelling_of_byte(static_cast<unsigned char>(byte));
    const auto step = platform::utf8_step(spelling);
    ASSERT_TRUE(step.valid && step.length == spelling.size());
    EXPECT_EQ(tokenizer::spelled_byte(step.code_point), byte);
  }
  EXPECT_EQ(tokenizer::spelling_of_byte(' '), "\u0120");
  EXPECT_EQ(tokenizer::spelling_of_byte('\n'), "\u010a");
  EXPECT_EQ(tokenizer::spelling_of_byte(0xAD), "\u0143");
  EXPECT_EQ(tokenizer::spelled_byte(0x144), std::nullopt);
  EXPECT_EQ(tokenizer::spelled_byte(0x20), std::nullopt);
  EXPECT_EQ(tokenizer::spelled_byte(0xAD), std::nullopt);
}

}  // namespace
}  // namespace thermocline::tests
