// A batch of activation vectors, one row per token, with an 8-bit copy made when a quantised matrix
// first asks for it.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "platform/memory.h"
#include "runtime/compute_context.h"

#include <cstdint>
#include <span>

namespace thermocline::runtime {

class Activations {
 public:
  // Room for `tokens` rows of `width` floats; `quantizable` adds room for the 8-bit copy.
  static Expected<Activations> create(platform::Memory& memory, std::size_t tokens,
                                      std::size_t width, bool quantizable);

  std::size_t width() const { return width_; }
  // Uses the same room for rows of another width, at most the one it was created for (predictors
  // have a different rank in each layer). The contents are unspecified afterwards.
  void set_width(std::size_t width) {
    width_ = width;
    quantized_rows_ = 0;
  }
  std::uint64_t bytes() const;

  // Row `token` for reading.
  std::span<const float> row(std::size_t token) const {
    return values_.subspan(token * width_, width_);
  }
  // Row `token` for writing; the 8-bit copy is outdated from now on.
  std::span<float> edit(std::size_t token) {
    quantized_rows_ = 0;
    return values_.subspan(token * width_, width_);
  }

  // Makes the 8-bit copy of the first `tokens` rows if it isn't up to date. Width must be a
  // multiple of 32 and the object quantizable.
  void quantize(const ComputeContext& context, std::size_t tokens);
  kernels::QuantizedVector quantized(std::size_t token) const;

 private:
  std::size_t width_ = 0;
  std::size_t quantized_rows_ = 0;
  platform::Buffer value_buffer_;
  platform::Buffer code_buffer_;
  platform::Buffer scale_buffer_;
  platform::Buffer sum_buffer_;
  std::span<float> values_;       // [tokens][width]
  std::span<std::int8_t> codes_;  // [tokens][width]
  std::span<float> scales_;       // [tokens][width / 32]
  std::span<std::int32_t> sums_;  // [tokens][width / 32]
};

}  // namespace thermocline::runtime
