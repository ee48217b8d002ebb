// RMSNorm and LayerNorm over a batch.
#pragma once

#include "model/configuration.h"
#include "model/weights.h"
#include "runtime/activations.h"

namespace thermocline::runtime {

// out[t] = norm(in[t]) for t < tokens: x / rms(x) * weight, or (x - mean) / deviation * weight +
// bias. Sums are taken in double precision, in order.
void normalize(const model::Configuration& config, const model::Norm& norm, const Activations& in,
               std::size_t tokens, Activations& out);

}  // namespace thermocline::runtime
