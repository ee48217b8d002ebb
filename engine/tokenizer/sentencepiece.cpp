// Spells spaces, cuts the text into characters, joins them by score and spells what is no token by
// its bytes.
#include "tokenizer/sentencepiece.h"

#include "platform/utf8.h"
#include "tokenizer/symbol_merger.h"

#include <algorithm>
#include <string>

namespace thermocline::tokenizer {
namespace {

std::string spell_spaces(std::string_view text, bool space_in_front) {
  const auto spaces = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
  std::string spelled;
  spelled.reserve(text.size() + (spaces + 1) * spelled_space.size());
  if (space_in_front) spelled += spelled_space;
  while (true) {
    const std::size_t space = text.find(' ');
    spelled += text.substr(0, space);
    if (space == text.npos) return spelled;
    spelled += spelled_space;
    text.remove_prefix(space + 1);
  }
}

// Bytes that the first byte of a character announces, as llama.cpp reads them.
std::size_t announced_length(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  if (lead >= 0xC0) return 2;
  return 1;
}

// Length of the character at the start of `text`. A byte that begins no valid character takes the
// bytes with it that it announced, as in llama.cpp: after a cut character that may be part of a
// spelled space, which then decodes to U+2581's bytes.
std::size_t unit_length(std::string_view text) {
  const platform::Utf8Step step = platform::utf8_step(text);
  if (step.valid) return step.length;
  return std::min(announced_length(static_cast<unsigned char>(text.front())), text.size());
}

// Ids of what couldn't be joined to a token: bytes, or the unknown token if these have none.
void append_fallback(const Vocabulary& vocabulary, std::string_view text,
                     std::vector<TokenId>& ids) {
  if (text == spelled_space) text = " ";
  const std::size_t before = ids.size();
  for (const char value : text) {
    const TokenId id = vocabulary.byte_token(static_cast<unsigned char>(value));
    if (id == no_token) {
      ids.resize(before);
      if (const auto unknown = vocabulary.unknown()) ids.push_back(*unknown);
      return;
    }
    ids.push_back(id);
  }
}

// Takes the characters from the front of `text` that may be joined to one another, and returns
// them.
std::string_view take_run(const Vocabulary& vocabulary, std::string_view& text,
                          SymbolMerger& merger) {
  merger.clear();
  std::size_t used = 0;
  std::string_view left;
  while (used < text.size() && used < SymbolMerger::longest_text) {
    const std::string_view rest = text.substr(used);
    const std::string_view right = rest.substr(0, unit_length(rest));
    if (!left.empty() && !vocabulary.may_touch(left, right)) break;
    merger.append(static_cast<std::uint32_t>(right.size()), no_token);
    used += right.size();
    left = right;
  }
  const std::string_view run = text.substr(0, used);
  text.remove_prefix(used);
  return run;
}

}  // namespace

void encode_sentencepiece(const Vocabulary& vocabulary, std::string_view text, bool space_in_front,
                          std::vector<TokenId>& ids) {
  if (text.empty()) return;
  const std::string spelled = spell_spaces(text, space_in_front);
  std::string_view rest = spelled;
  SymbolMerger merger;
  while (!rest.empty()) {
    const std::string_view run = take_run(vocabulary, rest, merger);
    merger.merge([&vocabulary, run](const Symbol& left, const Symbol& right) {
      return vocabulary.find_ordinary(
          run.substr(left.begin, std::size_t{left.length} + right.length));
    });
    merger.for_each([&](const Symbol& symbol) {
      const std::string_view piece = run.substr(symbol.begin, symbol.length);
      if (symbol.id != no_token) {
        ids.push_back(symbol.id);
      } else if (const auto token = vocabulary.find_ordinary(piece)) {
        ids.push_back(token->id);
      } else {
        append_fallback(vocabulary, piece, ids);
      }
    });
  }
}

}  // namespace thermocline::tokenizer
