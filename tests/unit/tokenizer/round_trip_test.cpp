// What goes in comes out again (bytes that aren't UTF-8 as the encoder's rules say), and no
// ordinary text becomes a control token.
#include "tests/unit/tokenizer/recorded_vectors.h"
#include "tests/unit/tokenizer/sample_vocabularies.h"
#include "tokenizer/lenient_text.h"

#include <gtest/gtest.h>

#include <random>

namespace thermocline::tests {
namespace {

// Bytes that Falcon's vocabulary has tokens for: it lacks some control characters and the bytes
// that stand in no assigned character.
bool falcon_has(unsigned char byte) {
  constexpr std::string_view absent =
      "\x03\x04\x05\x0b\x11\x13\x14\x15\x16\x17\x19\x1c\x1d\x1e\xc0\xc1\xf2\xf5\xf6\xf7\xf8\xf9\xfa"
      "\xfb\xfc\xfd\xfe\xff";
  return absent.find(static_cast<char>(byte)) == absent.npos;
}

class RoundTrip : public testing::TestWithParam<const char*> {
 protected:
  void expect_round_trip(const std::string& text) const {
    const auto ids = tokenizer_.encode(text);
    // Not EXPECT_EQ: it would print a megabyte.
    EXPECT_TRUE(comparable(tokenizer_.decode(ids)) == comparable(text)) << text.substr(0, 80);
    for (const TokenId id : ids)
      ASSERT_NE(tokenizer_.kind(id), TokenKind::control);
  }
  // Byte-level vocabularies see broken characters as U+FFFD. In SentencePiece a cut character may
  // take a part of a spelled space with it, which then decodes to U+2581.
  std::string comparable(std::string text) const {
    if (GetParam() != std::string_view("llama-spm")) return tokenizer::lenient_text(text);
    constexpr std::string_view spelled_space = "\u2581";
    std::string result;
    std::size_t done = 0;
    for (auto at = text.find(spelled_space); at != text.npos; at = text.find(spelled_space, done)) {
      result += text.substr(done, at - done) + ' ';
      done = at + spelled_space.size();
    }
    return result + text.substr(done);
  }
  bool is_falcon() const { return GetParam() == std::string_view("falcon"); }

  Tokenizer tokenizer_ = recorded_tokenizer(GetParam());
};

constexpr std::size_t megabyte = 1 << 20;

std::string repeated(std::string_view unit) {
  std::string text;
  while (text.size() < megabyte)
    text += unit;
  return text;
}

TEST_P(RoundTrip, keeps_random_bytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 200, '\0');
    for (char& value : text) {
      do {
        value = static_cast<char>(random());
      } while (is_falcon() && !falcon_has(static_cast<unsigned char>(value)));
    }
    expect_round_trip(text);
  }
}

// Characters and broken characters side by side, with the spaces that are spelled otherwise.
TEST_P(RoundTrip, keeps_random_mixtures_of_text_and_broken_characters) {
  constexpr std::string_view parts[] = {" ",
                                        "  ",
                                        "a",
                                        "Hello",
                                        "\n",
                                        "\u00e9",
                                        "\u65e5",
                                        "\U0001F600",
                                        "\xe2",
                                        "\x96",
                                        "\x81",
                                        "\xe6\x97",
                                        "\xf0\x9f",
                                        "\xf0\x9f\x98",
                                        "\xed\xa0\x80",
                                        "123",
                                        "...",
                                        "</s>",
                                        "\t",
                                        "<0x41>",
                                        "\xc3",
                                        "\xea\xb0",
                                        "<|endoftext|>",
                                        "'s",
                                        "\u00a0",
                                        "\u3000"};
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto count = random() % 12; count > 0; --count)
      text += parts[random() % std::size(parts)];
    // Parts may add up to the character that spells a space and comes back as one.
    if (text.find("\u2581") != text.npos) continue;
    expect_round_trip(text);
  }
}

TEST_P(RoundTrip, keeps_a_megabyte_of_mixed_text) {
  expect_round_trip(
      repeated("The quick brown fox, it's 12345 years old.\n\n  int main() { return 0; "
               "}\tna\u00efve caf\u00e9 "
               "\u2014 \u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \U0001F600 don't "));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_one_letter) {
  expect_round_trip(repeated("a"));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_spaces) {
  expect_round_trip(repeated(" "));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_newlines) {
  expect_round_trip(repeated("\n"));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_emoji) {
  expect_round_trip(repeated("\U0001F600"));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_continuation_bytes) {
  expect_round_trip(repeated("\x80"));
}

TEST_P(RoundTrip, keeps_a_megabyte_of_special_tokens) {
  const Tokenizer& tokenizer = tokenizer_;
  const std::string special = tokenizer.token_text(*tokenizer.eos());
  const std::string text = repeated(special);
  expect_round_trip(text);
  const auto ids = tokenizer.encode_piece(text, true, true);
  EXPECT_EQ(ids, std::vector<TokenId>(text.size() / special.size(), *tokenizer.eos()));
  EXPECT_TRUE(tokenizer.decode(ids) == text);
}

INSTANTIATE_TEST_SUITE_P(all, RoundTrip, testing::Values("llama-spm", "falcon", "gpt-2"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace thermocline::tests
