#include "model/weights.h"

#include "kernels/cpu/finite.h"
#include "kernels/cpu/kernel_table.h"

#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>

namespace thermocline::model {
namespace {

using gguf::TensorInfo;
using gguf::TensorType;
using kernels::NumberFormat;

constexpr const char* damaged_remedy =
    "the file is damaged or was made wrongly; get it again from its source";

std::optional<NumberFormat> number_format(TensorType type) {
  switch (type) {
    case TensorType::f32:
      return NumberFormat::f32;
    case TensorType::f16:
      return NumberFormat::f16;
    case TensorType::bf16:
      return NumberFormat::bf16;
    case TensorType::q4_0:
      return NumberFormat::q4_0;
    case TensorType::q5_0:
      return NumberFormat::q5_0;
    case TensorType::q8_0:
      return NumberFormat::q8_0;
    case TensorType::q6_k:
      return NumberFormat::q6_k;
    default:
      return std::nullopt;
  }
}

std::string shape_text(std::span<const std::uint64_t> dims) {
  std::string text = "{";
  for (const std::uint64_t dim : dims)
    text += (text.size() > 1 ? ", " : "") + std::to_string(dim);
  return text + "}";
}

// N of a name that begins with "blk.N.".
std::optional<std::uint64_t> layer_of(std::string_view name) {
  constexpr std::string_view prefix = "blk.";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint64_t layer = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), layer);
  if (failure != std::errc() || end == name.data() + name.size() || *end != '.') return {};
  return layer;
}

class Binder {
 public:
  Binder(const gguf::Container& file, const Configuration& config) : file_(file), config_(config) {}

  Expected<Weights> bind();

 private:
  Error problem(const std::string& name, ErrorCode code, std::string message) const {
    Error error = file_.error(code, std::move(message), damaged_remedy);
    error.tensor = name;
    return error;
  }

  // The tensor, whose shape must be {inputs, outputs} (or {inputs} if outputs is 0).
  Expected<const TensorInfo*> find(const std::string& name, std::uint64_t inputs,
                                   std::uint64_t outputs) {
    const TensorInfo* tensor = file_.find_tensor(name);
    const std::array<std::uint64_t, 2> wanted{inputs, outputs};
    const std::span<const std::uint64_t> wanted_dims(wanted.data(), outputs == 0 ? 1u : 2u);
    if (tensor == nullptr) {
      Error error = problem(name, ErrorCode::corrupt_file, "the model lacks this tensor");
      error.wanted = "a tensor of shape " + shape_text(wanted_dims);
      return error;
    }
    const std::span<const std::uint64_t> dims(tensor->dims.data(), tensor->dim_count);
    const std::uint64_t rows = outputs == 0 ? 1 : outputs;
    if (dims[0] != inputs || tensor->rows() != rows || tensor->dims[1] != rows) {
      Error error = problem(name, ErrorCode::corrupt_file, "the tensor has the wrong shape");
      error.wanted = shape_text(wanted_dims);
      error.found = shape_text(dims);
      error.offset = tensor->offset;
      return error;
    }
    bound_.insert(tensor);
    return tensor;
  }

  Expected<Matrix> matrix(const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
    THERMOCLINE_ASSIGN(const TensorInfo* tensor, find(name, inputs, outputs));
    const std::optional<NumberFormat> format = number_format(tensor->type.type);
    if (!format) {
      Error error = problem(name, ErrorCode::unsupported,
                            "type " + std::string(tensor->type.name) + " isn't supported");
      error.wanted = "F32, F16, BF16, Q4_0, Q5_0, Q8_0 or Q6_K";
      error.found = std::string(tensor->type.name);
      error.remedy = "use a file with one of these types";
      return error;
    }
    return Matrix{*format, static_cast<std::uint32_t>(outputs), static_cast<std::uint32_t>(inputs),
                  kernels::byte_size(*format, inputs), file_.data(*tensor).data()};
  }

  Expected<Vector> vector(const std::string& name, std::uint64_t length) {
    THERMOCLINE_ASSIGN(const TensorInfo* tensor, find(name, length, 0));
    const std::optional<NumberFormat> format = number_format(tensor->type.type);
    if (!format || kernels::block_layout(*format).length != 1) {
      Error error = problem(name, ErrorCode::unsupported, "norms and biases can't be of this type");
      error.wanted = "F32, F16 or BF16";
      error.found = std::string(tensor->type.name);
      return error;
    }
    Vector values(length);
    kernels::scalar_kernels().of(*format).dequantize(file_.data(*tensor).data(), values.data(),
                                                     length);
    return values;
  }

