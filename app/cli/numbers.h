// Numbers and token ids as people type them. Nothing is guessed: a word is a number as a whole or
// not.
#pragma once

#include <thermocline/expected.h>
#include <thermocline/tokenizer.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace thermocline::cli {

std::optional<std::uint64_t> parse_unsigned(std::string_view text);
// Finite decimal numbers, always with a point, whatever the locale.
std::optional<double> parse_real(std::string_view text);
// Token ids separated by white space or commas. The Error names the word that isn't one, and
// `source`, where the text comes from.
Expected<std::vector<TokenId>> parse_ids(std::string_view text, std::string_view source);

}  // namespace thermocline::cli
