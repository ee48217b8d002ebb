// Opening a model and describing it.
#include "model/loaded_model.h"
#include "platform/memory_guard.h"
#include "tokenizer/vocabulary.h"

#include <thermocline/model.h>

#include <string>

namespace thermocline {
namespace {

using model::Configuration;
using model::Weights;

// Files up to this size are scanned for NaN when they are opened: it costs milliseconds.
constexpr std::uint64_t automatic_check_limit = std::uint64_t{256} << 20;

std::string optional_text(const gguf::Container& file, std::string_view key) {
  const auto value = file.string_value(key);
  return value && *value ? std::string(**value) : std::string();
}

std::uint64_t parameter_count(const gguf::Container& file) {
  std::uint64_t count = 0;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    const bool predictor = tensor.name.find(".fc1.") != std::string_view::npos ||
                           tensor.name.find(".fc2.") != std::string_view::npos;
    if (!predictor) count += tensor.dims[0] * tensor.rows();
  }
  return count;
}

ModelInfo describe(const gguf::Container& file, const Configuration& config,
                   const Weights& weights) {
  ModelInfo info;
  info.name = optional_text(file, "general.name");
  info.architecture = config.traits->name;
  info.file = file.file_name();
  info.licence = optional_text(file, "general.license");
  info.chat_template = optional_text(file, "tokenizer.chat_template");
  const gguf::TensorInfo* up = file.find_tensor("blk.0.ffn_up.weight");
  info.quantisation = up == nullptr ? "" : std::string(up->type.name);
  info.activation = config.silu                 ? "SiLU"
                    : config.traits->relu_on_up ? "ReLU on gate and up"
                                                : "ReLU";
  info.powerinfer = file.magic() == gguf::Magic::powerinfer;
  info.has_predictors = weights.has_predictors;
  info.sparse = !config.silu && info.powerinfer;
  info.file_bytes = file.file_size();
  info.parameters = parameter_count(file);
  info.layers = config.layers;
  info.hidden_size = config.hidden_size;
  info.ffn_size = config.ffn_size;
  info.heads = config.heads;
  info.kv_heads = config.kv_heads;
  info.vocabulary_size = weights.embedding.rows;
  info.context_length = config.context_length;
  info.predictor_threshold = config.predictor_threshold;
  if (weights.positions) {
    info.position_limit = weights.positions.rows - model::position_offset;
    info.context_length = std::min(info.context_length, info.position_limit);
  }
  for (const model::LayerWeights& layer : weights.layers) {
    if (layer.predictor_first) info.predictor_ranks.push_back(layer.predictor_first.rows);
  }
  if (!info.powerinfer && !config.traits->dense_is_silu) {
    info.notes.emplace_back(
        "a dense file doesn't say which activation function the model was trained with; ReLU is "
        "assumed");
  }
  if (info.powerinfer && !info.has_predictors) {
    info.notes.emplace_back("the file holds no predictors: it runs in exact mode only");
  }
  return info;
}

Expected<Model> open_model(const std::filesystem::path& path, const OpenOptions& options) {
  platform::FileSystem& files =
      options.files != nullptr ? *options.files : platform::FileSystem::system();
  THERMOCLINE_ASSIGN(const std::shared_ptr<const gguf::Container> file,
                     gguf::Container::open(path, files));
  THERMOCLINE_ASSIGN(const Configuration config, model::read_configuration(*file));
  THERMOCLINE_ASSIGN(Weights weights, model::bind_weights(*file, config));
  THERMOCLINE_ASSIGN(const auto vocabulary, tokenizer::read_vocabulary(file));
  Tokenizer tokenizer(vocabulary);
  if (tokenizer.size() != weights.embedding.rows) {
    Error error =
        file->error(ErrorCode::corrupt_file, "the vocabulary and the embedding differ in size",
                    "the file is damaged or was made wrongly; get it again from its source");
    error.tensor = "tokenizer.ggml.tokens";
    error.wanted = std::to_string(weights.embedding.rows) + " tokens";
    error.found = std::to_string(tokenizer.size());
    return error;
  }
  const bool check = options.weight_check == WeightCheck::always ||
                     (options.weight_check == WeightCheck::automatic &&
                      file->file_size() <= automatic_check_limit);
  if (check) THERMOCLINE_CHECK(model::check_finite(*file));
  if (file->damaged()) {
    return file->error(ErrorCode::file_changed, "the file shrank while it was being opened",
                       "let the program that writes it finish, then try again");
  }
  ModelInfo info = describe(*file, config, weights);
  return Model(std::make_shared<const model::LoadedModel>(file, config, std::move(weights),
                                                          std::move(tokenizer), std::move(info)));
}

}  // namespace

Expected<Model> Model::open(const std::filesystem::path& path, const OpenOptions& options) {
  std::string name;
  auto model = platform::with_memory_guard("opening the model", [&] {
    name = platform::to_utf8(path);
    return open_model(path, options);
  });
  if (!model && model.error().file.empty()) model.error().file = std::move(name);
  return model;
}

const ModelInfo& Model::info() const {
  return loaded_->info();
}
const Tokenizer& Model::tokenizer() const {
  return loaded_->tokenizer();
}

}  // namespace thermocline
