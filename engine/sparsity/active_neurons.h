// Which neurons take part: lists and counts of non-zero activations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thermocline::sparsity {

// Number of activations that aren't zero. NaN counts as active: it must not vanish.
std::uint32_t count_active(std::span<const float> activations) noexcept;

// Indices of activations that aren't zero, ascending.
std::vector<std::uint32_t> list_active(std::span<const float> activations);

// Indices of neurons whose predictor score reaches the threshold, ascending. A NaN score is kept,
// as the seed's test `score < threshold` does.
std::vector<std::uint32_t> list_kept(std::span<const float> scores, float threshold);

// The predictor's decision for one neuron.
inline bool is_kept(float score, float threshold) noexcept {
  return !(score < threshold);
}

}  // namespace thermocline::sparsity
