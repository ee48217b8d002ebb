// How a model's feed-forward network is computed and with which precision.
#pragma once

#include <optional>
#include <string_view>

namespace thermocline {

enum class FfnMode {
  exact,      // every gate row, then only the neurons whose activation isn't zero: the dense result
  predicted,  // only the neurons that the model's predictor keeps, as PowerInfer does
  dense,      // every neuron
  automatic,  // the engine chooses
};

enum class Precision {
  fast,  // activations rounded to 8 bits for quantised weights, KV cache in f16
  f32,   // no activation is rounded, KV cache in f32: for tests and comparison
};

std::string_view name_of(FfnMode mode);
std::string_view name_of(Precision precision);
std::optional<FfnMode> ffn_mode_from(std::string_view name);  // "exact", ..., "auto"
std::optional<Precision> precision_from(std::string_view name);

}  // namespace thermocline
