// Cuts text into the pieces inside which byte-level BPE merges: words with the space before them,
// numbers, runs of signs, white space.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace thermocline::tokenizer {

enum class PreTokenizer {
  gpt2,    // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  falcon,  // [\p{P}$+<=>^~|`]+ is cut out, the rest cut as by gpt2, then [0-9][0-9][0-9] cut out
};

// Where the pieces of `text` end, ascending; the last end is text.size(). Time is linear. Replaces
// what `ends` held, so that its memory can be used again.
void cut_into_pieces(PreTokenizer kind, std::string_view text, std::vector<std::size_t>& ends);

}  // namespace thermocline::tokenizer
