// What the engine is doing, as numbers that were measured.
#pragma once

#include <thermocline/modes.h>

#include <cstdint>
#include <string>
#include <vector>

namespace thermocline {

enum class EngineState {
  no_model,
  loading,
  ready,
  prefill,
  decoding,
  replanning,
  unloading,
  failed
};
std::string_view name_of(EngineState state);

struct LayerTelemetry {
  std::uint32_t neurons = 0;    // of the layer
  std::uint32_t active = 0;     // computed for the latest token
  double active_average = 0.0;  // over the tokens of this reply
};

struct Telemetry {
  EngineState state = EngineState::no_model;
  bool degraded = false;
  std::string degraded_reason;
  FfnMode mode = FfnMode::automatic;

  double tokens_per_second = 0.0;          // over the last second or so of decoding
  double tokens_per_second_average = 0.0;  // of this reply
  double prompt_tokens_per_second = 0.0;
  double time_to_first_token = 0.0;        // seconds
  std::uint32_t prompt_tokens = 0;         // of this prompt
  std::uint32_t prompt_tokens_reused = 0;  // found in the cache
  std::uint32_t prompt_tokens_done = 0;
  std::uint32_t generated_tokens = 0;
  std::uint32_t context_used = 0;
  std::uint32_t context_length = 0;

  std::uint64_t model_bytes = 0;  // mapped weights
  std::uint64_t kv_cache_bytes = 0;
  std::uint64_t work_bytes = 0;
  std::uint64_t resident_bytes = 0;  // of the process, as the system counts it; 0 if unknown
  std::uint64_t vram_budget_bytes =
      0;  // as requested; nothing is placed on a GPU yet if vram_planned is 0
  std::uint64_t vram_planned_bytes = 0;
  unsigned threads = 0;
  std::vector<LayerTelemetry> layers;
};

}  // namespace thermocline
