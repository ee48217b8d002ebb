#include "runtime/linear.h"

namespace thermocline::runtime {

void multiply(const ComputeContext& context, const model::Matrix& matrix, const model::Vector& bias,
              Activations& in, std::size_t tokens, Activations& out) {
  RowProduct::prepare(context, matrix, in, tokens);
  const RowProduct product(context, matrix, in);
  const std::span<float> all = out.edit(0);
  float* const first = all.data();
  const std::size_t stride = out.width();
  const std::size_t rows = matrix.rows;
  // 16 floats are a cache line: neighbouring threads don't write to the same one.
  const auto task = [&](unsigned member) noexcept {
    const devices::Range share = devices::share_of(rows, 16, member, context.pool().size());
    for (std::size_t r = share.begin; r < share.end; ++r) {
      if (context.cancelled()) return;
      const float offset = bias.empty() ? 0.0f : bias[r];
      for (std::size_t t = 0; t < tokens; ++t)
        first[t * stride + r] = product(r, t) + offset;
    }
  };
  context.pool().run(task);
}

}  // namespace thermocline::runtime
