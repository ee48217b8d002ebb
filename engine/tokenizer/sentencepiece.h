// SentencePiece-BPE: text to the ids of a vocabulary with scores and byte fallback.
#pragma once

#include "tokenizer/vocabulary.h"

#include <string_view>
#include <vector>

namespace thermocline::tokenizer {

// U+2581, as which SentencePiece vocabularies spell a space.
inline constexpr std::string_view spelled_space = "\xE2\x96\x81";

// Appends the ids of `text`, with a space put in front of it if `space_in_front` and the text isn't
// empty. Special tokens in it are ordinary text. O(n log n).
void encode_sentencepiece(const Vocabulary& vocabulary, std::string_view text, bool space_in_front,
                          std::vector<TokenId>& ids);

}  // namespace thermocline::tokenizer
