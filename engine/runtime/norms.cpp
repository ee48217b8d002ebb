#include "runtime/norms.h"

#include <cmath>

namespace thermocline::runtime {
namespace {

void rms_norm(std::span<const float> x, const model::Norm& norm, float epsilon,
              std::span<float> out) {
  double squares = 0.0;
  for (const float value : x)
    squares += static_cast<double>(value) * value;
  const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = static_cast<float>(x[i] * scale * norm.weight[i]);
  }
}

void layer_norm(std::span<const float> x, const model::Norm& norm, float epsilon,
                std::span<float> out) {
  const auto count = static_cast<double>(x.size());
  double sum = 0.0;
  for (const float value : x)
    sum += value;
  const double mean = sum / count;
  double squares = 0.0;
  for (const float value : x)
    squares += (value - mean) * (value - mean);
  const double scale = 1.0 / std::sqrt(squares / count + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = static_cast<float>((x[i] - mean) * scale * norm.weight[i] + norm.bias[i]);
  }
}

}  // namespace

void normalize(const model::Configuration& config, const model::Norm& norm, const Activations& in,
               std::size_t tokens, Activations& out) {
  const auto apply = config.traits->norm == model::NormKind::rms ? rms_norm : layer_norm;
  for (std::size_t t = 0; t < tokens; ++t)
    apply(in.row(t), norm, config.norm_epsilon, out.edit(t));
}

}  // namespace thermocline::runtime
