// Rotary position embedding (RoPE), both ways of pairing dimensions.
// Source: Su et al., "RoFormer", arXiv 2104.09864; linear scaling: arXiv 2306.15595.
#pragma once

#include "model/configuration.h"
#include "platform/memory.h"

#include <span>

namespace thermocline::runtime {

// The angles of one batch of positions.
class RotaryTable {
 public:
  static Expected<RotaryTable> create(platform::Memory& memory, const model::Configuration& config,
                                      std::size_t tokens);
  std::uint64_t bytes() const { return buffer_.size(); }

  // Computes cosine and sine for positions first, first + 1, ... of `tokens` tokens.
  void prepare(const model::Configuration& config, std::uint32_t first, std::size_t tokens);

  // Rotates every head of `heads` (heads x head_size floats) for the batch's token `token`.
  void rotate(const model::Configuration& config, std::size_t token, std::span<float> heads) const;

 private:
  std::size_t pairs_ = 0;
  platform::Buffer buffer_;
  std::span<float> angles_;  // [tokens][pairs][cos, sin]
};

}  // namespace thermocline::runtime
