// Tokens to bytes, for both kinds of vocabulary.
#include "tokenizer/token_bytes.h"

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/byte_token.h"
#include "tokenizer/sentencepiece.h"

namespace thermocline::tokenizer {
namespace {

bool is_special(TokenKind kind) {
  return kind == TokenKind::control || kind == TokenKind::unknown;
}

std::string with_spaces(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (true) {
    const std::size_t space = text.find(spelled_space);
    result += text.substr(0, space);
    if (space == text.npos) return result;
    result += ' ';
    text.remove_prefix(space + spelled_space.size());
  }
}

}  // namespace

std::string token_bytes(const Vocabulary& vocabulary, TokenId id, bool show_special) {
  if (!vocabulary.has(id)) return {};
  const std::string_view text = vocabulary.text(id);
  const TokenKind kind = vocabulary.kind(id);
  if (is_special(kind)) return show_special ? std::string(text) : std::string();
  if (kind == TokenKind::byte) {
    // Vocabulary::make() refuses byte tokens that name no byte.
    return std::string(1, static_cast<char>(byte_of_token(text).value_or(0)));
  }
  if (vocabulary.model() == VocabularyModel::sentencepiece) return with_spaces(text);
  // User-defined tokens stand in the file as they stand in text.
  if (kind == TokenKind::user_defined) return std::string(text);
  return spelled_bytes(text);
}

void append_decoded(const Vocabulary& vocabulary, TokenId id, bool show_special, bool& drop_space,
                    std::string& out) {
  const std::string token = token_bytes(vocabulary, id, show_special);
  std::string_view bytes = token;
  if (drop_space && !bytes.empty() && !is_special(vocabulary.kind(id))) {
    if (bytes.starts_with(' ')) bytes.remove_prefix(1);
    drop_space = false;
  }
  out += bytes;
}

}  // namespace thermocline::tokenizer
