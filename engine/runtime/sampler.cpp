#include "runtime/sampler.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

namespace thermocline {
namespace {

Expected<void> check_range(bool holds, const char* name, const char* wanted, double found) {
  if (holds) return {};
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::string(name) + " is out of range";
  error.wanted = wanted;
  error.found = std::to_string(found);
  return error;
}

}  // namespace

Expected<void> check(const SamplingOptions& o) {
  THERMOCLINE_CHECK(check_range(o.temperature >= 0.0f && o.temperature <= 100.0f, "temperature",
                                "0 to 100", o.temperature));
  THERMOCLINE_CHECK(
      check_range(o.top_p > 0.0f && o.top_p <= 1.0f, "top-p", "above 0, at most 1", o.top_p));
  THERMOCLINE_CHECK(
      check_range(o.min_p >= 0.0f && o.min_p < 1.0f, "min-p", "0 to below 1", o.min_p));
  return check_range(o.repeat_penalty > 0.0f && o.repeat_penalty <= 100.0f, "repeat penalty",
                     "above 0, at most 100", o.repeat_penalty);
}

namespace runtime {

TokenId Sampler::sample(std::span<const float> logits, std::span<const TokenId> recent) {
  candidates_.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i)
    candidates_[i] = {static_cast<TokenId>(i), logits[i], 0.0};
  penalize(recent);
  if (options_.temperature == 0.0f) {
    // max_element gives the first, hence the lowest id, among equals.
    return std::max_element(
               candidates_.begin(), candidates_.end(),
               [](const Candidate& a, const Candidate& b) { return a.logit < b.logit; })
        ->id;
  }
  keep_most_probable();
  return draw();
}

// Keskar et al., "CTRL", arXiv 1909.05858: positive logits are divided, negative ones multiplied.
void Sampler::penalize(std::span<const TokenId> recent) {
  if (options_.repeat_penalty == 1.0f) return;
  const std::size_t window = std::min<std::size_t>(options_.repeat_window, recent.size());
  const std::span<const TokenId> latest = recent.last(window);
  const std::unordered_set<TokenId> distinct(latest.begin(), latest.end());
  for (const TokenId id : distinct) {
    if (id < 0 || static_cast<std::size_t>(id) >= candidates_.size()) continue;
    float& logit = candidates_[static_cast<std::size_t>(id)].logit;
    logit = logit > 0.0f ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
  }
}

// Leaves the candidates that pass top-k, top-p and min-p, most probable first, with probabilities.
void Sampler::keep_most_probable() {
  // Equal logits are ordered by id, so that the order is the same everywhere.
  const auto before = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  if (options_.top_k > 0 && options_.top_k < candidates_.size()) {
    std::nth_element(candidates_.begin(), candidates_.begin() + options_.top_k, candidates_.end(),
                     before);
    candidates_.resize(options_.top_k);
  }
  std::sort(candidates_.begin(), candidates_.end(), before);

  const double largest = candidates_.front().logit;
  double sum = 0.0;
  for (Candidate& candidate : candidates_) {
    candidate.probability = std::exp((candidate.logit - largest) / options_.temperature);
    sum += candidate.probability;
  }
  double cumulative = 0.0;
  std::size_t kept = 0;
  const double floor = options_.min_p * candidates_.front().probability;
  while (kept < candidates_.size()) {
    const double probability = candidates_[kept].probability;
    if (kept > 0 && (probability < floor || cumulative >= options_.top_p * sum)) break;
    cumulative += probability;
    ++kept;
  }
  candidates_.resize(kept);
}

TokenId Sampler::draw() {
  double sum = 0.0;
  for (const Candidate& candidate : candidates_)
    sum += candidate.probability;
  // 53 random bits make a double in [0, 1): std distributions differ between libraries.
  double left = static_cast<double>(generator_() >> 11) * 0x1.0p-53 * sum;
  for (const Candidate& candidate : candidates_) {
    left -= candidate.probability;
    if (left < 0.0) return candidate.id;
  }
  return candidates_.back().id;
}

}  // namespace runtime
}  // namespace thermocline
