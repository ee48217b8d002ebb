#include "model/architecture.h"

#include <array>

namespace thermocline::model {
namespace {

constexpr std::array<ArchitectureTraits, 4> architectures{{
    {.name = "llama",
     .norm = NormKind::rms,
     .rope = RopeKind::adjacent_pairs,
     .predictor_input = PredictorInput::after_attention,
     .gated = true,
     .relu_on_up = false,
     .parallel_block = false,
     .fused_qkv = false,
     .linear_biases = false,
     .learned_positions = false,
     .tied_output = false,
     .dense_is_silu = true,
     .default_epsilon = 0.0},
    {.name = "bamboo",
     .norm = NormKind::rms,
     .rope = RopeKind::adjacent_pairs,
     .predictor_input = PredictorInput::after_attention,
     .gated = true,
     .relu_on_up = true,
     .parallel_block = false,
     .fused_qkv = false,
     .linear_biases = false,
     .learned_positions = false,
     .tied_output = false,
     .dense_is_silu = false,
     .default_epsilon = 0.0},
    {.name = "falcon",
     .norm = NormKind::layer,
     .rope = RopeKind::halves,
     .predictor_input = PredictorInput::layer_input,
     .gated = false,
     .relu_on_up = false,
     .parallel_block = true,
     .fused_qkv = true,
     .linear_biases = false,
     .learned_positions = false,
     .tied_output = false,
     .dense_is_silu = false,
     .default_epsilon = 0.0},
    // OPT files carry no epsilon; 1e-5 is what the original model uses.
    {.name = "opt",
     .norm = NormKind::layer,
     .rope = RopeKind::none,
     .predictor_input = PredictorInput::after_attention,
     .gated = false,
     .relu_on_up = false,
     .parallel_block = false,
     .fused_qkv = false,
     .linear_biases = true,
     .learned_positions = true,
     .tied_output = true,
     .dense_is_silu = false,
     .default_epsilon = 1e-5},
}};

}  // namespace

const ArchitectureTraits* find_architecture(std::string_view name) {
  for (const ArchitectureTraits& traits : architectures) {
    if (traits.name == name) return &traits;
  }
  return nullptr;
}

std::string_view known_architectures() {
  return "llama, bamboo, falcon or opt";
}

}  // namespace thermocline::model
