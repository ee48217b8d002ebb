#include "runtime/attention.h"

#include <algorithm>
#include <cmath>

namespace thermocline::runtime {
namespace {

// Turns scores into weights that sum to one. A NaN among the scores makes every weight NaN.
void softmax(std::span<float> scores) noexcept {
  float largest = scores[0];
  for (const float score : scores)
    largest = std::max(largest, score);
  double sum = 0.0;
  for (float& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  const auto scale = static_cast<float>(1.0 / sum);
  for (float& score : scores)
    score *= scale;
}

}  // namespace

void attend(const ComputeContext& context, const model::Configuration& config, const KvCache& cache,
            std::uint32_t layer, std::uint32_t first, std::size_t tokens,
            const Activations& queries, std::span<float> scratch, Activations& out) {
  const kernels::FormatKernels& kernels = context.kernels().of(cache.format());
  const unsigned members = context.pool().size();
  const std::size_t scratch_size = scratch.size() / members;
  const std::size_t head_size = config.head_size();
  const std::uint32_t group = config.heads / config.kv_heads;
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_size)));
  float* const out_data = out.edit(0).data();

  const auto task = [&](unsigned member) noexcept {
    float* const scores = scratch.data() + member * scratch_size;
    // Interleaved, because later tokens look at more positions.
    for (std::size_t i = member; i < tokens * config.heads; i += members) {
      if (context.cancelled()) return;
      const std::size_t token = i / config.heads;
      const auto head = static_cast<std::uint32_t>(i % config.heads);
      const std::uint32_t kv_head = head / group;
      const float* const query = queries.row(token).data() + head * head_size;
      const auto length = static_cast<std::uint32_t>(first + token + 1);
      for (std::uint32_t p = 0; p < length; ++p) {
        scores[p] = kernels.dot(cache.key(layer, p, kv_head), query, head_size) * scale;
      }
      softmax({scores, length});
      float* const result = out_data + token * out.width() + head * head_size;
      std::fill(result, result + head_size, 0.0f);
      for (std::uint32_t p = 0; p < length; ++p) {
        kernels.add_scaled(cache.value(layer, p, kv_head), scores[p], result, head_size);
      }
    }
  };
  context.pool().run(task);
}

}  // namespace thermocline::runtime
