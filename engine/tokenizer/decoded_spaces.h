// The clean-up of spaces that byte-level tokenizers do by default when they decode.
#pragma once

#include <string>

namespace thermocline::tokenizer {

// `text` without a space before ? ! . , and before 's 'm 're 've, and without the spaces around an
// apostrophe that stands alone: what llama.cpp's detokeniser (February 2025) and the
// clean_up_tokenization_spaces of the original tokenizers give. It doesn't bring every text back as
// it was ("a , b" becomes "a, b").
std::string clean_decoded_spaces(const std::string& text);

}  // namespace thermocline::tokenizer
