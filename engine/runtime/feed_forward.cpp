#include "runtime/feed_forward.h"

#include "sparsity/active_neurons.h"

#include <algorithm>
#include <cmath>

namespace thermocline::runtime {
namespace {

// Written so that NaN passes through: a broken weight must not vanish as "inactive".
float relu(float x) noexcept {
  return x < 0.0f ? 0.0f : x;
}
float silu(float x) noexcept {
  return x / (1.0f + std::exp(-x));
}

// scores[t] = fc2 relu(fc1 predictor_in[t])
void predict(const ComputeContext& context, const model::LayerWeights& layer,
             Activations& predictor_in, std::size_t tokens, FeedForwardSpace& space) {
  const std::size_t rank = layer.predictor_first.rows;
  space.predictor_hidden.set_width(rank);
  multiply(context, layer.predictor_first, {}, predictor_in, tokens, space.predictor_hidden);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (float& value : space.predictor_hidden.edit(t))
      value = relu(value);
  }
  multiply(context, layer.predictor_second, {}, space.predictor_hidden, tokens, space.scores);
}

// Computes single neurons' activations.
class NeuronKernel {
 public:
  NeuronKernel(const ComputeContext& context, const model::Configuration& config,
               const model::LayerWeights& layer, bool compute_all, const Activations& in)
      : layer_(layer),
        gate_(context, layer.gate ? layer.gate : layer.up.weight, in),
        up_(context, layer.up.weight, in),
        silu_(config.silu),
        relu_on_up_(config.traits->relu_on_up),
        compute_all_(compute_all) {}

  float operator()(std::size_t neuron, std::size_t token) const noexcept {
    if (!layer_.gate) return relu(up(neuron, token));
    const float raw = gate_(neuron, token);
    if (silu_) return silu(raw) * up(neuron, token);
    const float gate = relu(raw);
    if (gate == 0.0f && !compute_all_) return 0.0f;
    const float up_value = up(neuron, token);
    return gate * (relu_on_up_ ? relu(up_value) : up_value);
  }

 private:
  float up(std::size_t neuron, std::size_t token) const noexcept {
    return up_(neuron, token) + (layer_.up.bias.empty() ? 0.0f : layer_.up.bias[neuron]);
  }

  const model::LayerWeights& layer_;
  RowProduct gate_;
  RowProduct up_;
  bool silu_;
  bool relu_on_up_;
  bool compute_all_;
};

// out[t] = sum over neurons of activation times down row, plus bias; columns shared between
// threads.
void project_transposed(const ComputeContext& context, const model::LayerWeights& layer,
                        bool compute_all, const Activations& neurons, std::size_t tokens,
                        Activations& out) {
  const model::Matrix& down = layer.down.weight;
  const kernels::FormatKernels& kernels = context.kernels().of(down.format);
  float* const out_data = out.edit(0).data();
  const std::size_t stride = out.width();
  // Column ranges begin on block borders of every format.
  const std::size_t grain = std::max<std::size_t>(32, kernels::block_layout(down.format).length);
  const auto task = [&](unsigned member) noexcept {
    const devices::Range columns =
        devices::share_of(down.columns, grain, member, context.pool().size());
    const std::size_t width = columns.end - columns.begin;
    if (width == 0) return;
    for (std::size_t t = 0; t < tokens; ++t) {
      std::fill_n(out_data + t * stride + columns.begin, width, 0.0f);
    }
    const std::size_t offset = kernels::byte_size(down.format, columns.begin);
    for (std::size_t i = 0; i < down.rows; ++i) {
      if (context.cancelled()) return;
      for (std::size_t t = 0; t < tokens; ++t) {
        const float activation = neurons.row(t)[i];
        if (activation == 0.0f && !compute_all) continue;
        kernels.add_scaled(down.row(i) + offset, activation, out_data + t * stride + columns.begin,
                           width);
      }
    }
    if (layer.down.bias.empty()) return;
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t c = columns.begin; c < columns.end; ++c) {
        out_data[t * stride + c] += layer.down.bias[c];
      }
    }
  };
  context.pool().run(task);
}

}  // namespace

bool feed_forward(const ComputeContext& context, const model::Configuration& config,
                  const model::LayerWeights& layer, FfnMode mode, Activations& in,
                  Activations& predictor_in, std::size_t tokens, FeedForwardSpace& space,
                  Activations& out) {
  const bool predicted = mode == FfnMode::predicted;
  const bool compute_all = mode == FfnMode::dense;
  if (predicted) predict(context, layer, predictor_in, tokens, space);
  RowProduct::prepare(context, layer.gate, in, tokens);
  RowProduct::prepare(context, layer.up.weight, in, tokens);

  const NeuronKernel neuron(context, config, layer, compute_all, in);
  float* const activations = space.neurons.edit(0).data();
  const std::size_t stride = space.neurons.width();
  std::atomic<bool> scores_are_numbers{true};
  const auto task = [&](unsigned member) noexcept {
    const devices::Range share =
        devices::share_of(config.ffn_size, 16, member, context.pool().size());
    for (std::size_t i = share.begin; i < share.end; ++i) {
      if (context.cancelled()) return;
      for (std::size_t t = 0; t < tokens; ++t) {
        if (predicted) {
          const float score = space.scores.row(t)[i];
          if (std::isnan(score)) scores_are_numbers.store(false, std::memory_order_relaxed);
          if (!sparsity::is_kept(score, config.predictor_threshold)) {
            activations[t * stride + i] = 0.0f;
            continue;
          }
        }
        activations[t * stride + i] = neuron(i, t);
      }
    }
  };
  context.pool().run(task);

  if (layer.down_transposed) {
    project_transposed(context, layer, compute_all, space.neurons, tokens, out);
  } else {
    multiply(context, layer.down, space.neurons, tokens, out);
  }
  return scores_are_numbers.load(std::memory_order_relaxed);
}

}  // namespace thermocline::runtime
