// The keys under which a GGUF file holds its vocabulary.
#pragma once

#include <string_view>

namespace thermocline::tokenizer::keys {

inline constexpr std::string_view architecture = "general.architecture";
inline constexpr std::string_view model = "tokenizer.ggml.model";
inline constexpr std::string_view pre = "tokenizer.ggml.pre";
inline constexpr std::string_view tokens = "tokenizer.ggml.tokens";
inline constexpr std::string_view scores = "tokenizer.ggml.scores";
inline constexpr std::string_view kinds = "tokenizer.ggml.token_type";
inline constexpr std::string_view merges = "tokenizer.ggml.merges";
inline constexpr std::string_view bos = "tokenizer.ggml.bos_token_id";
inline constexpr std::string_view eos = "tokenizer.ggml.eos_token_id";
inline constexpr std::string_view unknown = "tokenizer.ggml.unknown_token_id";
inline constexpr std::string_view padding = "tokenizer.ggml.padding_token_id";
inline constexpr std::string_view separator = "tokenizer.ggml.seperator_token_id";  // spelled so
inline constexpr std::string_view add_bos = "tokenizer.ggml.add_bos_token";
inline constexpr std::string_view add_eos = "tokenizer.ggml.add_eos_token";
inline constexpr std::string_view add_space_prefix = "tokenizer.ggml.add_space_prefix";

}  // namespace thermocline::tokenizer::keys
