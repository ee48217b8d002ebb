// Every rule that a vocabulary must keep. Texts are copied before they are looked at, so that a
// file changed meanwhile can't undo a check.
#include "tokenizer/vocabulary_builder.h"

#include "platform/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/byte_token.h"
#include "tokenizer/vocabulary_keys.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thermocline::tokenizer {
namespace {

std::string entry_of(std::string_view what, std::size_t index) {
  return std::string(what) + " " + std::to_string(index);
}

// The beginning of a text from the file, for a message.
std::string shown(std::string_view text) {
  constexpr std::size_t most_bytes = 60;
  std::string result = "\"";
  result += text.substr(0, most_bytes);
  if (text.size() > most_bytes) result += "...";
  return result + "\"";
}

std::string entries(std::size_t count) {
  return std::to_string(count) + " entries";
}

}  // namespace

VocabularyBuilder::VocabularyBuilder(const VocabularyData& data, std::string file)
    : data_(data), file_(std::move(file)) {}

Expected<std::shared_ptr<const Vocabulary>> VocabularyBuilder::build() {
  // The constructor is private to make() and this class, which make_shared can't use.
  made_ = std::shared_ptr<Vocabulary>(std::make_unique<Vocabulary>(Vocabulary()));
  made_->model_ = data_.model;
  made_->pre_tokenizer_ = data_.pre_tokenizer;
  THERMOCLINE_CHECK(add_tokens());
  THERMOCLINE_CHECK(add_scores());
  THERMOCLINE_CHECK(add_special_ids());
  if (data_.model == VocabularyModel::byte_level) THERMOCLINE_CHECK(add_merges());
  THERMOCLINE_CHECK(add_kinds());
  drop_special_unknown();
  THERMOCLINE_CHECK(add_byte_tokens());
  add_text_indexes();
  const bool is_sentencepiece = data_.model == VocabularyModel::sentencepiece;
  made_->add_bos_ = data_.add_bos.value_or(is_sentencepiece);
  made_->add_eos_ = data_.add_eos.value_or(false);
  made_->add_space_prefix_ = is_sentencepiece && data_.add_space_prefix.value_or(true);
  return std::shared_ptr<const Vocabulary>(std::move(made_));
}

Expected<void> VocabularyBuilder::add_tokens() {
  const std::size_t count = data_.tokens.size();
  if (count == 0) return refuse(keys::tokens, "the vocabulary has no tokens");
  if (count > most_tokens) {
    return refuse(keys::tokens, "the vocabulary has too many tokens",
                  "at most " + std::to_string(most_tokens), std::to_string(count));
  }
  std::size_t total = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const std::size_t length = data_.tokens[index].size();
    if (length > longest_token) {
      return refuse(keys::tokens, entry_of("token", index) + " is too long",
                    "at most " + std::to_string(longest_token) + " bytes",
                    std::to_string(length) + " bytes");
    }
    total += length;
  }
  if (total > most_token_bytes) {
    return refuse(keys::tokens, "the tokens are too long taken together",
                  "at most " + std::to_string(most_token_bytes) + " bytes",
                  std::to_string(total) + " bytes");
  }

  Vocabulary& made = *made_;
  made.texts_.reserve(total);
  made.begins_.reserve(count + 1);
  for (const std::string_view token : data_.tokens) {
    made.begins_.push_back(static_cast<std::uint32_t>(made.texts_.size()));
    made.texts_ += token;
    made.longest_text_ = std::max(made.longest_text_, token.size());
  }
  made.begins_.push_back(static_cast<std::uint32_t>(made.texts_.size()));
  made.kinds_.assign(count, TokenKind::normal);
  made.ids_.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    const auto id = static_cast<TokenId>(index);
    if (!platform::is_valid_utf8(made.text(id))) {
      return refuse(keys::tokens, entry_of("token", index) + " isn't valid UTF-8", {},
                    shown(made.text(id)));
    }
    // Of tokens with the same text the first counts; some published vocabularies have such.
    made.ids_.emplace(made.text(id), id);
  }
  return {};
}

Expected<void> VocabularyBuilder::add_scores() {
  const std::vector<float>& scores = data_.scores;
  const bool needed = data_.model == VocabularyModel::sentencepiece;
  if (!needed && scores.empty()) return {};
  if (scores.size() != made_->size()) {
    return refuse(keys::scores, "there isn't one score for each token", entries(made_->size()),
                  entries(scores.size()));
  }
  for (std::size_t index = 0; index < scores.size(); ++index) {
    if (!std::isfinite(scores[index])) {
      return refuse(keys::scores, entry_of("score", index) + " isn't a finite number",
                    "a finite number", std::to_string(scores[index]));
    }
  }
  if (!needed) return {};
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&scores](std::uint32_t left, std::uint32_t right) {
    return scores[left] > scores[right];
  });
  made_->ranks_.resize(scores.size());
  std::uint32_t rank = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (place > 0 && scores[order[place]] < scores[order[place - 1]]) ++rank;
    made_->ranks_[order[place]] = rank;
  }
  return {};
}

