#include "runtime/activations.h"

namespace thermocline::runtime {
namespace {
constexpr std::size_t block = 32;
}

Expected<Activations> Activations::create(platform::Memory& memory, std::size_t tokens,
                                          std::size_t width, bool quantizable) {
  Activations result;
  result.width_ = width;
  THERMOCLINE_ASSIGN(result.value_buffer_,
                     memory.allocate_array<float>(tokens * width, "work space"));
  result.values_ = result.value_buffer_.as<float>(tokens * width);
  if (quantizable) {
    const std::size_t blocks = tokens * ((width + block - 1) / block);
    THERMOCLINE_ASSIGN(result.code_buffer_, memory.allocate(tokens * width, "work space"));
    THERMOCLINE_ASSIGN(result.scale_buffer_, memory.allocate_array<float>(blocks, "work space"));
    THERMOCLINE_ASSIGN(result.sum_buffer_,
                       memory.allocate_array<std::int32_t>(blocks, "work space"));
    result.codes_ = result.code_buffer_.as<std::int8_t>(tokens * width);
    result.scales_ = result.scale_buffer_.as<float>(blocks);
    result.sums_ = result.sum_buffer_.as<std::int32_t>(blocks);
  }
  return result;
}

std::uint64_t Activations::bytes() const {
  return value_buffer_.size() + code_buffer_.size() + scale_buffer_.size() + sum_buffer_.size();
}

void Activations::quantize(const ComputeContext& context, std::size_t tokens) {
  if (quantized_rows_ >= tokens) return;
  const std::size_t blocks = width_ / block;
  const auto quantize_row = context.kernels().quantize;
  const auto task = [&](unsigned member) noexcept {
    const devices::Range share = devices::share_of(tokens, 1, member, context.pool().size());
    for (std::size_t t = share.begin; t < share.end; ++t) {
      quantize_row(values_.data() + t * width_, width_, codes_.data() + t * width_,
                   scales_.data() + t * blocks, sums_.data() + t * blocks);
    }
  };
  if (tokens == 1) {
    quantize_row(values_.data(), width_, codes_.data(), scales_.data(), sums_.data());
  } else {
    context.pool().run(task);
  }
  quantized_rows_ = tokens;
}

kernels::QuantizedVector Activations::quantized(std::size_t token) const {
  const std::size_t blocks = width_ / block;
  return {codes_.data() + token * width_, scales_.data() + token * blocks,
          sums_.data() + token * blocks};
}

}  // namespace thermocline::runtime
