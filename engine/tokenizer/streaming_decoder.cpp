// Ids to valid UTF-8, one at a time.
#include "platform/utf8.h"
#include "tokenizer/token_bytes.h"
#include "tokenizer/utf8_release.h"

#include <thermocline/tokenizer.h>

namespace thermocline {

StreamingDecoder::StreamingDecoder(Tokenizer tokenizer, bool at_start, bool show_special)
    : tokenizer_(std::move(tokenizer)),
      at_start_(at_start),
      at_first_(at_start && tokenizer_.vocabulary_->adds_space_prefix()),
      show_special_(show_special) {}

std::string StreamingDecoder::push(TokenId id) {
  tokenizer::append_decoded(*tokenizer_.vocabulary_, id, show_special_, at_first_, pending_);
  return tokenizer::release_complete(pending_);
}

std::string StreamingDecoder::finish() {
  std::string rest;
  if (!pending_.empty()) platform::append_utf8(rest, 0xFFFD);
  pending_.clear();
  at_first_ = at_start_ && tokenizer_.vocabulary_->adds_space_prefix();
  return rest;
}

}  // namespace thermocline
