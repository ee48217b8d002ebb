#include "model/configuration.h"

#include "model/limits.h"

#include <cmath>
#include <string>

namespace thermocline::model {
namespace {

constexpr const char* damaged_remedy =
    "the file is damaged or was made wrongly; get it again from its source";

// Reads keys below "<architecture>.".
class KeyReader {
 public:
  KeyReader(const gguf::Container& file, std::string_view architecture)
      : file_(file), prefix_(std::string(architecture) + ".") {}

  Error problem(std::string_view key, std::string message, std::string wanted,
                std::string found) const {
    Error error = file_.error(ErrorCode::corrupt_file, std::move(message), damaged_remedy);
    error.tensor = std::string(key);
    error.wanted = std::move(wanted);
    error.found = std::move(found);
    if (const gguf::KeyValue* pair = file_.find(key)) error.offset = pair->offset;
    return error;
  }

  // An integer in 1..limit; missing is an error unless `fallback` is given.
  Expected<std::uint32_t> size(std::string_view name, std::uint64_t limit,
                               std::optional<std::uint64_t> fallback = {}) const {
    const std::string key = prefix_ + std::string(name);
    THERMOCLINE_ASSIGN(std::optional<std::uint64_t> value, file_.unsigned_value(key));
    if (!value) value = fallback;
    if (!value) return problem(key, "the key is missing", "1 to " + std::to_string(limit), {});
    if (*value == 0 || *value > limit) {
      return problem(key, "the value is out of range", "1 to " + std::to_string(limit),
                     std::to_string(*value));
    }
    return static_cast<std::uint32_t>(*value);
  }

  // A finite number in [low, high]; empty if missing.
  Expected<std::optional<double>> number(std::string_view full_key, double low, double high) const {
    THERMOCLINE_ASSIGN(const std::optional<double> value, file_.real_value(full_key));
    if (value && !(*value >= low && *value <= high)) {
      return problem(full_key, "the value is out of range",
                     std::to_string(low) + " to " + std::to_string(high), std::to_string(*value));
    }
    return value;
  }

  std::string full(std::string_view name) const { return prefix_ + std::string(name); }

 private:
  const gguf::Container& file_;
  std::string prefix_;
};

Expected<void> read_rope(const gguf::Container& file, const KeyReader& keys,
                         Configuration& config) {
  const std::uint32_t head_size = config.head_size();
  THERMOCLINE_ASSIGN(config.rope_dimensions,
                     keys.size("rope.dimension_count", head_size, head_size));
  if (config.rope_dimensions % 2 != 0) {
    return keys.problem(keys.full("rope.dimension_count"), "rotary dimensions must come in pairs",
                        "an even number", std::to_string(config.rope_dimensions));
  }
  THERMOCLINE_ASSIGN(const auto base, keys.number(keys.full("rope.freq_base"), 1.0, 1e12));
  config.rope_base = base.value_or(10000.0);

  const std::string type_key = keys.full("rope.scaling.type");
  THERMOCLINE_ASSIGN(const auto type, file.string_value(type_key));
  THERMOCLINE_ASSIGN(const auto old_factor, keys.number(keys.full("rope.scale_linear"), 1e-3, 1e4));
  THERMOCLINE_ASSIGN(const auto factor, keys.number(keys.full("rope.scaling.factor"), 1e-3, 1e4));
  if (type && *type != "none" && *type != "linear") {
    Error error = keys.problem(type_key, "this kind of position scaling isn't supported",
                               "none or linear", std::string(*type));
    error.code = ErrorCode::unsupported;
    error.remedy = "use a model without it";
    return error;
  }
  if (type && *type == "none") return {};
  config.rope_scale = 1.0 / factor.value_or(old_factor.value_or(1.0));
  return {};
}

}  // namespace

Expected<Configuration> read_configuration(const gguf::Container& file) {
  THERMOCLINE_ASSIGN(const auto name, file.string_value("general.architecture"));
  if (!name) {
    Error error = file.error(ErrorCode::corrupt_file, "the key is missing", damaged_remedy);
    error.tensor = "general.architecture";
    error.wanted = known_architectures();
    return error;
  }
  Configuration config;
  config.traits = find_architecture(*name);
  const KeyReader keys(file, *name);
  if (config.traits == nullptr) {
    Error error = keys.problem("general.architecture", "this architecture isn't supported",
                               std::string(known_architectures()), std::string(*name));
    error.code = ErrorCode::unsupported;
    error.remedy = *name == "generic.gpu_index"
                       ? "this is a GPU index, open the model it belongs to"
                       : "choose one of PowerInfer's models";
    return error;
  }
  const ArchitectureTraits& traits = *config.traits;
  config.silu = traits.dense_is_silu && file.magic() == gguf::Magic::gguf;

  THERMOCLINE_ASSIGN(config.layers, keys.size("block_count", max_layers));
  THERMOCLINE_ASSIGN(config.hidden_size, keys.size("embedding_length", max_hidden_size));
  THERMOCLINE_ASSIGN(config.ffn_size, keys.size("feed_forward_length", max_ffn_size));
  THERMOCLINE_ASSIGN(config.context_length, keys.size("context_length", max_context));
  THERMOCLINE_ASSIGN(config.heads, keys.size("attention.head_count", max_heads));
  THERMOCLINE_ASSIGN(config.kv_heads,
                     keys.size("attention.head_count_kv", max_heads, config.heads));
  if (config.hidden_size % config.heads != 0) {
    return keys.problem(
        keys.full("attention.head_count"), "the hidden size isn't a multiple of the heads",
        "a divisor of " + std::to_string(config.hidden_size), std::to_string(config.heads));
  }
  if (config.heads % config.kv_heads != 0) {
    return keys.problem(
        keys.full("attention.head_count_kv"), "the heads aren't a multiple of the KV heads",
        "a divisor of " + std::to_string(config.heads), std::to_string(config.kv_heads));
  }
  if (traits.rope != RopeKind::none) THERMOCLINE_CHECK(read_rope(file, keys, config));

  const std::string epsilon_key =
      keys.full(traits.norm == NormKind::rms ? "attention.layer_norm_rms_epsilon"
                                             : "attention.layer_norm_epsilon");
  THERMOCLINE_ASSIGN(const auto epsilon, keys.number(epsilon_key, 0.0, 1.0));
  if (!epsilon && traits.default_epsilon == 0.0) {
    return keys.problem(epsilon_key, "the key is missing", "a small positive number", {});
  }
  config.norm_epsilon = static_cast<float>(epsilon.value_or(traits.default_epsilon));

  THERMOCLINE_ASSIGN(const auto threshold, keys.number("powerinfer.sparse_threshold", -1e6, 1e6));
  config.predictor_threshold = static_cast<float>(threshold.value_or(0.0));

  const std::string layout_key = keys.full("tensor_data_layout");
  THERMOCLINE_ASSIGN(const auto layout, file.string_value(layout_key));
  if (traits.fused_qkv && layout && *layout != "jploski") {
    Error error = keys.problem(layout_key, "this tensor layout isn't supported", "jploski",
                               std::string(*layout));
    error.code = ErrorCode::unsupported;
    error.remedy = "convert the original weights again";
    return error;
  }
  return config;
}

}  // namespace thermocline::model
