// A model's hyper-parameters, read from the file's keys and checked against each other.
#pragma once

#include "gguf/container.h"
#include "model/architecture.h"

#include <cstdint>

namespace thermocline::model {

struct Configuration {
  const ArchitectureTraits* traits = nullptr;
  std::uint32_t layers = 0;
  std::uint32_t hidden_size = 0;
  std::uint32_t ffn_size = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t context_length = 0;   // as stated; a default, not a limit
  std::uint32_t rope_dimensions = 0;  // of each head, the rest isn't rotated; even; 0 without RoPE
  double rope_base = 10000.0;
  double rope_scale = 1.0;  // positions are multiplied by it (linear scaling: 1 / factor)
  float norm_epsilon = 0.0f;
  float predictor_threshold = 0.0f;
  bool silu = false;  // gate is SiLU: nothing is ever exactly zero

  std::uint32_t head_size() const { return hidden_size / heads; }
  std::uint32_t kv_size() const { return head_size() * kv_heads; }
};

// Errors name the key: missing, wrong type, out of limits, or in contradiction to another.
Expected<Configuration> read_configuration(const gguf::Container& file);

}  // namespace thermocline::model
