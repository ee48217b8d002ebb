// Causal attention of a batch of tokens over the KV cache, with grouped queries.
#pragma once

#include "runtime/activations.h"
#include "runtime/kv_cache.h"

namespace thermocline::runtime {

// out[t][head] = softmax(q . K / sqrt(d)) V over positions 0..first + t, for t < tokens. The cache
// must hold those positions. `scratch` holds at least (first + tokens) floats per thread. Heads of
// all tokens are shared between threads; each is computed by one, so results don't depend on their
// number.
void attend(const ComputeContext& context, const model::Configuration& config, const KvCache& cache,
            std::uint32_t layer, std::uint32_t first, std::size_t tokens,
            const Activations& queries, std::span<float> scratch, Activations& out);

}  // namespace thermocline::runtime
