#include "app/cli/sizes.h"

#include "app/cli/numbers.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace thermocline::cli {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<Unit, 10> units{{{"", 1},
                                      {"b", 1},
                                      {"kb", 1000},
                                      {"mb", 1000'000},
                                      {"gb", 1000'000'000},
                                      {"tb", 1000'000'000'000},
                                      {"kib", std::uint64_t{1} << 10},
                                      {"mib", std::uint64_t{1} << 20},
                                      {"gib", std::uint64_t{1} << 30},
                                      {"tib", std::uint64_t{1} << 40}}};

std::optional<std::uint64_t> unit_bytes(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Unit& unit : units) {
    if (unit.name == lower) return unit.bytes;
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view number = text.substr(0, number_end);
  std::string_view unit_name = text.substr(number_end);
  if (unit_name.starts_with(' ')) unit_name.remove_prefix(1);
  const std::optional<std::uint64_t> unit = unit_bytes(unit_name);
  if (!unit) return {};

  const std::size_t point = number.find('.');
  const std::optional<std::uint64_t> whole = parse_unsigned(number.substr(0, point));
  if (!whole || *whole > std::numeric_limits<std::uint64_t>::max() / *unit) return {};
  std::uint64_t bytes = *whole * *unit;
  if (point == std::string_view::npos) return bytes;

  const std::string_view fraction = number.substr(point + 1);
  // Six digits keep the product below 2^60 for the largest unit.
  const std::string_view used = fraction.substr(0, 6);
  const std::optional<std::uint64_t> parts = parse_unsigned(used);
  if (!parts || *unit == 1 || fraction.find('.') != std::string_view::npos) return {};
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < used.size(); ++i)
    scale *= 10;
  const std::uint64_t more = *parts * *unit / scale;
  if (more > std::numeric_limits<std::uint64_t>::max() - bytes) return {};
  return bytes + more;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  constexpr std::array<const char*, 4> names{"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t i = 0;
  while (value >= 999.995 && i + 1 < names.size()) {
    value /= 1000.0;
    ++i;
  }
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2f %s", value, names[i]);
  return text.data();
}

}  // namespace thermocline::cli
