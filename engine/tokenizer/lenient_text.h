// How byte-level vocabularies see text that isn't UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace thermocline::tokenizer {

// `text` as llama.cpp's byte-level tokenizer reads it (unicode.cpp, February 2025), so that ids
// agree: characters are taken by their first byte's announced length; a byte that begins none, or
// whose continuation bytes are missing, becomes U+FFFD; overlong forms become the character they
// mean. What llama.cpp can't represent and aborts on (above U+10FFFF) stays as its raw bytes, and
// so do encoded surrogates. Valid UTF-8 comes back unchanged.
std::string lenient_text(std::string_view text);

}  // namespace thermocline::tokenizer
