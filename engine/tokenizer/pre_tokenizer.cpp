// The regular expressions of GPT-2 and Falcon as hand-written scanners: std::regex knows no Unicode
// classes and recurses on long input.
#include "tokenizer/pre_tokenizer.h"

#include "tokenizer/char_class.h"

#include <array>

namespace thermocline::tokenizer {
namespace {

// Bytes at the start of `text` whose characters satisfy `accepts`.
template <typename Accepts>
std::size_t run_length(std::string_view text, Accepts accepts) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::string_view rest = text.substr(length);
    const CharStep step = char_step(rest);
    if (!accepts(step, rest.front())) break;
    length += step.length;
  }
  return length;
}

// 's|'t|'re|'ve|'m|'ll|'d
std::size_t contraction_length(std::string_view text) {
  constexpr std::array<std::string_view, 7> contractions = {"'s", "'t",  "'re", "'ve",
                                                            "'m", "'ll", "'d"};
  for (const std::string_view contraction : contractions) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

// What GPT-2 takes letters, numbers and everything else but space for: three kinds of run.
CharClass word_class(CharClass kind) {
  return kind == CharClass::punctuation ? CharClass::other : kind;
}

// \s+(?!\S)|\s+: white space before a word leaves its last character to the word.
std::size_t space_length(std::string_view text) {
  std::size_t length = 0;
  std::size_t last = 0;
  while (length < text.size()) {
    const CharStep step = char_step(text.substr(length));
    if (step.kind != CharClass::space) break;
    last = length;
    length += step.length;
  }
  return length < text.size() && last > 0 ? last : length;
}

std::size_t gpt2_piece_length(std::string_view text) {
  if (const std::size_t length = contraction_length(text); length > 0) return length;
  const std::size_t blank = text.front() == ' ' ? 1 : 0;
  const std::string_view word = text.substr(blank);
  const CharStep first = char_step(word);
  if (first.length == 0 || first.kind == CharClass::space) return space_length(text);
  const CharClass kind = word_class(first.kind);
  return blank +
         run_length(word, [kind](CharStep step, char) { return word_class(step.kind) == kind; });
}

bool is_digit(char value) {
  return value >= '0' && value <= '9';
}

// Cuts every three ASCII digits out of the piece [begin, end).
void cut_digit_triples(std::string_view text, std::size_t begin, std::size_t end,
                       std::vector<std::size_t>& ends) {
  std::size_t open = begin;  // where the piece that isn't cut yet begins
  std::size_t at = begin;
  while (at + 3 <= end) {
    if (!is_digit(text[at]) || !is_digit(text[at + 1]) || !is_digit(text[at + 2])) {
      ++at;
      continue;
    }
    if (at > open) ends.push_back(at);
    at += 3;
    open = at;
    ends.push_back(at);
  }
  if (open < end) ends.push_back(end);
}

bool is_falcon_sign(CharStep step, char first) {
  constexpr std::string_view symbols = "$+<=>^~|`";
  return step.kind == CharClass::punctuation || symbols.find(first) != symbols.npos;
}

void cut_gpt2(std::string_view text, std::vector<std::size_t>& ends) {
  for (std::size_t at = 0; at < text.size();) {
    at += gpt2_piece_length(text.substr(at));
    ends.push_back(at);
  }
}

void cut_falcon(std::string_view text, std::vector<std::size_t>& ends) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t signs = run_length(rest, is_falcon_sign); signs > 0) {
      at += signs;
      ends.push_back(at);
      continue;
    }
    const std::size_t between =
        run_length(rest, [](CharStep step, char first) { return !is_falcon_sign(step, first); });
    const std::string_view fragment = text.substr(0, at + between);
    while (at < fragment.size()) {
      const std::size_t end = at + gpt2_piece_length(fragment.substr(at));
      cut_digit_triples(text, at, end, ends);
      at = end;
    }
  }
}

}  // namespace

void cut_into_pieces(PreTokenizer kind, std::string_view text, std::vector<std::size_t>& ends) {
  ends.clear();
  if (kind == PreTokenizer::falcon) {
    cut_falcon(text, ends);
  } else {
    cut_gpt2(text, ends);
  }
}

}  // namespace thermocline::tokenizer
