// What a GGUF container holds and whether it would run.
#include "app/cli/described_file.h"
#include "gguf/container.h"

#include <thermocline/model.h>

#include <algorithm>

namespace thermocline::cli {
namespace {

constexpr std::size_t shown_elements = 8;  // of an array

// What a GGUF container is for, judged by its content.
struct Purpose {
  std::string_view name;
  std::string_view text;
  bool may_run;
};

Purpose purpose_of(const gguf::Container& file) {
  const Expected<std::optional<std::string_view>> architecture =
      file.string_value("general.architecture");
  if (architecture && *architecture == "generic.gpu_index") {
    return {"gpuidx", "PowerInfer GPU index: which neurons go to the GPU", false};
  }
  if (file.tensors().empty() && file.find("tokenizer.ggml.tokens") != nullptr) {
    return {"vocabulary", "GGUF with a vocabulary only", false};
  }
  if (file.magic() == gguf::Magic::powerinfer) {
    return {"powerinfer-gguf", "PowerInfer GGUF model", true};
  }
  return {"gguf", "GGUF model", true};
}

Json element_json(const gguf::ArrayView& array, std::uint64_t i) {
  if (array.is_real()) return array.real(i);
  if (array.element_type() == gguf::ValueType::boolean) return array.integer(i) != 0;
  return array.integer(i);
}

Json value_json(const gguf::KeyValue& pair) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, gguf::ArrayView>) {
          Json first = Json::array();
          if (value.element_type() == gguf::ValueType::string) {
            for (const std::string_view text : value.strings(shown_elements))
              first.push_back(text);
          } else if (value.is_integer() || value.is_real()) {
            for (std::uint64_t i = 0; i < std::min<std::uint64_t>(shown_elements, value.size());
                 ++i) {
              first.push_back(element_json(value, i));
            }
          }
          return {{"element", gguf::name_of(value.element_type())},
                  {"count", value.size()},
                  {"first", std::move(first)}};
        } else {
          return value;
        }
      },
      pair.value);
}

Json dims_json(const gguf::TensorInfo& tensor) {
  Json dims = Json::array();
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(tensor.dim_count, 4); ++i) {
    dims.push_back(tensor.dims[i]);
  }
  return dims;
}

Json info_json(const ModelInfo& info) {
  return {{"runs", true},
          {"name", info.name},
          {"architecture", info.architecture},
          {"activation", info.activation},
          {"quantisation", info.quantisation},
          {"powerinfer", info.powerinfer},
          {"sparse", info.sparse},
          {"predictors", info.has_predictors},
          {"predictor_threshold", info.predictor_threshold},
          {"predictor_ranks", info.predictor_ranks},
          {"parameters", info.parameters},
          {"layers", info.layers},
          {"hidden_size", info.hidden_size},
          {"ffn_size", info.ffn_size},
          {"heads", info.heads},
          {"kv_heads", info.kv_heads},
          {"vocabulary_size", info.vocabulary_size},
          {"context_length", info.context_length},
          {"licence", info.licence},
          {"notes", info.notes}};
}

Json run_json(const std::filesystem::path& path, const Purpose& purpose) {
  if (!purpose.may_run) return {{"runs", false}, {"reason", "the file is not a model"}};
  const Expected<Model> model = Model::open(path);
  if (!model) return {{"runs", false}, {"reason", model.error().line()}};
  return info_json(model->info());
}

}  // namespace

Json described(const gguf::Container& file, const std::filesystem::path& path) {
  const Purpose purpose = purpose_of(file);
  Json keys = Json::array();
  for (const gguf::KeyValue& pair : file.key_values()) {
    keys.push_back(
        {{"key", pair.key}, {"type", gguf::name_of(pair.type)}, {"value", value_json(pair)}});
  }
  Json tensors = Json::array();
  std::uint64_t tensor_bytes = 0;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    tensor_bytes += tensor.bytes;
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.type.name},
                       {"dims", dims_json(tensor)},
                       {"offset", tensor.offset},
                       {"bytes", tensor.bytes}});
  }
  return {{"file", file.file_name()},          {"kind", purpose.name},
          {"description", purpose.text},       {"bytes", file.file_size()},
          {"version", file.version()},         {"alignment", file.alignment()},
          {"data_offset", file.data_offset()}, {"tensor_bytes", tensor_bytes},
          {"keys", std::move(keys)},           {"tensors", std::move(tensors)},
          {"run", run_json(path, purpose)}};
}

}  // namespace thermocline::cli
