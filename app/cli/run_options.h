// The options that several commands share: how a model is run and how tokens are chosen.
#pragma once

#include "app/cli/options.h"

#include <thermocline/engine.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace thermocline::cli {

// --mode, --precision, --threads, --device.
std::vector<Option> model_options();
// --ctx, --vram-budget, --temperature, ..., --seed.
std::vector<Option> generation_options();
std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists);

struct RunSettings {
  FfnMode mode = FfnMode::automatic;
  Precision precision = Precision::fast;
  unsigned threads = 0;
  std::uint32_t context_length = 0;
  std::optional<std::uint64_t> vram_budget;
  SamplingOptions sampling;
  std::optional<std::uint32_t> max_tokens;
};

// Reads whichever of these options were given. Errors: invalid_argument, unsupported (a mode or
// device that this version doesn't have).
Expected<RunSettings> read_run_settings(const Arguments& arguments);
// An option with a whole number of at least `least`; empty if it wasn't given.
Expected<std::optional<std::uint32_t>> read_count(const Arguments& arguments,
                                                  std::string_view option, std::uint32_t least = 0);
// The value of --ids; at least one id.
Expected<std::vector<TokenId>> read_ids(const Arguments& arguments);

}  // namespace thermocline::cli
