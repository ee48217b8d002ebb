// Checks what a vocabulary is made of and builds its indexes. One thread, one vocabulary.
#pragma once

#include "tokenizer/vocabulary.h"

#include <memory>
#include <string>
#include <string_view>

namespace thermocline::tokenizer {

class VocabularyBuilder {
 public:
  VocabularyBuilder(const VocabularyData& data, std::string file);

  Expected<std::shared_ptr<const Vocabulary>> build();

 private:
  Expected<void> add_tokens();
  Expected<void> add_scores();
  Expected<void> add_kinds();
  void guess_kinds();
  bool can_be_merged(TokenId id) const;
  void drop_special_unknown();
  Expected<void> add_byte_tokens();
  Expected<void> add_merges();
  Expected<void> add_merge(std::size_t entry, std::string_view rule);
  Expected<void> add_special_ids();
  Expected<std::optional<TokenId>> special_id(std::string_view key, std::optional<std::uint64_t> id,
                                              std::optional<TokenId> otherwise) const;
  void add_text_indexes();

  Error refuse(std::string_view key, std::string message, std::string wanted = {},
               std::string found = {}) const;

  const VocabularyData& data_;
  std::string file_;
  std::shared_ptr<Vocabulary> made_;
};

}  // namespace thermocline::tokenizer
