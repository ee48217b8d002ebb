#include "sparsity/active_neurons.h"

namespace thermocline::sparsity {

std::uint32_t count_active(std::span<const float> activations) noexcept {
  std::uint32_t count = 0;
  for (const float value : activations)
    count += value != 0.0f ? 1 : 0;
  return count;
}

std::vector<std::uint32_t> list_active(std::span<const float> activations) {
  std::vector<std::uint32_t> active;
  for (std::size_t i = 0; i < activations.size(); ++i) {
    if (activations[i] != 0.0f) active.push_back(static_cast<std::uint32_t>(i));
  }
  return active;
}

std::vector<std::uint32_t> list_kept(std::span<const float> scores, float threshold) {
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (is_kept(scores[i], threshold)) kept.push_back(static_cast<std::uint32_t>(i));
  }
  return kept;
}

}  // namespace thermocline::sparsity
