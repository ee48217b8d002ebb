// What tokens stand for, and the space in front that decoding drops again.
#pragma once

#include "tokenizer/vocabulary.h"

#include <string>

namespace thermocline::tokenizer {

// The bytes of one token; empty for ids out of range. Control and unknown tokens give their text if
// `show_special`, else nothing.
std::string token_bytes(const Vocabulary& vocabulary, TokenId id, bool show_special);

// Appends the bytes of `id` to a text being decoded. `drop_space`: whether the space that encoding
// puts in front is still to come; false after the first token that is part of the text.
void append_decoded(const Vocabulary& vocabulary, TokenId id, bool show_special, bool& drop_space,
                    std::string& out);

}  // namespace thermocline::tokenizer
