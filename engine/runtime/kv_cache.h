// Keys and values of the tokens seen so far, per layer; grows with the conversation.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "model/configuration.h"
#include "platform/memory.h"

#include <thermocline/modes.h>

#include <cstdint>
#include <span>
#include <vector>

namespace thermocline::runtime {

class KvCache {
 public:
  // An empty cache for at most `limit` tokens; f16 in fast precision, f32 otherwise. `memory` must
  // outlive it.
  KvCache(platform::Memory& memory, const model::Configuration& config, Precision precision,
          std::uint32_t limit);

  std::uint32_t limit() const { return limit_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint64_t bytes() const;
  kernels::NumberFormat format() const { return format_; }

  // Makes room for `tokens` tokens in all (at most limit()). What is stored stays. On out_of_memory
  // nothing has changed.
  Expected<void> reserve(std::uint32_t tokens);

  // Stores a token's key and value, kv_size floats each.
  void store(const kernels::KernelTable& kernels, std::uint32_t layer, std::uint32_t position,
             std::span<const float> key, std::span<const float> value);

  // Start of one KV head's key or value at `position`.
  const std::byte* key(std::uint32_t layer, std::uint32_t position, std::uint32_t kv_head) const {
    return layers_[layer].keys.data() + position * row_bytes_ + kv_head * head_bytes_;
  }
  const std::byte* value(std::uint32_t layer, std::uint32_t position, std::uint32_t kv_head) const {
    return layers_[layer].values.data() + position * row_bytes_ + kv_head * head_bytes_;
  }

 private:
  struct LayerBuffers {
    platform::Buffer keys;    // [capacity][kv heads][head size]
    platform::Buffer values;  // likewise
  };
  void put(const kernels::KernelTable& kernels, std::span<const float> from, std::byte* to) const;

  platform::Memory* memory_;
  kernels::NumberFormat format_;
  std::uint32_t limit_;
  std::uint32_t capacity_ = 0;
  std::size_t row_bytes_;
  std::size_t head_bytes_;
  std::vector<LayerBuffers> layers_;
};

}  // namespace thermocline::runtime