  Expected<Norm> norm(const std::string& prefix) {
    Norm result;
    THERMOCLINE_ASSIGN(result.weight, vector(prefix + ".weight", config_.hidden_size));
    if (config_.traits->norm == NormKind::layer) {
      THERMOCLINE_ASSIGN(result.bias, vector(prefix + ".bias", config_.hidden_size));
    }
    return result;
  }

  Expected<LinearLayer> linear(const std::string& prefix, std::uint64_t inputs,
                               std::uint64_t outputs, std::uint64_t bias_length) {
    LinearLayer layer;
    THERMOCLINE_ASSIGN(layer.weight, matrix(prefix + ".weight", inputs, outputs));
    if (config_.traits->linear_biases) {
      THERMOCLINE_ASSIGN(layer.bias, vector(prefix + ".bias", bias_length));
    }
    return layer;
  }

  Expected<void> bind_attention(const std::string& block, LayerWeights& layer);
  Expected<void> bind_ffn(const std::string& block, LayerWeights& layer);
  Expected<void> bind_predictor(const std::string& block, LayerWeights& layer, bool first,
                                bool& has);
  Expected<void> check_all_bound() const;

  const gguf::Container& file_;
  const Configuration& config_;
  std::unordered_set<const TensorInfo*> bound_;
};

Expected<void> Binder::bind_attention(const std::string& block, LayerWeights& layer) {
  const std::uint32_t hidden = config_.hidden_size;
  const std::uint32_t kv = config_.kv_size();
  if (config_.traits->fused_qkv) {
    THERMOCLINE_ASSIGN(const Matrix fused,
                       matrix(block + "attn_qkv.weight", hidden, hidden + 2ull * kv));
    layer.query.weight = fused.slice(0, hidden);
    layer.key.weight = fused.slice(hidden, kv);
    layer.value.weight = fused.slice(hidden + kv, kv);
  } else {
    THERMOCLINE_ASSIGN(layer.query, linear(block + "attn_q", hidden, hidden, hidden));
    THERMOCLINE_ASSIGN(layer.key, linear(block + "attn_k", hidden, kv, kv));
    THERMOCLINE_ASSIGN(layer.value, linear(block + "attn_v", hidden, kv, kv));
  }
  THERMOCLINE_ASSIGN(layer.output, linear(block + "attn_output", hidden, hidden, hidden));

  if (!config_.traits->parallel_block) {
    THERMOCLINE_ASSIGN(layer.attention_norm, norm(block + "attn_norm"));
    THERMOCLINE_ASSIGN(layer.ffn_norm, norm(block + "ffn_norm"));
    return {};
  }
  // Falcon-7B has one norm for both halves of the block; Falcon-40B adds attn_norm_2 for attention.
  THERMOCLINE_ASSIGN(layer.ffn_norm, norm(block + "attn_norm"));
  layer.shared_norm = file_.find_tensor(block + "attn_norm_2.weight") == nullptr;
  if (!layer.shared_norm) {
    THERMOCLINE_ASSIGN(layer.attention_norm, norm(block + "attn_norm_2"));
  }
  return {};
}

Expected<void> Binder::bind_ffn(const std::string& block, LayerWeights& layer) {
  const std::uint32_t hidden = config_.hidden_size;
  const std::uint32_t ffn = config_.ffn_size;
  if (config_.traits->gated) {
    THERMOCLINE_ASSIGN(layer.gate, matrix(block + "ffn_gate.weight", hidden, ffn));
  }
  THERMOCLINE_ASSIGN(layer.up, linear(block + "ffn_up", hidden, ffn, ffn));
  layer.down_transposed = file_.magic() == gguf::Magic::powerinfer;
  if (layer.down_transposed) {
    THERMOCLINE_ASSIGN(layer.down, linear(block + "ffn_down_t", hidden, ffn, hidden));
  } else {
    THERMOCLINE_ASSIGN(layer.down, linear(block + "ffn_down", ffn, hidden, hidden));
  }
  return {};
}

