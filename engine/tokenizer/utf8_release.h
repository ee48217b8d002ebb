// Releases the complete characters of a byte stream and holds back an unfinished one.
#pragma once

#include <string>

namespace thermocline::tokenizer {

// Takes from the front of `pending` all that is decided and returns it as valid UTF-8. Each longest
// beginning of a character that goes wrong, and each byte that begins none, becomes one U+FFFD
// (Unicode's "maximal subparts"). What stays, at most 3 bytes, may still become a character.
std::string release_complete(std::string& pending);

}  // namespace thermocline::tokenizer
