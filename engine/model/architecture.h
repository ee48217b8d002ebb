// What distinguishes the architectures, as data: the forward pass reads these traits instead of
// asking for names.
#pragma once

#include <string_view>

namespace thermocline::model {

enum class NormKind { rms, layer };
enum class RopeKind {
  none,
  adjacent_pairs,  // rotates (2i, 2i + 1)
  halves,          // rotates (i, i + d/2)
};
// Where a layer's predictor looks.
enum class PredictorInput {
  after_attention,  // the residual stream after attention, before the FFN's norm
  layer_input,      // the residual stream as it enters the layer
};

struct ArchitectureTraits {
  std::string_view name;
  NormKind norm;
  RopeKind rope;
  PredictorInput predictor_input;
  bool gated;              // FFN has a gate matrix
  bool relu_on_up;         // ReLU on up as well as on the gate
  bool parallel_block;     // attention and FFN both read the layer's input
  bool fused_qkv;          // one matrix holds Q, K and V rows
  bool linear_biases;      // every linear layer has a bias
  bool learned_positions;  // position p adds row p + position_offset of position_embd
  bool tied_output;        // the output head is token_embd
  bool dense_is_silu;      // in a dense (GGUF) file the gate is SiLU, not ReLU
  double default_epsilon;  // 0: the file must say
};

inline constexpr unsigned position_offset = 2;  // OPT's first two position rows are padding

// Null for an architecture that isn't known.
const ArchitectureTraits* find_architecture(std::string_view name);
// "llama, bamboo, falcon, opt".
std::string_view known_architectures();

}  // namespace thermocline::model
