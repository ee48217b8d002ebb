#include "runtime/rotary.h"

#include <cmath>

namespace thermocline::runtime {

Expected<RotaryTable> RotaryTable::create(platform::Memory& memory,
                                          const model::Configuration& config, std::size_t tokens) {
  RotaryTable table;
  table.pairs_ = config.rope_dimensions / 2;
  const std::size_t count = tokens * table.pairs_ * 2;
  THERMOCLINE_ASSIGN(table.buffer_, memory.allocate_array<float>(count, "work space"));
  table.angles_ = table.buffer_.as<float>(count);
  return table;
}

void RotaryTable::prepare(const model::Configuration& config, std::uint32_t first,
                          std::size_t tokens) {
  float* out = angles_.data();
  for (std::size_t t = 0; t < tokens; ++t) {
    const double position = static_cast<double>(first + t) * config.rope_scale;
    for (std::size_t i = 0; i < pairs_; ++i) {
      const double exponent = -static_cast<double>(i) / static_cast<double>(pairs_);
      const double angle = position * std::pow(config.rope_base, exponent);
      *out++ = static_cast<float>(std::cos(angle));
      *out++ = static_cast<float>(std::sin(angle));
    }
  }
}

void RotaryTable::rotate(const model::Configuration& config, std::size_t token,
                         std::span<float> heads) const {
  const std::size_t head_size = config.head_size();
  const bool halves = config.traits->rope == model::RopeKind::halves;
  // The second of a pair lies beside the first, or half the rotated dimensions further on.
  const std::size_t step = halves ? 1 : 2;
  const std::size_t distance = halves ? pairs_ : 1;
  const float* const table = angles_.data() + token * pairs_ * 2;
  for (std::size_t head = 0; head < heads.size(); head += head_size) {
    for (std::size_t i = 0; i < pairs_; ++i) {
      const float cosine = table[2 * i];
      const float sine = table[2 * i + 1];
      float& first = heads[head + i * step];
      float& second = heads[head + i * step + distance];
      const float a = first;
      const float b = second;
      first = a * cosine - b * sine;
      second = a * sine + b * cosine;
    }
  }
}

}  // namespace thermocline::runtime
