// Small vocabularies of both kinds, made from plain data; also used by the fuzz target.
#pragma once

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/vocabulary.h"

#include <cstdlib>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

namespace thermocline::tests {

// A vocabulary's data together with the texts that it refers to.
class SampleVocabulary {
 public:
  SampleVocabulary() = default;
  SampleVocabulary(SampleVocabulary&&) = default;
  SampleVocabulary& operator=(SampleVocabulary&&) = default;

  void add(std::string text, TokenKind kind = TokenKind::normal, float score = 0) {
    texts_.push_back(std::move(text));
    data.tokens.push_back(texts_.back());
    data.kinds.push_back(static_cast<std::int64_t>(kind));
    data.scores.push_back(score);
  }
  void add_merge(std::string rule) {
    texts_.push_back(std::move(rule));
    data.merges.push_back(texts_.back());
  }

  tokenizer::VocabularyData data;

 private:
  std::deque<std::string> texts_;  // whose elements never move
};

// <unk> <s> </s>, the 256 byte tokens, then letters and what can be merged from them, and two
// special tokens of which one begins like the other. All byte tokens are there.
inline SampleVocabulary sample_sentencepiece() {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::sentencepiece;
  sample.add("<unk>", TokenKind::unknown);
  sample.add("<s>", TokenKind::control);
  sample.add("</s>", TokenKind::control);
  for (int byte = 0; byte < 256; ++byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const std::string text = {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
    sample.add(text, TokenKind::byte);
  }
  float score = -1;
  for (const char* text : {"\u2581t", "he", "\u2581the", "\u2581\u2581", "aa", "aaaa", "\u2581a",
                           "er", "in", "th", "\u00e9t\u00e9", "\u00e9t"}) {
    sample.add(text, TokenKind::normal, score);
    score -= 1;
  }
  for (const char* text :
       {"\u2581", "a", "b", "e", "h", "i", "n", "r", "s", "t", "<", ">", "/", "\u00e9", "\u65e5"}) {
    sample.add(text, TokenKind::normal, score);
    score -= 1;
  }
  sample.add("<|im_end|>", TokenKind::control);
  sample.add("<|im_end|>er", TokenKind::user_defined);
  return sample;
}

// The byte alphabet (ids 0 to 255), then "th", "the", "Ġthe" and more, and special tokens.
inline SampleVocabulary sample_byte_level() {
  SampleVocabulary sample;
  sample.data.model = tokenizer::VocabularyModel::byte_level;
  for (int byte = 0; byte < 256; ++byte) {
    sample.add(std::string(tokenizer::spelling_of_byte(static_cast<unsigned char>(byte))));
  }
  const auto merge = [&sample](const std::string& left, const std::string& right) {
    sample.add(left + right);
    sample.add_merge(left + " " + right);
  };
  merge("t", "h");
  merge("th", "e");
  merge("\u0120", "the");  // U+0120 spells the space
  merge("a", "a");
  merge("aa", "aa");
  merge("\u0120", "\u0120");
  merge("\u00c3", "\u00a9");  // the two bytes of U+00E9
  sample.add("<|endoftext|>", TokenKind::control);
  sample.add("<|end|>", TokenKind::control);
  sample.add("<|end|>\n", TokenKind::user_defined);
  sample.data.eos = 256 + 7;
  return sample;
}

// A tokenizer of data that must be right.
inline Tokenizer tokenizer_of(const tokenizer::VocabularyData& data) {
  auto made = tokenizer::Vocabulary::make(data, "sample");
  if (!made) {
    std::cerr << made.error().line() << '\n';
    std::abort();
  }
  return Tokenizer(*std::move(made));
}

}  // namespace thermocline::tests
