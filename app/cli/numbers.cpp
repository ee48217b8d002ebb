#include "app/cli/numbers.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace thermocline::cli {

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return {};
  std::istringstream stream{std::string(text)};  // std::from_chars for double isn't everywhere yet
  stream.imbue(std::locale::classic());
  double value = 0.0;
  if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof() ||
      !std::isfinite(value)) {
    return {};
  }
  return value;
}

Expected<std::vector<TokenId>> parse_ids(std::string_view text, std::string_view source) {
  constexpr std::string_view separators = " \t\r\n\f\v,";
  std::vector<TokenId> ids;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return ids;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(separators));
    const std::optional<std::uint64_t> id = parse_unsigned(word);
    if (!id || *id > static_cast<std::uint64_t>(std::numeric_limits<TokenId>::max())) {
      Error error;
      error.code = ErrorCode::invalid_argument;
      error.file = source;
      error.message = "'" + std::string(word.substr(0, 40)) + "' is not a token id";
      error.remedy = "give whole numbers separated by spaces or commas";
      return error;
    }
    ids.push_back(static_cast<TokenId>(*id));
    text.remove_prefix(word.size());
  }
}

}  // namespace thermocline::cli
