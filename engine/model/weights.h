// The weights of a model as views on its mapped file, each with its shape beside it.
#pragma once

#include "gguf/container.h"
#include "kernels/cpu/number_format.h"
#include "model/configuration.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thermocline::model {

// A row-major matrix [rows = outputs][columns = inputs] in some number format. Empty if the
// architecture has no such matrix.
struct Matrix {
  kernels::NumberFormat format = kernels::NumberFormat::f32;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::size_t row_bytes = 0;
  const std::byte* data = nullptr;

  explicit operator bool() const { return data != nullptr; }
  const std::byte* row(std::size_t i) const { return data + i * row_bytes; }
  // Rows [first, first + count) as a matrix of their own.
  Matrix slice(std::uint32_t first, std::uint32_t count) const {
    return {format, count, columns, row_bytes, row(first)};
  }
};

// Norms and biases, copied because they are small and the file may hold them unaligned or in f16.
using Vector = std::vector<float>;

struct Norm {
  Vector weight;  // [hidden]
  Vector bias;    // [hidden], empty for RMSNorm
  explicit operator bool() const { return !weight.empty(); }
};

struct LinearLayer {
  Matrix weight;  // [out][in]
  Vector bias;    // [out] or empty
};

struct LayerWeights {
  Norm attention_norm;
  Norm ffn_norm;       // with a parallel block: what the FFN reads
  LinearLayer query;   // [hidden][hidden]
  LinearLayer key;     // [kv][hidden]
  LinearLayer value;   // [kv][hidden]
  LinearLayer output;  // [hidden][hidden]
  Matrix gate;         // [ffn][hidden] or empty
  LinearLayer up;      // [ffn][hidden]
  LinearLayer
      down;  // transposed: [ffn][hidden], row i = neuron i's contribution; else [hidden][ffn]
  bool down_transposed = false;
  bool shared_norm = false;  // Falcon-7B: attention and FFN read the same norm
  Matrix predictor_first;    // fc1 [rank][hidden] or empty
  Matrix predictor_second;   // fc2 [ffn][rank] or empty
};

struct Weights {
  Matrix embedding;  // [vocabulary][hidden]
  Matrix positions;  // [positions][hidden] or empty
  Norm final_norm;
  Matrix head;  // [vocabulary][hidden]
  std::vector<LayerWeights> layers;
  bool has_predictors = false;
};

// Binds every tensor the architecture needs. Errors name the tensor: missing, wrong shape, or of a
// type that can't be computed with.
Expected<Weights> bind_weights(const gguf::Container& file, const Configuration& config);

// Looks at every weight of the file; an Error names the first tensor and offset that isn't a
// number.
Expected<void> check_finite(const gguf::Container& file);

}  // namespace thermocline::model
