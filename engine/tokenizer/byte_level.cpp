// Cuts the text into pieces and merges each piece's bytes by rank.
#include "tokenizer/byte_level.h"

#include "platform/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/lenient_text.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/symbol_merger.h"

#include <algorithm>
#include <string>

namespace thermocline::tokenizer {
namespace {

// The token that the whole piece is, if any: it needs no merging. `spelling` is scratch space.
std::optional<TokenId> whole_token(const Vocabulary& vocabulary, std::string_view piece,
                                   std::string& spelling) {
  // A token has at least one character for each byte it spells.
  if (piece.size() > vocabulary.longest_text()) return std::nullopt;
  spelling.clear();
  for (const char value : piece)
    spelling += spelling_of_byte(static_cast<unsigned char>(value));
  const auto token = vocabulary.find_ordinary(spelling);
  if (!token) return std::nullopt;
  return token->id;
}

void encode_piece(const Vocabulary& vocabulary, std::string_view piece, SymbolMerger& merger,
                  std::vector<TokenId>& ids) {
  // Falcon's vocabulary lacks some control characters and the bytes that no assigned character
  // has. They become the unknown token or, where there is none, nothing, as the tokenizers that
  // such models were trained with have it; what stands on either side isn't joined across them.
  const TokenId absent = vocabulary.unknown().value_or(no_token);
  merger.clear();
  for (const char value : piece) {
    const TokenId id = vocabulary.byte_token(static_cast<unsigned char>(value));
    merger.append(1, id != no_token ? id : absent);
  }
  merger.merge([&vocabulary](const Symbol& left, const Symbol& right) {
    return vocabulary.find_merge(left.id, right.id);
  });
  merger.for_each([&ids](const Symbol& symbol) {
    if (symbol.id != no_token) ids.push_back(symbol.id);
  });
}

}  // namespace

void encode_byte_level(const Vocabulary& vocabulary, std::string_view text,
                       std::vector<TokenId>& ids) {
  std::string repaired;
  if (!platform::is_valid_utf8(text)) {
    repaired = lenient_text(text);
    text = repaired;
  }
  std::vector<std::size_t> ends;
  cut_into_pieces(vocabulary.pre_tokenizer(), text, ends);
  SymbolMerger merger;
  std::string spelling;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (const auto id = whole_token(vocabulary, text.substr(begin, end - begin), spelling)) {
      ids.push_back(*id);
      begin = end;
      continue;
    }
    while (begin < end) {
      const std::size_t length = std::min(end - begin, SymbolMerger::longest_text);
      encode_piece(vocabulary, text.substr(begin, length), merger, ids);
      begin += length;
    }
  }
}

}  // namespace thermocline::tokenizer