Expected<void> Binder::bind_predictor(const std::string& block, LayerWeights& layer, bool first,
                                      bool& has) {
  const std::string first_name = block + "fc1.weight";
  const std::string second_name = block + "fc2.weight";
  const TensorInfo* fc1 = file_.find_tensor(first_name);
  const TensorInfo* fc2 = file_.find_tensor(second_name);
  if (first) has = fc1 != nullptr || fc2 != nullptr;
  if (!has) {
    if (fc1 == nullptr && fc2 == nullptr) return {};
    return problem(fc1 != nullptr ? first_name : second_name, ErrorCode::corrupt_file,
                   "this layer has a predictor while an earlier one has none");
  }
  if (fc1 == nullptr || fc2 == nullptr) {
    return problem(fc1 == nullptr ? first_name : second_name, ErrorCode::corrupt_file,
                   "the predictor lacks this tensor");
  }
  const std::uint64_t rank = fc1->dims[1];
  if (rank > config_.ffn_size) {
    Error error =
        problem(first_name, ErrorCode::corrupt_file, "the predictor's rank exceeds the FFN size");
    error.wanted = "at most " + std::to_string(config_.ffn_size);
    error.found = std::to_string(rank);
    error.offset = fc1->offset;
    return error;
  }
  THERMOCLINE_ASSIGN(layer.predictor_first, matrix(first_name, config_.hidden_size, rank));
  THERMOCLINE_ASSIGN(layer.predictor_second, matrix(second_name, rank, config_.ffn_size));
  return {};
}

// A tensor without a place means that the file describes another model than the one that would be
// computed: more layers, biases, other position frequencies. Leaving it out would give wrong
// answers without a word.
Expected<void> Binder::check_all_bound() const {
  for (const TensorInfo& tensor : file_.tensors()) {
    if (bound_.contains(&tensor)) continue;
    const std::string name(tensor.name);
    const std::optional<std::uint64_t> layer = layer_of(tensor.name);
    if (layer && *layer >= config_.layers) {
      Error error = problem(name, ErrorCode::corrupt_file,
                            "the file holds more layers than its block_count says");
      error.wanted = "layers 0 to " + std::to_string(config_.layers - 1);
      error.found = "layer " + std::to_string(*layer);
      return error;
    }
    Error error = problem(
        name, ErrorCode::unsupported,
        "the " + std::string(config_.traits->name) + " architecture has no place for this tensor");
    error.remedy = "use a model without it: left out, it would make the answers wrong";
    return error;
  }
  return {};
}

Expected<Weights> Binder::bind() {
  Weights weights;
  const std::uint32_t hidden = config_.hidden_size;
  const TensorInfo* embedding = file_.find_tensor("token_embd.weight");
  const std::uint64_t vocabulary = embedding == nullptr ? 1 : embedding->dims[1];
  THERMOCLINE_ASSIGN(weights.embedding, matrix("token_embd.weight", hidden, vocabulary));
  THERMOCLINE_ASSIGN(weights.final_norm, norm("output_norm"));
  if (config_.traits->tied_output) {
    weights.head = weights.embedding;
  } else {
    THERMOCLINE_ASSIGN(weights.head, matrix("output.weight", hidden, vocabulary));
  }
  if (config_.traits->learned_positions) {
    const TensorInfo* positions = file_.find_tensor("position_embd.weight");
    const std::uint64_t rows = positions == nullptr ? 1 : positions->dims[1];
    THERMOCLINE_ASSIGN(weights.positions, matrix("position_embd.weight", hidden, rows));
    if (rows <= position_offset) {
      return problem("position_embd.weight", ErrorCode::corrupt_file,
                     "the tensor holds no usable position");
    }
  }
  weights.layers.resize(config_.layers);
  for (std::uint32_t i = 0; i < config_.layers; ++i) {
    const std::string block = "blk." + std::to_string(i) + ".";
    THERMOCLINE_CHECK(bind_attention(block, weights.layers[i]));
    THERMOCLINE_CHECK(bind_ffn(block, weights.layers[i]));
    THERMOCLINE_CHECK(bind_predictor(block, weights.layers[i], i == 0, weights.has_predictors));
  }
  THERMOCLINE_CHECK(check_all_bound());
  return weights;
}

}  // namespace

Expected<Weights> bind_weights(const gguf::Container& file, const Configuration& config) {
  return Binder(file, config).bind();
}

Expected<void> check_finite(const gguf::Container& file) {
  for (const TensorInfo& tensor : file.tensors()) {
    const std::optional<NumberFormat> format = number_format(tensor.type.type);
    if (!format) continue;
    const std::byte* data = file.data(tensor).data();
    const std::size_t count = tensor.dims[0] * tensor.rows();
    const std::size_t at = kernels::first_non_finite(*format, data, count);
    if (at == count) continue;
    Error error = file.error(ErrorCode::corrupt_file,
                             "the tensor holds a weight that isn't a number", damaged_remedy);
    error.tensor = std::string(tensor.name);
    const kernels::BlockLayout layout = kernels::block_layout(*format);
    error.offset = tensor.offset + at / layout.length * layout.bytes;
    error.wanted = "finite weights";
    error.found = "NaN or infinity in weight " + std::to_string(at);
    return error;
  }
  return {};
}

}  // namespace thermocline::model
