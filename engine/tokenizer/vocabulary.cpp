// Look-ups in a finished vocabulary.
#include "tokenizer/vocabulary.h"

namespace thermocline::tokenizer {

std::optional<TokenId> Vocabulary::find(std::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::optional<Joint> Vocabulary::find_ordinary(std::string_view text) const {
  // Most neighbours of a long symbol are longer than any token: don't hash them.
  if (text.size() > longest_text_) return std::nullopt;
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  const TokenId id = found->second;
  if (!is_ordinary(kinds_[id])) return std::nullopt;
  return Joint{ranks_.empty() ? 0 : ranks_[id], id};
}

std::optional<Joint> Vocabulary::find_merge(TokenId left, TokenId right) const {
  const auto found = merges_.find(merge_key(left, right));
  if (found == merges_.end() || !is_ordinary(kinds_[found->second.id])) return std::nullopt;
  return found->second;
}

}  // namespace thermocline::tokenizer
