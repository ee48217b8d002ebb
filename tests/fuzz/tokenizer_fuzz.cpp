// Feeds arbitrary bytes to the tokenizer. The first byte chooses what they are: text for one of two
// small vocabularies, in one of the ways of encoding, or a vocabulary of their own.
#include "platform/utf8.h"
#include "tests/unit/tokenizer/sample_vocabularies.h"
#include "tokenizer/lenient_text.h"

#include <cstdlib>
#include <iostream>

namespace thermocline::tests {
namespace {

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "broken: " << what << '\n';
  std::abort();
}

std::string with_replacements(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const platform::Utf8Step step = platform::utf8_step(text);
    if (step.valid) {
      result += text.substr(0, step.length);
      text.remove_prefix(step.length);
      continue;
    }
    // One replacement for the longest part that could have begun a character.
    std::size_t length = 3;
    while (length > 1 &&
           (length > text.size() || !platform::utf8_step(text.substr(0, length)).truncated)) {
      --length;
    }
    result += "\uFFFD";
    text.remove_prefix(length);
  }
  return result;
}

void check_streaming(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  StreamingDecoder decoder(tokenizer, true, true);
  std::string streamed;
  for (const TokenId id : ids) {
    const std::string released = decoder.push(id);
    require(platform::is_valid_utf8(released), "released text is UTF-8");
    streamed += released;
  }
  streamed += decoder.finish();
  require(streamed == with_replacements(tokenizer.decode(ids)),
          "streaming equals decoding at once");
}

// What SentencePiece must give back: U+2581 is how it spells a space.
std::string with_spaces(std::string text) {
  constexpr std::string_view spelled_space = "\u2581";
  for (std::size_t at = text.find(spelled_space); at != text.npos;
       at = text.find(spelled_space, at + 1)) {
    text.replace(at, spelled_space.size(), " ");
  }
  return text;
}

void check_text(const Tokenizer& tokenizer, bool is_sentencepiece, unsigned mode,
                std::string_view text) {
  const auto ids = tokenizer.encode(text);
  for (const TokenId id : ids) {
    require(
        tokenizer.kind(id) != TokenKind::control && tokenizer.kind(id) != TokenKind::user_defined,
        "ordinary text makes no special token");
  }
  const std::string expected =
      is_sentencepiece ? with_spaces(std::string(text)) : tokenizer::lenient_text(text);
  // A cut character may take a part of a spelled space with it, which then decodes to U+2581.
  const std::string decoded = tokenizer.decode(ids);
  require((is_sentencepiece ? with_spaces(decoded) : decoded) == expected, "text comes back");
  check_streaming(tokenizer, ids);

  const bool at_start = (mode & 1) != 0;
  const auto parsed = tokenizer.encode_piece(text, true, at_start);
  check_streaming(tokenizer, parsed);
  if (!is_sentencepiece && platform::is_valid_utf8(text)) {
    require(tokenizer.decode(parsed) == text, "text with specials comes back");
  }
  check_streaming(tokenizer, tokenizer.encode_special(text));
}

// The rest of the input as ids, most of them in or near the vocabulary.
void check_ids(const Tokenizer& tokenizer, std::string_view bytes) {
  std::vector<TokenId> ids;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const auto low = static_cast<unsigned char>(bytes[at]);
    const auto high = static_cast<unsigned char>(bytes[at + 1]);
    ids.push_back(static_cast<TokenId>(low | (high & 3) << 8) - (high == 0xFF ? 2000 : 0));
  }
  check_streaming(tokenizer, ids);
  for (const TokenId id : ids)
    (void)tokenizer.ends_generation(id);
}

// Reads small numbers and strings from the input.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  unsigned char number() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  std::string_view text() {
    const std::size_t length = number() % 16;
    const std::string_view taken = bytes_.substr(0, length);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() const { return bytes_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// A vocabulary from the input; it must be refused, or work.
void check_vocabulary(std::string_view bytes) {
  Reader reader(bytes);
  tokenizer::VocabularyData data;
  const unsigned char flags = reader.number();
  data.model = (flags & 1) != 0 ? tokenizer::VocabularyModel::byte_level
                                : tokenizer::VocabularyModel::sentencepiece;
  data.pre_tokenizer =
      (flags & 2) != 0 ? tokenizer::PreTokenizer::falcon : tokenizer::PreTokenizer::gpt2;
  const bool has_kinds = (flags & 4) != 0;
  if ((flags & 8) != 0) data.bos = reader.number();
  if ((flags & 16) != 0) data.unknown = reader.number();
  if ((flags & 32) != 0) data.add_space_prefix = false;
  for (unsigned count = reader.number(); count > 0 && !reader.at_end(); --count) {
    data.tokens.push_back(reader.text());
    data.scores.push_back(static_cast<float>(reader.number()));
    if (has_kinds) data.kinds.push_back(reader.number() % 8);
  }
  for (unsigned count = reader.number(); count > 0 && !reader.at_end(); --count) {
    data.merges.push_back(reader.text());
  }
  const auto made = tokenizer::Vocabulary::make(data, "fuzz");
  if (!made) {
    require(!made.error().message.empty() && !made.error().tensor.empty(), "refusals say why");
    return;
  }
  const Tokenizer tokenizer(*made);
  for (const bool parse_special : {false, true}) {
    const auto ids = tokenizer.encode_piece(reader.rest(), parse_special, true);
    for (const TokenId id : ids) {
      require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.size(), "ids are in range");
      require(parse_special || tokenizer.kind(id) != TokenKind::control,
              "ordinary text makes no control token");
    }
    check_streaming(tokenizer, ids);
  }
  check_streaming(tokenizer, tokenizer.encode_special(bytes));
}

}  // namespace
}  // namespace thermocline::tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace tests = thermocline::tests;
  using thermocline::Tokenizer;
  static const Tokenizer sentencepiece = tests::tokenizer_of(tests::sample_sentencepiece().data);
  static const Tokenizer byte_level = tests::tokenizer_of(tests::sample_byte_level().data);
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const unsigned mode = data[0] / 4u;
  switch (data[0] % 4u) {
    case 0:
      tests::check_text(sentencepiece, true, mode, rest);
      break;
    case 1:
      tests::check_text(byte_level, false, mode, rest);
      break;
    case 2:
      tests::check_ids((mode & 1) != 0 ? sentencepiece : byte_level, rest);
      break;
    default:
      tests::check_vocabulary(rest);
      break;
  }
  return 0;
}
