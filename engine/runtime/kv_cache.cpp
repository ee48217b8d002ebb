#include "runtime/kv_cache.h"

#include <algorithm>
#include <cstring>

namespace thermocline::runtime {
namespace {
// Growing by doubling from here keeps copying cheap and a short chat small.
constexpr std::uint32_t first_capacity = 256;
}  // namespace

KvCache::KvCache(platform::Memory& memory, const model::Configuration& config, Precision precision,
                 std::uint32_t limit)
    : memory_(&memory),
      format_(precision == Precision::fast ? kernels::NumberFormat::f16
                                           : kernels::NumberFormat::f32),
      limit_(limit),
      row_bytes_(kernels::byte_size(format_, config.kv_size())),
      head_bytes_(kernels::byte_size(format_, config.head_size())),
      layers_(config.layers) {}

std::uint64_t KvCache::bytes() const {
  return static_cast<std::uint64_t>(capacity_) * row_bytes_ * 2 * layers_.size();
}

Expected<void> KvCache::reserve(std::uint32_t tokens) {
  if (tokens <= capacity_) return {};
  const std::uint64_t doubled = std::max<std::uint64_t>(first_capacity, 2ull * capacity_);
  const auto wanted = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(limit_, std::max<std::uint64_t>(tokens, doubled)));
  std::vector<LayerBuffers> grown(layers_.size());
  for (LayerBuffers& layer : grown) {
    THERMOCLINE_ASSIGN(layer.keys,
                       memory_->allocate(std::uint64_t{wanted} * row_bytes_, "KV cache"));
    THERMOCLINE_ASSIGN(layer.values,
                       memory_->allocate(std::uint64_t{wanted} * row_bytes_, "KV cache"));
  }
  const std::size_t used = static_cast<std::size_t>(capacity_) * row_bytes_;
  for (std::size_t i = 0; used > 0 && i < layers_.size(); ++i) {
    std::memcpy(grown[i].keys.data(), layers_[i].keys.data(), used);
    std::memcpy(grown[i].values.data(), layers_[i].values.data(), used);
  }
  layers_ = std::move(grown);
  capacity_ = wanted;
  return {};
}

void KvCache::put(const kernels::KernelTable& kernels, std::span<const float> from,
                  std::byte* to) const {
  if (format_ == kernels::NumberFormat::f16) {
    kernels.to_half(from.data(), reinterpret_cast<std::uint16_t*>(to), from.size());
  } else {
    std::memcpy(to, from.data(), from.size_bytes());
  }
}

void KvCache::store(const kernels::KernelTable& kernels, std::uint32_t layer,
                    std::uint32_t position, std::span<const float> key,
                    std::span<const float> value) {
  put(kernels, key, layers_[layer].keys.data() + position * row_bytes_);
  put(kernels, value, layers_[layer].values.data() + position * row_bytes_);
}

}  // namespace thermocline::runtime
