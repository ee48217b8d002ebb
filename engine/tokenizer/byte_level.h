// Byte-level BPE: text to the ids of a vocabulary with merge rules.
#pragma once

#include "tokenizer/vocabulary.h"

#include <string_view>
#include <vector>

namespace thermocline::tokenizer {

// Appends the ids of `text`. Special tokens in it are ordinary text. O(n log n).
void encode_byte_level(const Vocabulary& vocabulary, std::string_view text,
                       std::vector<TokenId>& ids);

}  // namespace thermocline::tokenizer
