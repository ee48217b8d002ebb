// A vocabulary with its merge rules, checked when it is made. Immutable and thread-safe.
#pragma once

#include "gguf/container.h"
#include "tokenizer/keyed_hash.h"
#include "tokenizer/neighbour_filter.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/special_matcher.h"
#include "tokenizer/symbol_merger.h"

#include <thermocline/tokenizer.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thermocline::tokenizer {

enum class VocabularyModel {
  sentencepiece,  // merges by score, falls back to bytes ("llama")
  byte_level,     // merges bytes by rule ("gpt2")
};

// What a vocabulary is made of, unchecked. Texts are views that must outlive Vocabulary::make()
// only.
struct VocabularyData {
  VocabularyModel model = VocabularyModel::sentencepiece;
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;
  std::vector<std::string_view> tokens;
  std::vector<float> scores;             // one a token; byte_level may have none
  std::vector<std::int64_t> kinds;       // TokenKind, one a token; none: worked out
  std::vector<std::string_view> merges;  // "left right", best first
  // Ids that the source names; absent ones take the model's defaults where these exist.
  std::optional<std::uint64_t> bos;
  std::optional<std::uint64_t> eos;
  std::optional<std::uint64_t> unknown;
  std::optional<std::uint64_t> padding;    // checked only
  std::optional<std::uint64_t> separator;  // checked only
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
  std::optional<bool> add_space_prefix;
};

inline constexpr std::size_t most_tokens = std::size_t{1} << 20;
inline constexpr std::size_t longest_token = 65535;
// Of all tokens together; the largest vocabularies in use have about 4 MB.
inline constexpr std::size_t most_token_bytes = std::size_t{1} << 30;

// Whether ordinary text may become a token of this kind. Control and user-defined tokens must never
// come from text that a user typed, and byte tokens stand for a byte, not for their spelling.
constexpr bool is_ordinary(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::unused;
}

constexpr std::uint64_t merge_key(TokenId left, TokenId right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

class Vocabulary {
 public:
  // Checks `data` and indexes it. `file` appears in errors, whose `tensor` is the key at fault.
  static Expected<std::shared_ptr<const Vocabulary>> make(const VocabularyData& data,
                                                          std::string file);

  VocabularyModel model() const { return model_; }
  PreTokenizer pre_tokenizer() const { return pre_tokenizer_; }
  std::size_t size() const { return kinds_.size(); }
  bool has(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }

  // For ids of the vocabulary only.
  std::string_view text(TokenId id) const {
    return std::string_view(texts_).substr(begins_[id], begins_[id + 1] - begins_[id]);
  }
  TokenKind kind(TokenId id) const { return kinds_[id]; }

  std::optional<TokenId> find(std::string_view text) const;
  // The token of a byte; no_token if there is none.
  TokenId byte_token(unsigned char byte) const { return byte_tokens_[byte]; }

  // The token that ordinary text may become and, for SentencePiece, its place in the order of
  // merging.
  std::optional<Joint> find_ordinary(std::string_view text) const;
  // SentencePiece: false if no ordinary token has these two characters side by side.
  bool may_touch(std::string_view left, std::string_view right) const {
    return neighbours_.may_touch(left, right);
  }
  // Byte level: what two neighbouring tokens of ordinary text join to.
  std::optional<Joint> find_merge(TokenId left, TokenId right) const;
  // Bytes of the longest token.
  std::size_t longest_text() const { return longest_text_; }

  const SpecialMatcher& specials() const { return specials_; }
  std::optional<TokenId> bos() const { return bos_; }
  std::optional<TokenId> eos() const { return eos_; }
  // What text becomes that has no token; never a control or user-defined token.
  std::optional<TokenId> unknown() const { return unknown_; }
  bool adds_bos() const { return add_bos_; }
  bool adds_eos() const { return add_eos_; }
  bool adds_space_prefix() const { return add_space_prefix_; }

 private:
  friend class VocabularyBuilder;
  Vocabulary() = default;

  VocabularyModel model_ = VocabularyModel::sentencepiece;
  PreTokenizer pre_tokenizer_ = PreTokenizer::gpt2;
  std::string texts_;                  // of all tokens, one after the other
  std::vector<std::uint32_t> begins_;  // in texts_, and one more for the end
  std::vector<TokenKind> kinds_;
  std::vector<std::uint32_t>
      ranks_;  // sentencepiece: 0 for the highest score, equal for equal ones
  std::size_t longest_text_ = 0;
  std::unordered_map<std::string_view, TokenId, KeyedHash> ids_;  // views on texts_
  std::unordered_map<std::uint64_t, Joint, KeyedHash> merges_;    // by left id << 32 | right id
  std::array<TokenId, 256> byte_tokens_{};
  NeighbourFilter neighbours_;
  SpecialMatcher specials_;
  std::optional<TokenId> bos_;
  std::optional<TokenId> eos_;
  std::optional<TokenId> unknown_;
  bool add_bos_ = false;
  bool add_eos_ = false;
  bool add_space_prefix_ = false;
};

// Reads `tokenizer.ggml.*` of an open file. Refuses with an Error naming key and entry: missing or
// wrongly typed keys, lengths that disagree, special ids out of range, tokens that aren't UTF-8,
// non-finite scores, byte tokens other than <0x00>..<0xFF>, merges that name absent tokens,
// duplicate merges. `general.architecture` decides between GPT-2's and Falcon's pre-tokeniser when
// `tokenizer.ggml.pre` is absent. The vocabulary doesn't refer to the file any more.
Expected<std::shared_ptr<const Vocabulary>> read_vocabulary(
    const std::shared_ptr<const gguf::Container>& file);

}  // namespace thermocline::tokenizer
