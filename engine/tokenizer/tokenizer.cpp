// The public tokenizer: chooses the kind of encoding and treats special tokens.
#include "platform/memory_guard.h"
#include "tokenizer/byte_level.h"
#include "tokenizer/decoded_spaces.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/token_bytes.h"
#include "tokenizer/vocabulary.h"

#include <thermocline/tokenizer.h>

#include <algorithm>
#include <array>

namespace thermocline {
namespace {

using tokenizer::Vocabulary;
using tokenizer::VocabularyModel;

void append_ordinary(const Vocabulary& vocabulary, std::string_view text, bool at_start,
                     std::vector<TokenId>& ids) {
  if (vocabulary.model() == VocabularyModel::sentencepiece) {
    const bool space_in_front = at_start && vocabulary.adds_space_prefix();
    tokenizer::encode_sentencepiece(vocabulary, text, space_in_front, ids);
  } else {
    tokenizer::encode_byte_level(vocabulary, text, ids);
  }
}

// What follows a special token is the start of a text again.
void append_with_specials(const Vocabulary& vocabulary, std::string_view text, bool at_start,
                          std::vector<TokenId>& ids) {
  std::size_t done = 0;
  for (const tokenizer::SpecialMatch& match : vocabulary.specials().find(text)) {
    append_ordinary(vocabulary, text.substr(done, match.begin - done), at_start, ids);
    ids.push_back(match.id);
    done = match.begin + match.length;
    at_start = true;
  }
  append_ordinary(vocabulary, text.substr(done), at_start, ids);
}

}  // namespace

Expected<Tokenizer> Tokenizer::open(const std::filesystem::path& path) {
  return platform::with_memory_guard("the vocabulary", [&]() -> Expected<Tokenizer> {
    THERMOCLINE_ASSIGN(auto file, gguf::Container::open(path));
    THERMOCLINE_ASSIGN(auto vocabulary, tokenizer::read_vocabulary(file));
    return Tokenizer(std::move(vocabulary));
  });
}

Tokenizer::Tokenizer(std::shared_ptr<const Vocabulary> vocabulary)
    : vocabulary_(std::move(vocabulary)) {}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  return encode_piece(text, false, true);
}

std::vector<TokenId> Tokenizer::encode_special(std::string_view text) const {
  std::vector<TokenId> ids;
  if (adds_bos() && bos()) ids.push_back(*bos());
  append_with_specials(*vocabulary_, text, true, ids);
  if (vocabulary_->adds_eos() && eos()) ids.push_back(*eos());
  return ids;
}

std::vector<TokenId> Tokenizer::encode_piece(std::string_view text, bool parse_special,
                                             bool at_start) const {
  std::vector<TokenId> ids;
  if (parse_special) {
    append_with_specials(*vocabulary_, text, at_start, ids);
  } else {
    append_ordinary(*vocabulary_, text, at_start, ids);
  }
  return ids;
}

std::string Tokenizer::token_bytes(TokenId id, bool show_special) const {
  return tokenizer::token_bytes(*vocabulary_, id, show_special);
}

std::string Tokenizer::token_text(TokenId id) const {
  return vocabulary_->has(id) ? std::string(vocabulary_->text(id)) : std::string();
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool show_special) const {
  std::string text;
  bool drop_space = vocabulary_->adds_space_prefix();
  for (const TokenId id : ids) {
    tokenizer::append_decoded(*vocabulary_, id, show_special, drop_space, text);
  }
  return text;
}

std::string Tokenizer::decode_cleaned(std::span<const TokenId> ids) const {
  std::string text = decode(ids);
  if (vocabulary_->model() == VocabularyModel::sentencepiece) return text;
  return tokenizer::clean_decoded_spaces(text);
}

std::size_t Tokenizer::size() const {
  return vocabulary_->size();
}

TokenKind Tokenizer::kind(TokenId id) const {
  return vocabulary_->has(id) ? vocabulary_->kind(id) : TokenKind::unused;
}

std::optional<TokenId> Tokenizer::find(std::string_view token_text) const {
  return vocabulary_->find(token_text);
}

std::optional<TokenId> Tokenizer::bos() const {
  return vocabulary_->bos();
}

std::optional<TokenId> Tokenizer::eos() const {
  return vocabulary_->eos();
}

bool Tokenizer::adds_bos() const {
  return vocabulary_->adds_bos();
}

bool Tokenizer::ends_generation(TokenId id) const {
  if (!vocabulary_->has(id)) return false;
  if (vocabulary_->eos() == id) return true;
  // What the chat models in use write where their turn ends.
  constexpr std::array<std::string_view, 5> ends = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>",
                                                    "</s>", "<|end|>"};
  return vocabulary_->kind(id) == TokenKind::control &&
         std::ranges::find(ends, vocabulary_->text(id)) != ends.end();
}

}  // namespace thermocline
