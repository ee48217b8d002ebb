#include "tokenizer/decoded_spaces.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace thermocline::tokenizer {
namespace {

// `text` without the spaces whose following text `applies`.
template <typename Applies>
std::string drop_spaces_before(std::string_view text, const Applies& applies) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' || !applies(text.substr(i + 1))) result += text[i];
  }
  return result;
}

bool starts_with_a_sign(std::string_view text) {
  return !text.empty() && std::string_view("?!.,").find(text.front()) != std::string_view::npos;
}

bool starts_with_a_contraction(std::string_view text) {
  constexpr std::array<std::string_view, 4> endings = {"'s", "'m", "'re", "'ve"};
  return std::ranges::any_of(endings, [text](std::string_view e) { return text.starts_with(e); });
}

std::string join_lone_apostrophes(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = text.find(" ' ");
    result += text.substr(0, at);
    if (at == std::string_view::npos) break;
    result += '\'';
    text.remove_prefix(at + 3);
  }
  return result;
}

}  // namespace

std::string clean_decoded_spaces(const std::string& text) {
  const std::string without_signs = drop_spaces_before(text, starts_with_a_sign);
  return drop_spaces_before(join_lone_apostrophes(without_signs), starts_with_a_contraction);
}

}  // namespace thermocline::tokenizer
