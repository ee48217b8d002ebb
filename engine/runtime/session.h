// A model with its cache: the state of one conversation, advanced token by token or batch by batch.
#pragma once

#include "runtime/forward_pass.h"

#include <memory>
#include <span>
#include <vector>

namespace thermocline::runtime {

struct SessionOptions {
  FfnMode mode = FfnMode::automatic;
  Precision precision = Precision::fast;
  std::uint32_t context_length = 0;  // 0: what the model states
  std::uint32_t batch_size = 0;      // 0: default_batch_size
};

inline constexpr std::uint32_t default_batch_size = 256;

// The mode that `automatic` stands for; an Error if the model can't run the wanted one.
Expected<FfnMode> resolve_mode(const model::LoadedModel& model, FfnMode wanted);

class Session {
 public:
  // `device` and `memory` must outlive the session.
  static Expected<Session> create(std::shared_ptr<const model::LoadedModel> model,
                                  const devices::CpuDevice& device, platform::Memory& memory,
                                  const SessionOptions& options);

  // Appends up to batch_size() tokens. Errors: invalid_argument (an id outside the vocabulary),
  // context_full, out_of_memory, cancelled, numeric_failure, file_changed; the cache then holds
  // what it held before.
  Expected<void> append(std::span<const TokenId> ids, std::size_t logit_rows,
                        const std::atomic<bool>* cancel = nullptr,
                        const ActivityObserver& observer = {});
  std::span<const float> logits(std::size_t row) const { return pass_.logits(row); }
  std::span<const std::uint32_t> active_neurons() const { return pass_.active_neurons(); }

  std::span<const TokenId> tokens() const { return tokens_; }
  std::uint32_t length() const { return static_cast<std::uint32_t>(tokens_.size()); }
  void truncate(std::uint32_t length);
  // Length of the longest common prefix of `ids` and what the cache holds.
  std::uint32_t common_prefix(std::span<const TokenId> ids) const;

  // For owners that keep device and session side by side and move both.
  void set_device(const devices::CpuDevice& device) { device_ = &device; }
  const model::LoadedModel& model() const { return *model_; }
  FfnMode mode() const { return mode_; }
  // Changing the mode forgets the cache: it was computed the other way.
  Expected<void> set_mode(FfnMode mode);
  std::uint32_t context_length() const { return cache_.limit(); }
  // The context_full error for a context that would need `tokens`.
  Error context_error(std::string message, std::size_t tokens) const;
  std::uint32_t batch_size() const { return pass_.batch_size(); }
  std::uint64_t kv_bytes() const { return cache_.bytes(); }
  std::uint64_t work_bytes() const { return pass_.work_bytes(); }

 private:
  Session(std::shared_ptr<const model::LoadedModel> model, const devices::CpuDevice& device,
          KvCache cache, ForwardPass pass, FfnMode mode, Precision precision)
      : model_(std::move(model)),
        device_(&device),
        cache_(std::move(cache)),
        pass_(std::move(pass)),
        mode_(mode),
        precision_(precision) {}

  std::shared_ptr<const model::LoadedModel> model_;
  const devices::CpuDevice* device_;
  KvCache cache_;
  ForwardPass pass_;
  FfnMode mode_;
  Precision precision_;
  std::vector<TokenId> tokens_;
};

}  // namespace thermocline::runtime
