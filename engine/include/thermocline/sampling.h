// How the next token is chosen from the logits.
#pragma once

#include <thermocline/expected.h>

#include <cstdint>

namespace thermocline {

// The chain: repeat penalty, temperature, top-k, top-p, min-p, draw. The same seed and logits give
// the same tokens on every machine. Temperature 0 is greedy: the largest logit after the penalty,
// the lowest id among equals.
struct SamplingOptions {
  float temperature = 0.8f;          // >= 0
  std::uint32_t top_k = 40;          // 0: off
  float top_p = 0.95f;               // in (0, 1]; 1: off
  float min_p = 0.05f;               // in [0, 1); 0: off; relative to the most probable token
  float repeat_penalty = 1.1f;       // > 0; 1: off
  std::uint32_t repeat_window = 64;  // how many recent tokens the penalty looks at
  std::uint64_t seed = 0;
};

// An Error naming the first option that is out of range.
Expected<void> check(const SamplingOptions& options);

}  // namespace thermocline