Expected<void> VocabularyBuilder::add_kinds() {
  if (data_.kinds.empty()) {
    guess_kinds();
    return {};
  }
  if (data_.kinds.size() != made_->size()) {
    return refuse(keys::kinds, "there isn't one type for each token", entries(made_->size()),
                  entries(data_.kinds.size()));
  }
  for (std::size_t index = 0; index < data_.kinds.size(); ++index) {
    const std::int64_t kind = data_.kinds[index];
    if (kind < static_cast<std::int64_t>(TokenKind::normal) ||
        kind > static_cast<std::int64_t>(TokenKind::byte)) {
      return refuse(keys::kinds, entry_of("token type", index) + " is unknown", "1 to 6",
                    std::to_string(kind));
    }
    made_->kinds_[index] = static_cast<TokenKind>(kind);
  }
  return {};
}

// For files without token types: what no merging can make must be special.
void VocabularyBuilder::guess_kinds() {
  const bool is_sentencepiece = data_.model == VocabularyModel::sentencepiece;
  std::vector<bool> is_product(made_->size(), false);
  for (const auto& [pair, joint] : made_->merges_)
    is_product[joint.id] = true;
  std::vector<TokenKind> kinds(made_->size(), TokenKind::normal);
  for (std::size_t index = 0; index < kinds.size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    const std::string_view text = made_->text(id);
    if (made_->unknown_ == id && made_->bos_ != id && made_->eos_ != id) {
      kinds[index] = TokenKind::unknown;
    } else if (is_sentencepiece && byte_of_token(text)) {
      // A second token for the same byte is left as the text that it is.
      if (made_->find(text) == id) kinds[index] = TokenKind::byte;
    } else if (platform::utf8_step(text).length < text.size()) {
      const bool can_merge = is_sentencepiece ? can_be_merged(id) : is_product[index];
      if (!can_merge) kinds[index] = TokenKind::control;
    }
  }
  made_->kinds_ = std::move(kinds);
}

// Whether a token's text is that of two other tokens. Only asked for tokens of the length that
// special ones have, which also keeps the work on a file of very long tokens within bounds.
bool VocabularyBuilder::can_be_merged(TokenId id) const {
  constexpr std::size_t longest_special = 256;
  const std::string_view text = made_->text(id);
  if (text.size() > longest_special) return true;
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    if (made_->find(text.substr(0, cut)) && made_->find(text.substr(cut))) return true;
  }
  return false;
}

// GPT-2's files name <|endoftext|> as the unknown token: ordinary text must not end a text.
void VocabularyBuilder::drop_special_unknown() {
  if (!made_->unknown_) return;
  const TokenKind kind = made_->kind(*made_->unknown_);
  if (kind != TokenKind::unknown && !is_ordinary(kind)) made_->unknown_.reset();
}

Expected<void> VocabularyBuilder::add_byte_tokens() {
  made_->byte_tokens_.fill(no_token);
  for (std::size_t index = 0; index < made_->size(); ++index) {
    if (made_->kinds_[index] != TokenKind::byte) continue;
    const auto id = static_cast<TokenId>(index);
    const std::string_view text = made_->text(id);
    const auto byte = byte_of_token(text);
    if (!byte) {
      return refuse(keys::tokens, entry_of("token", index) + " is a byte token that names no byte",
                    "<0x00> to <0xFF>", shown(text));
    }
    TokenId& entry = made_->byte_tokens_[*byte];
    if (entry != no_token) {
      return refuse(keys::tokens,
                    entry_of("token", index) + " is a second byte token for the same byte",
                    "one token a byte", shown(text));
    }
    entry = id;
  }
  if (data_.model != VocabularyModel::byte_level) return {};
  for (unsigned byte = 0; byte < made_->byte_tokens_.size(); ++byte) {
    // A single byte has no other token, so that a user-defined one serves too.
    const auto id = made_->find(spelling_of_byte(static_cast<unsigned char>(byte)));
    const bool serves =
        id && (is_ordinary(made_->kind(*id)) || made_->kind(*id) == TokenKind::user_defined);
    made_->byte_tokens_[byte] = serves ? *id : no_token;
  }
  return {};
}

