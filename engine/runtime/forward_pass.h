// One model's forward pass: token ids in, logits out, keys and values into the cache. Reads top to
// bottom like the architecture it computes.
#pragma once

#include "model/loaded_model.h"
#include "runtime/attention.h"
#include "runtime/compute_context.h"
#include "runtime/feed_forward.h"
#include "runtime/kv_cache.h"
#include "runtime/rotary.h"

#include <thermocline/evaluation.h>

#include <functional>
#include <vector>

namespace thermocline::runtime {

using ActivityObserver = std::function<void(const LayerActivity&)>;

class ForwardPass {
 public:
  // Work space for batches of up to `batch_size` tokens. `memory` must outlive the object.
  static Expected<ForwardPass> create(std::shared_ptr<const model::LoadedModel> model,
                                      platform::Memory& memory, std::uint32_t batch_size);

  std::uint32_t batch_size() const { return batch_size_; }
  std::uint64_t work_bytes() const;

  // Evaluates `ids` (at most batch_size) at positions first, first + 1, ...; the cache must hold
  // the positions before and have room reserved. Logits of the last `logit_rows` tokens are left in
  // logits(). Errors: cancelled, numeric_failure, file_changed; the cache's rows from `first` on
  // are then unspecified.
  Expected<void> run(const ComputeContext& context, FfnMode mode, std::span<const TokenId> ids,
                     std::uint32_t first, KvCache& cache, std::size_t logit_rows,
                     const ActivityObserver& observer);

  // Row `i` of the latest logits: [vocabulary].
  std::span<const float> logits(std::size_t i) const { return logits_.row(i); }
  // Neurons that took part for the latest token, per layer.
  std::span<const std::uint32_t> active_neurons() const { return active_; }

 private:
  ForwardPass() = default;
  void embed(const ComputeContext& context, std::span<const TokenId> ids, std::uint32_t first);
  void attention_block(const ComputeContext& context, std::uint32_t layer, Activations& in,
                       std::size_t tokens, std::uint32_t first, KvCache& cache);
  Expected<void> run_layer(const ComputeContext& context, FfnMode mode, std::uint32_t layer,
                           std::size_t tokens, std::uint32_t first, KvCache& cache);
  void report(FfnMode mode, std::uint32_t layer, std::uint32_t first, std::size_t tokens,
              const ActivityObserver& observer);
  Expected<void> compute_logits(const ComputeContext& context, std::size_t tokens,
                                std::size_t rows);
  Error not_a_number() const;

  std::shared_ptr<const model::LoadedModel> model_;
  platform::Memory* memory_ = nullptr;
  std::uint32_t batch_size_ = 0;
  Activations residual_;     // [tokens][hidden]
  Activations normed_;       // [tokens][hidden], what the FFN reads
  Activations attn_normed_;  // [tokens][hidden], what attention reads
  Activations query_;        // [tokens][hidden]
  Activations key_;          // [tokens][kv]
  Activations value_;        // [tokens][kv]
  Activations attended_;     // [tokens][hidden]
  Activations attn_out_;     // [tokens][hidden]
  Activations ffn_out_;      // [tokens][hidden]
  FeedForwardSpace ffn_;
  RotaryTable rotary_;
  platform::Buffer scratch_;  // attention scores, [threads][positions]
  Activations head_in_;       // [rows][hidden]
  Activations logits_;        // [rows][vocabulary]
  std::size_t logit_room_ = 0;
  std::vector<std::uint32_t> active_;
};

}  // namespace thermocline::runtime
