// Reads a vocabulary from the key-value pairs of a GGUF file: types and presence of keys. What they
// say is checked by VocabularyBuilder.
#include "tokenizer/vocabulary.h"
#include "tokenizer/vocabulary_keys.h"

namespace thermocline::tokenizer {
namespace {

Error about_key(const gguf::Container& file, ErrorCode code, std::string_view key,
                std::string message, std::string wanted, std::string found) {
  const bool is_newer = code == ErrorCode::unsupported;
  Error error = file.error(code, std::move(message),
                           is_newer ? "use a model with another vocabulary"
                                    : "download the file again or convert the model anew");
  error.tensor = key;
  error.wanted = std::move(wanted);
  error.found = std::move(found);
  if (const gguf::KeyValue* pair = file.find(key)) error.offset = pair->offset;
  return error;
}

Error missing(const gguf::Container& file, std::string_view key) {
  return about_key(file, ErrorCode::corrupt_file, key,
                   "the file has no vocabulary key of this name", std::string(key), "nothing");
}

Expected<VocabularyModel> read_model(const gguf::Container& file) {
  THERMOCLINE_ASSIGN(const auto name, file.string_value(keys::model));
  if (!name) return missing(file, keys::model);
  if (*name == "llama") return VocabularyModel::sentencepiece;
  if (*name == "gpt2") return VocabularyModel::byte_level;
  return about_key(file, ErrorCode::unsupported, keys::model,
                   "vocabularies of this model aren't supported", "llama or gpt2",
                   std::string(*name));
}

Expected<PreTokenizer> read_pre_tokenizer(const gguf::Container& file) {
  THERMOCLINE_ASSIGN(const auto name, file.string_value(keys::pre));
  if (!name) {
    THERMOCLINE_ASSIGN(const auto architecture, file.string_value(keys::architecture));
    return architecture == "falcon" ? PreTokenizer::falcon : PreTokenizer::gpt2;
  }
  if (*name == "falcon") return PreTokenizer::falcon;
  if (*name == "default" || *name == "gpt-2" || *name == "gpt2") return PreTokenizer::gpt2;
  return about_key(file, ErrorCode::unsupported, keys::pre, "this pre-tokeniser isn't supported",
                   "gpt-2, falcon or default", std::string(*name));
}

Expected<std::vector<std::string_view>> read_strings(const gguf::Container& file,
                                                     std::string_view key) {
  THERMOCLINE_ASSIGN(const gguf::ArrayView* array, file.array_value(key, gguf::ValueType::string));
  if (array == nullptr) return missing(file, key);
  return array->strings();
}

// One entry for each token; an empty list must not pass for an absent one.
Expected<void> check_length(const gguf::Container& file, std::string_view key, std::uint64_t length,
                            std::size_t token_count) {
  if (length == token_count) return {};
  return about_key(file, ErrorCode::corrupt_file, key,
                   "the list isn't as long as that of the tokens",
                   std::to_string(token_count) + " entries", std::to_string(length) + " entries");
}

Expected<std::vector<float>> read_scores(const gguf::Container& file, std::size_t token_count,
                                         bool needed) {
  THERMOCLINE_ASSIGN(const gguf::ArrayView* array,
                     file.array_value(keys::scores, gguf::ValueType::f32));
  std::vector<float> scores;
  if (array == nullptr) {
    if (needed) return missing(file, keys::scores);
    return scores;
  }
  THERMOCLINE_CHECK(check_length(file, keys::scores, array->size(), token_count));
  scores.reserve(array->size());
  for (std::uint64_t index = 0; index < array->size(); ++index) {
    scores.push_back(static_cast<float>(array->real(index)));
  }
  return scores;
}

Expected<std::vector<std::int64_t>> read_kinds(const gguf::Container& file,
                                               std::size_t token_count) {
  std::vector<std::int64_t> kinds;
  const gguf::KeyValue* pair = file.find(keys::kinds);
  if (pair == nullptr) return kinds;
  const auto* array = std::get_if<gguf::ArrayView>(&pair->value);
  if (array == nullptr || !array->is_integer() ||
      array->element_type() == gguf::ValueType::boolean) {
    return about_key(file, ErrorCode::corrupt_file, keys::kinds,
                     "the token types aren't a list of integers", "an array of integers",
                     std::string(name_of(array != nullptr ? array->element_type() : pair->type)));
  }
  THERMOCLINE_CHECK(check_length(file, keys::kinds, array->size(), token_count));
  kinds.reserve(array->size());
  for (std::uint64_t index = 0; index < array->size(); ++index) {
    kinds.push_back(array->integer(index));
  }
  return kinds;
}

}  // namespace

Expected<std::shared_ptr<const Vocabulary>> read_vocabulary(
    const std::shared_ptr<const gguf::Container>& container) {
  const gguf::Container& file = *container;
  VocabularyData data;
  THERMOCLINE_ASSIGN(data.model, read_model(file));
  const bool is_sentencepiece = data.model == VocabularyModel::sentencepiece;
  THERMOCLINE_ASSIGN(data.tokens, read_strings(file, keys::tokens));
  if (data.tokens.size() > most_tokens) {
    // Before the other lists are copied.
    return about_key(file, ErrorCode::corrupt_file, keys::tokens,
                     "the vocabulary has too many tokens", "at most " + std::to_string(most_tokens),
                     std::to_string(data.tokens.size()));
  }
  THERMOCLINE_ASSIGN(data.scores, read_scores(file, data.tokens.size(), is_sentencepiece));
  THERMOCLINE_ASSIGN(data.kinds, read_kinds(file, data.tokens.size()));
  if (!is_sentencepiece) {
    THERMOCLINE_ASSIGN(data.pre_tokenizer, read_pre_tokenizer(file));
    THERMOCLINE_ASSIGN(data.merges, read_strings(file, keys::merges));
  }
  THERMOCLINE_ASSIGN(data.bos, file.unsigned_value(keys::bos));
  THERMOCLINE_ASSIGN(data.eos, file.unsigned_value(keys::eos));
  THERMOCLINE_ASSIGN(data.unknown, file.unsigned_value(keys::unknown));
  THERMOCLINE_ASSIGN(data.padding, file.unsigned_value(keys::padding));
  THERMOCLINE_ASSIGN(data.separator, file.unsigned_value(keys::separator));
  THERMOCLINE_ASSIGN(data.add_bos, file.bool_value(keys::add_bos));
  THERMOCLINE_ASSIGN(data.add_eos, file.bool_value(keys::add_eos));
  THERMOCLINE_ASSIGN(data.add_space_prefix, file.bool_value(keys::add_space_prefix));
  return Vocabulary::make(data, file.file_name());
}

}  // namespace thermocline::tokenizer
