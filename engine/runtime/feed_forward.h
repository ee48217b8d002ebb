// The feed-forward network of one layer, sparse or dense, for a batch of tokens.
#pragma once

#include "model/weights.h"
#include "runtime/activations.h"
#include "runtime/linear.h"

#include <atomic>

namespace thermocline::runtime {

// Work space of the feed-forward network.
struct FeedForwardSpace {
  Activations predictor_hidden;  // [tokens][largest rank]
  Activations scores;            // [tokens][ffn]
  Activations neurons;  // [tokens][ffn], the activations: zero where a neuron takes no part
};

// out[t] = FFN(in[t]). `predictor_in` is what the predictor reads (formats: the residual stream).
// exact and dense compute every gate (or up) row; exact skips the rest of neurons whose activation
// is zero; predicted computes only neurons whose predictor score reaches the threshold. `mode` is
// not automatic. Returns false if a predictor score was NaN. Deterministic: neurons are summed in
// order.
bool feed_forward(const ComputeContext& context, const model::Configuration& config,
                  const model::LayerWeights& layer, FfnMode mode, Activations& in,
                  Activations& predictor_in, std::size_t tokens, FeedForwardSpace& space,
                  Activations& out);

}  // namespace thermocline::runtime
