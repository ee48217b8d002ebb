// Text to token ids and back. Two kinds, as PowerInfer's files need: SentencePiece-BPE (llama) and
// byte-level BPE with GPT-2's or Falcon's pre-tokeniser (gpt2).
#pragma once

#include <thermocline/expected.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline {

using TokenId = std::int32_t;

enum class TokenKind : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6,
};

namespace tokenizer {
class Vocabulary;  // engine/tokenizer
}

// An immutable tokenizer; a cheap handle that may be copied and used from any thread.
class Tokenizer {
 public:
  // Reads the vocabulary of a model file or of a vocabulary-only GGUF file. Errors name file, key
  // and entry.
  static Expected<Tokenizer> open(const std::filesystem::path& path);

  explicit Tokenizer(std::shared_ptr<const tokenizer::Vocabulary> vocabulary);

  // Ids of `text`, which may hold any bytes. Nothing is added and special tokens in the text stay
  // ordinary text. Time grows as n log n at worst. Throws nothing but std::bad_alloc.
  // Valid UTF-8 comes back when decoded. What isn't UTF-8 is treated as by llama.cpp, so that ids
  // agree: SentencePiece gives byte tokens; byte-level vocabularies see U+FFFD for a broken byte,
  // the meant character for an overlong form, and the raw bytes of surrogates and of what lies
  // above U+10FFFF.
  std::vector<TokenId> encode(std::string_view text) const;

  // As encode(), but with BOS in front if the vocabulary says so, and special tokens (control and
  // user-defined) in the text parsed, longest first. Never use it for what a user typed.
  std::vector<TokenId> encode_special(std::string_view text) const;

  // As encode_special() without adding BOS or EOS; for pieces of a prompt template.
  // `at_start`: whether the piece opens the prompt (SentencePiece then puts a space in front).
  std::vector<TokenId> encode_piece(std::string_view text, bool parse_special, bool at_start) const;

  // The bytes of one token, without the treatment of a leading space; empty for ids out of range.
  // Control tokens give their text (e.g. "<s>") if `show_special`, else nothing.
  std::string token_bytes(TokenId id, bool show_special = true) const;

  // The text as stored in the vocabulary (for display).
  std::string token_text(TokenId id) const;

  // The bytes of `ids`; the space that encoding put in front is dropped again. Ids out of range
  // give nothing.
  std::string decode(std::span<const TokenId> ids, bool show_special = true) const;

  // As decode(); byte-level vocabularies then lose the space before ? ! . , and before 's 'm 're
  // 've, as llama.cpp's detokeniser and the original tokenizers do by default. Not for streaming or
  // code.
  std::string decode_cleaned(std::span<const TokenId> ids) const;

  std::size_t size() const;
  TokenKind kind(TokenId id) const;
  std::optional<TokenId> find(std::string_view token_text) const;  // exact vocabulary entry
  std::optional<TokenId> bos() const;
  std::optional<TokenId> eos() const;
  bool adds_bos() const;
  bool ends_generation(TokenId id) const;  // EOS, and <|im_end|>, <|eot_id|>, </s> ... if control

 private:
  friend class StreamingDecoder;
  std::shared_ptr<const tokenizer::Vocabulary> vocabulary_;
};

// Turns a stream of ids into a stream of valid UTF-8: bytes of an unfinished character are held
// back until the rest arrives. Bytes that can't be UTF-8 come out as U+FFFD. One thread at a time.
class StreamingDecoder {
 public:
  // `at_start`: the stream opens a text, so that the space which encoding adds in front is dropped.
  // `show_special`: control tokens appear as their text instead of vanishing.
  explicit StreamingDecoder(Tokenizer tokenizer, bool at_start = true, bool show_special = false);

  // The characters that became complete with `id`; often empty for byte tokens.
  std::string push(TokenId id);
  // Whether the last ids left an unfinished character.
  bool holds_back() const { return !pending_.empty(); }
  // What is still held back, as U+FFFD if it never became a character. Resets the decoder.
  std::string finish();

 private:
  Tokenizer tokenizer_;
  bool at_start_;
  bool at_first_;
  bool show_special_;
  std::string pending_;
};

}  // namespace thermocline
