// Matrix times a batch of vectors, rows shared between the threads. Each output is one dot product
// computed by one thread, so results don't depend on the number of threads or the size of the
// batch.
#pragma once

#include "model/weights.h"
#include "runtime/activations.h"

namespace thermocline::runtime {

// A dot product of one weight row with row `token` of `in`, rounded as the context's precision
// says. Usable inside parallel tasks once prepare() has run.
class RowProduct {
 public:
  RowProduct(const ComputeContext& context, const model::Matrix& matrix, const Activations& in)
      : matrix_(matrix),
        kernels_(context.kernels().of(matrix.format)),
        in_(in),
        quantized_(needs_quantized(context, matrix)) {}

  static bool needs_quantized(const ComputeContext& context, const model::Matrix& matrix) {
    return context.precision == Precision::fast &&
           context.kernels().of(matrix.format).dot_quantized != nullptr;
  }
  // Makes the 8-bit copy of `in` if `matrix` needs it. Not for use inside a task.
  static void prepare(const ComputeContext& context, const model::Matrix& matrix, Activations& in,
                      std::size_t tokens) {
    if (matrix && needs_quantized(context, matrix)) in.quantize(context, tokens);
  }

  float operator()(std::size_t row, std::size_t token) const noexcept {
    return quantized_
               ? kernels_.dot_quantized(matrix_.row(row), in_.quantized(token), matrix_.columns)
               : kernels_.dot(matrix_.row(row), in_.row(token).data(), matrix_.columns);
  }

 private:
  const model::Matrix& matrix_;
  const kernels::FormatKernels& kernels_;
  const Activations& in_;
  bool quantized_;
};

// out[t][r] = dot(matrix row r, in[t]) + bias[r] for t < tokens. `bias` may be empty. Stops early,
// leaving `out` unspecified, when the context is cancelled.
void multiply(const ComputeContext& context, const model::Matrix& matrix, const model::Vector& bias,
              Activations& in, std::size_t tokens, Activations& out);

inline void multiply(const ComputeContext& context, const model::LinearLayer& layer,
                     Activations& in, std::size_t tokens, Activations& out) {
  multiply(context, layer.weight, layer.bias, in, tokens, out);
}

}  // namespace thermocline::runtime
