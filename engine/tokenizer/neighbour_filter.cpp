// Filling the filter.
#include "tokenizer/neighbour_filter.h"

#include "platform/utf8.h"

namespace thermocline::tokenizer {

void NeighbourFilter::add(std::string_view token) {
  std::string_view left;
  while (!token.empty()) {
    const std::string_view right = token.substr(0, platform::utf8_step(token).length);
    if (!left.empty()) {
      const std::size_t bit = place(left, right);
      bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    left = right;
    token.remove_prefix(right.size());
  }
}

}  // namespace thermocline::tokenizer