Expected<void> VocabularyBuilder::add_merges() {
  made_->merges_.reserve(data_.merges.size());
  for (std::size_t entry = 0; entry < data_.merges.size(); ++entry) {
    // As with tokens: copied first, so that all checks see the same text.
    THERMOCLINE_CHECK(add_merge(entry, std::string(data_.merges[entry])));
  }
  return {};
}

Expected<void> VocabularyBuilder::add_merge(std::size_t entry, std::string_view rule) {
  const std::size_t space = rule.find(' ');
  if (space == rule.npos || rule.find(' ', space + 1) != rule.npos) {
    return refuse(keys::merges, entry_of("merge", entry) + " isn't two tokens with a space between",
                  "\"left right\"", shown(rule));
  }
  const std::string_view left = rule.substr(0, space);
  const std::string_view right = rule.substr(space + 1);
  if (left.empty() || right.empty()) {
    return refuse(keys::merges,
                  entry_of("merge", entry) + " has an empty part, so that it gives its other part",
                  "\"left right\"", shown(rule));
  }
  const auto left_id = made_->find(left);
  const auto right_id = made_->find(right);
  if (!left_id || !right_id) {
    return refuse(keys::merges, entry_of("merge", entry) + " names a token that isn't there", {},
                  shown(left_id ? right : left));
  }
  std::string joined(left);
  joined += right;
  const auto product = made_->find(joined);
  if (!product) {
    return refuse(keys::merges, entry_of("merge", entry) + " gives a token that isn't there", {},
                  shown(joined));
  }
  const Joint joint = {static_cast<std::uint32_t>(entry), *product};
  if (!made_->merges_.emplace(merge_key(*left_id, *right_id), joint).second) {
    return refuse(keys::merges, entry_of("merge", entry) + " stands in the list twice", {},
                  shown(rule));
  }
  return {};
}

Expected<void> VocabularyBuilder::add_special_ids() {
  const auto absent = [this](TokenId id) {
    return made_->has(id) ? std::optional<TokenId>(id) : std::nullopt;
  };
  // What files without these keys mean: the ids of LLaMA's and of Falcon's vocabularies.
  const bool is_sentencepiece = data_.model == VocabularyModel::sentencepiece;
  const auto default_bos = absent(is_sentencepiece ? 1 : 11);
  const auto default_eos = absent(is_sentencepiece ? 2 : 11);
  const auto default_unknown = is_sentencepiece ? absent(0) : std::nullopt;
  THERMOCLINE_ASSIGN(made_->bos_, special_id(keys::bos, data_.bos, default_bos));
  THERMOCLINE_ASSIGN(made_->eos_, special_id(keys::eos, data_.eos, default_eos));
  THERMOCLINE_ASSIGN(made_->unknown_, special_id(keys::unknown, data_.unknown, default_unknown));
  THERMOCLINE_CHECK(special_id(keys::padding, data_.padding, std::nullopt));
  THERMOCLINE_CHECK(special_id(keys::separator, data_.separator, std::nullopt));
  return {};
}

Expected<std::optional<TokenId>> VocabularyBuilder::special_id(
    std::string_view key, std::optional<std::uint64_t> id, std::optional<TokenId> otherwise) const {
  if (!id) return otherwise;
  if (*id >= made_->size()) {
    return refuse(key, "the special token's id is outside the vocabulary",
                  "less than " + std::to_string(made_->size()), std::to_string(*id));
  }
  return std::optional<TokenId>(static_cast<TokenId>(*id));
}

void VocabularyBuilder::add_text_indexes() {
  for (std::size_t index = 0; index < made_->size(); ++index) {
    const auto id = static_cast<TokenId>(index);
    const TokenKind kind = made_->kind(id);
    if (kind == TokenKind::control || kind == TokenKind::user_defined) {
      made_->specials_.add(made_->text(id), id);
    } else if (data_.model == VocabularyModel::sentencepiece && is_ordinary(kind)) {
      made_->neighbours_.add(made_->text(id));
    }
  }
  made_->specials_.finish();
}

Error VocabularyBuilder::refuse(std::string_view key, std::string message, std::string wanted,
                                std::string found) const {
  Error error;
  error.code = ErrorCode::corrupt_file;
  error.message = std::move(message);
  error.remedy = "download the file again or convert the model anew";
  error.file = file_;
  error.tensor = key;
  error.wanted = std::move(wanted);
  error.found = std::move(found);
  return error;
}

Expected<std::shared_ptr<const Vocabulary>> Vocabulary::make(const VocabularyData& data,
                                                             std::string file) {
  return VocabularyBuilder(data, std::move(file)).build();
}

}  // namespace thermocline::tokenizer
