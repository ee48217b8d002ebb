// The pieces that GPT-2's and Falcon's regular expressions cut.
#include "tokenizer/pre_tokenizer.h"

#include "tokenizer/char_class.h"
#include "tokenizer/special_matcher.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace thermocline::tests {
namespace {

using tokenizer::CharClass;
using tokenizer::PreTokenizer;
using Texts = std::vector<std::string>;

Texts pieces(PreTokenizer kind, const std::string& text) {
  std::vector<std::size_t> ends;
  tokenizer::cut_into_pieces(kind, text, ends);
  Texts result;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    result.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  EXPECT_EQ(begin, text.size());
  return result;
}

Texts gpt2(const std::string& text) {
  return pieces(PreTokenizer::gpt2, text);
}
Texts falcon(const std::string& text) {
  return pieces(PreTokenizer::falcon, text);
}

TEST(gpt2_pieces, take_the_space_before_a_word) {
  EXPECT_EQ(gpt2("Hello world 12!"), (Texts{"Hello", " world", " 12", "!"}));
  EXPECT_EQ(gpt2(""), Texts{});
}

TEST(gpt2_pieces, leave_the_last_of_several_spaces_to_the_word) {
  EXPECT_EQ(gpt2("a   b"), (Texts{"a", "  ", " b"}));
  EXPECT_EQ(gpt2("a \n\nb"), (Texts{"a", " \n", "\n", "b"}));
  EXPECT_EQ(gpt2("a\tb"), (Texts{"a", "\t", "b"}));
  EXPECT_EQ(gpt2("a   "), (Texts{"a", "   "}));
  EXPECT_EQ(gpt2(" "), Texts{" "});
}

TEST(gpt2_pieces, cut_contractions_in_lower_case_only) {
  EXPECT_EQ(gpt2("I'm we'll don't"), (Texts{"I", "'m", " we", "'ll", " don", "'t"}));
  EXPECT_EQ(gpt2("I'M 'x"), (Texts{"I", "'", "M", " '", "x"}));
  EXPECT_EQ(gpt2("'sing"), (Texts{"'s", "ing"}));
  EXPECT_EQ(gpt2(" 's"), (Texts{" '", "s"}));
  EXPECT_EQ(gpt2("'"), Texts{"'"});
}

TEST(gpt2_pieces, know_letters_numbers_and_spaces_of_all_scripts) {
  EXPECT_EQ(gpt2("caf\u00e9\u65e5\u672c"), Texts{"caf\u00e9\u65e5\u672c"});
  EXPECT_EQ(gpt2("x\u00b2\u0663"), (Texts{"x", "\u00b2\u0663"}));
  EXPECT_EQ(gpt2("a\u3000b"), (Texts{"a", "\u3000", "b"}));
  EXPECT_EQ(gpt2("a\u00a0b"), (Texts{"a", "\u00a0", "b"}));
}

TEST(gpt2_pieces, take_bytes_that_are_not_utf8_for_signs) {
  EXPECT_EQ(gpt2("a\xFF\xC3 b"), (Texts{"a", "\xFF\xC3", " b"}));
}

TEST(falcon_pieces, cut_out_runs_of_signs) {
  EXPECT_EQ(falcon("a, b"), (Texts{"a", ",", " b"}));
  EXPECT_EQ(falcon("a ... b"), (Texts{"a", " ", "...", " b"}));
  EXPECT_EQ(falcon("$5+<=>^~|`x"), (Texts{"$", "5", "+<=>^~|`", "x"}));
  EXPECT_EQ(falcon("I'm"), (Texts{"I", "'", "m"}));
  // Spaces before a sign are at the end of their part: none is left over.
  EXPECT_EQ(falcon("a  ,"), (Texts{"a", "  ", ","}));
}

TEST(falcon_pieces, cut_out_digits_in_threes) {
  EXPECT_EQ(falcon("1234567"), (Texts{"123", "456", "7"}));
  EXPECT_EQ(falcon(" 1234"), (Texts{" ", "123", "4"}));
  EXPECT_EQ(falcon("12"), Texts{"12"});
  EXPECT_EQ(falcon("1\u00b2345"), (Texts{"1\u00b2", "345"}));
}

TEST(char_classes, agree_with_the_table_on_ascii) {
  const auto runs = tokenizer::class_runs();
  std::size_t run = 0;
  for (char32_t code_point = 0; code_point < 128; ++code_point) {
    if (run + 1 < runs.size() && runs[run + 1].first <= code_point) ++run;
    EXPECT_EQ(tokenizer::char_class(code_point), runs[run].kind) << unsigned(code_point);
  }
}

TEST(char_classes, cover_all_of_unicode) {
  EXPECT_EQ(tokenizer::char_class(0x10FFFF), CharClass::other);
  EXPECT_EQ(tokenizer::char_class(0x4E00), CharClass::letter);
  EXPECT_EQ(tokenizer::char_class(0x2028), CharClass::space);
  EXPECT_EQ(tokenizer::char_class(0x2014), CharClass::punctuation);
  EXPECT_EQ(tokenizer::char_class(0x20AC), CharClass::other);
  EXPECT_EQ(tokenizer::char_class(0x0966), CharClass::number);
  EXPECT_EQ(tokenizer::char_class(0x1F600), CharClass::other);
}

// Against trying every token at every place.
TEST(special_matcher, finds_the_longest_at_each_place_from_the_left) {
  std::mt19937 random(7);
  const auto word = [&random](std::size_t most) {
    std::string text(1 + random() % most, 'a');
    for (char& value : text)
      value = static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    Texts tokens;
    tokenizer::SpecialMatcher matcher;
    for (TokenId id = 0; id < 5; ++id) {
      tokens.push_back(word(5));
      matcher.add(tokens.back(), id);
    }
    matcher.finish();
    const std::string text = word(30);
    std::size_t next = 0;
    const auto matches = matcher.find(text);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t best = tokens.size();
      for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (text.compare(at, tokens[id].size(), tokens[id]) != 0) continue;
        if (best == tokens.size() || tokens[id].size() > tokens[best].size()) best = id;
      }
      if (best == tokens.size()) {
        ++at;
        continue;
      }
      ASSERT_LT(next, matches.size()) << text;
      EXPECT_EQ(matches[next].begin, at) << text;
      EXPECT_EQ(matches[next].id, static_cast<TokenId>(best)) << text;
      EXPECT_EQ(matches[next].length, tokens[best].size());
      at += tokens[best].size();
      ++next;
    }
    EXPECT_EQ(next, matches.size()) << text;
  }
}

TEST(special_matcher, finds_nothing_without_tokens) {
  tokenizer::SpecialMatcher matcher;
  matcher.add("", 1);
  matcher.finish();
  EXPECT_TRUE(matcher.find("text").empty());
}

TEST(special_matcher, stays_fast_when_a_long_token_almost_matches_everywhere) {
  tokenizer::SpecialMatcher matcher;
  matcher.add(std::string(60000, 'a') + "b", 0);
  matcher.add("b" + std::string(60000, 'a'), 1);
  matcher.finish();
  EXPECT_TRUE(matcher.find(std::string(1 << 20, 'a')).empty());
}

}  // namespace
}  // namespace thermocline::tests
