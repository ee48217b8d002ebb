// A stream of tokens must show the same text as decoding them at once, and never half a character.
#include "platform/utf8.h"
#include "tests/unit/tokenizer/recorded_vectors.h"
#include "tests/unit/tokenizer/sample_vocabularies.h"
#include "tokenizer/utf8_release.h"

#include <gtest/gtest.h>

#include <random>

namespace thermocline::tests {
namespace {

// U+FFFD for each longest part of a character that goes wrong, written down from the ranges of
// Unicode's table of well-formed sequences.
std::string with_replacements(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const unsigned lead = byte(0);
    std::size_t length = 1;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) length = 2;
    if (lead >= 0xE0 && lead <= 0xEF) length = 3;
    if (lead >= 0xF0 && lead <= 0xF4) length = 4;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
    std::size_t good = 1;
    while (good < length && byte(good) >= low && byte(good) <= high) {
      ++good;
      low = 0x80;
      high = 0xBF;
    }
    if (good == length && (length > 1 || lead < 0x80)) {
      result += text.substr(0, length);
    } else {
      result += "\uFFFD";
    }
    text.remove_prefix(good);
  }
  return result;
}

std::string streamed(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  StreamingDecoder decoder(tokenizer, true, true);
  std::string text;
  for (const TokenId id : ids) {
    const std::string piece = decoder.push(id);
    EXPECT_TRUE(platform::is_valid_utf8(piece));
    text += piece;
  }
  return text + decoder.finish();
}

class StreamingDecoderOn : public testing::TestWithParam<const char*> {
 protected:
  Tokenizer tokenizer_ = recorded_tokenizer(GetParam());
};

TEST_P(StreamingDecoderOn, recorded_cases_equals_decoding_at_once) {
  for (const RecordedCase& recorded : recorded_cases(GetParam())) {
    const auto ids = tokenizer_.encode(recorded.text);
    EXPECT_EQ(streamed(tokenizer_, ids), with_replacements(tokenizer_.decode(ids)));
    const auto special = tokenizer_.encode_special(recorded.text);
    EXPECT_EQ(streamed(tokenizer_, special), with_replacements(tokenizer_.decode(special)));
  }
}

TEST_P(StreamingDecoderOn, random_tokens_equals_decoding_at_once) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<TokenId> ids(random() % 20);
    for (TokenId& id : ids) {
      // Every other one from the first 300, where SentencePiece has its byte tokens.
      const auto range = static_cast<std::uint32_t>(round % 2 == 0 ? 300 : tokenizer_.size() + 5);
      id = static_cast<TokenId>(random() % range) - 2;
    }
    EXPECT_EQ(streamed(tokenizer_, ids), with_replacements(tokenizer_.decode(ids)));
  }
}

INSTANTIATE_TEST_SUITE_P(all, StreamingDecoderOn, testing::Values("llama-spm", "falcon", "gpt-2"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::erase(name, '-');
                           return name;
                         });

// One byte token for each byte.
class StreamingBytes : public testing::Test {
 protected:
  TokenId of(unsigned char byte) const { return 3 + byte; }
  Tokenizer tokenizer_ = tokenizer_of(sample_sentencepiece().data);
};

TEST_F(StreamingBytes, releases_a_character_with_its_last_byte) {
  StreamingDecoder decoder(tokenizer_);
  EXPECT_EQ(decoder.push(of(0xF0)), "");
  EXPECT_EQ(decoder.push(of(0x9F)), "");
  EXPECT_EQ(decoder.push(of(0x98)), "");
  EXPECT_EQ(decoder.push(of(0x80)), "\U0001F600");
  EXPECT_EQ(decoder.finish(), "");
}

TEST_F(StreamingBytes, releases_wrong_bytes_as_soon_as_they_are_known_to_be_wrong) {
  StreamingDecoder decoder(tokenizer_);
  EXPECT_EQ(decoder.push(of(0xFF)), "\uFFFD");
  EXPECT_EQ(decoder.push(of(0x80)), "\uFFFD");
  EXPECT_EQ(decoder.push(of(0xE2)), "");
  EXPECT_EQ(decoder.push(of(0x82)), "");
  EXPECT_EQ(decoder.push(of('a')), "\uFFFDa");
  EXPECT_EQ(decoder.push(of(0xE0)), "");
  EXPECT_EQ(decoder.push(of(0x80)), "\uFFFD\uFFFD");  // E0 80 would be overlong
  EXPECT_EQ(decoder.push(of(0xC3)), "");
  EXPECT_EQ(decoder.push(of(0xC3)), "\uFFFD");
  EXPECT_EQ(decoder.push(of(0xA9)), "\u00e9");
}

TEST_F(StreamingBytes, finishes_an_open_character_as_one_replacement_and_starts_anew) {
  StreamingDecoder decoder(tokenizer_);
  decoder.push(of(0xF0));
  decoder.push(of(0x9F));
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push(of('x')), "x");
}

TEST_F(StreamingBytes, drops_the_space_in_front_only_at_the_start) {
  const TokenId the = *tokenizer_.find("\u2581the");
  StreamingDecoder at_start(tokenizer_);
  EXPECT_EQ(at_start.push(1), "");  // control tokens are hidden and are no text
  EXPECT_EQ(at_start.push(the), "the");
  EXPECT_EQ(at_start.push(the), " the");
  EXPECT_EQ(at_start.finish(), "");
  EXPECT_EQ(at_start.push(the), "the");
  StreamingDecoder inside(tokenizer_, false);
  EXPECT_EQ(inside.push(the), " the");
}

TEST_F(StreamingBytes, shows_special_tokens_when_asked) {
  StreamingDecoder shown(tokenizer_, true, true);
  EXPECT_EQ(shown.push(2), "</s>");
  StreamingDecoder hidden(tokenizer_, true, false);
  EXPECT_EQ(hidden.push(2), "");
  EXPECT_EQ(hidden.push(0), "");
}

TEST_F(StreamingBytes, ignores_ids_out_of_range) {
  StreamingDecoder decoder(tokenizer_);
  EXPECT_EQ(decoder.push(-1), "");
  EXPECT_EQ(decoder.push(1 << 30), "");
}

TEST(release_complete, holds_back_at_most_three_bytes_of_any_input_split_anywhere) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 12, '\0');
    constexpr std::string_view likely =
        "\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA9\xF4\x8F\xED\xA0 a\xFF";
    for (char& value : text)
      value = likely[random() % likely.size()];
    for (std::size_t split = 0; split <= text.size(); ++split) {
      std::string pending = text.substr(0, split);
      std::string released = tokenizer::release_complete(pending);
      EXPECT_LE(pending.size(), 3u);
      pending += text.substr(split);
      released += tokenizer::release_complete(pending);
      EXPECT_LE(pending.size(), 3u);
      if (!pending.empty()) released += "\uFFFD";
      ASSERT_EQ(released, with_replacements(text));
    }
  }
}

}  // namespace
}  // namespace thermocline::tests
