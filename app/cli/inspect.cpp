// `thermocline inspect`: what a file is, what it holds and whether it would run.
#include "app/cli/commands.h"
#include "app/cli/file_kind.h"
#include "app/cli/json_text.h"
#include "app/cli/model_path.h"
#include "app/cli/report.h"
#include "app/cli/sizes.h"
#include "app/cli/terminal.h"
#include "gguf/container.h"
#include "platform/file_system.h"

#include <thermocline/model.h>

#include <algorithm>

namespace thermocline::cli {
namespace {

constexpr std::size_t shown_elements = 8;     // of an array
constexpr std::size_t shown_characters = 90;  // of a string, in the table

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
            const std::vector<std::string_view> strings = value.strings();
            for (std::size_t i = 0; i < std::min(shown_elements, strings.size()); ++i) {
              first.push_back(strings[i]);
            }
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

Json file_json(const gguf::Container& file, const Purpose& purpose, Json run) {
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
  return {{"file", file.file_name()},
          {"kind", purpose.name},
          {"description", purpose.text},
          {"bytes", file.file_size()},
          {"version", file.version()},
          {"alignment", file.alignment()},
          {"data_offset", file.data_offset()},
          {"tensor_bytes", tensor_bytes},
          {"keys", std::move(keys)},
          {"tensors", std::move(tensors)},
          {"run", std::move(run)}};
}

// JSON strings without quotes, everything else as JSON; one printable line of limited length.
std::string short_text(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
  if (!value.is_string()) text.pop_back();
  text = printable(text.substr(0, 4 * shown_characters));
  if (text.size() <= shown_characters) return text;
  std::size_t end = shown_characters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + " ...";
}

std::string table(const Json& file) {
  std::string text = printable(file["file"].get<std::string>()) + ": " +
                     file["description"].get<std::string>() + ", " +
                     size_text(file["bytes"].get<std::uint64_t>()) + "\n";
  for (const char* name : {"version", "alignment", "data_offset", "tensor_bytes"}) {
    text += "  " + std::string(name) + ": " + file[name].dump() + "\n";
  }
  text += "\nkeys (" + std::to_string(file["keys"].size()) + ")\n";
  for (const Json& key : file["keys"]) {
    text += "  " + short_text(key["key"]) + " (" + key["type"].get<std::string>() + "): ";
    const Json& value = key["value"];
    text += value.is_object()
                ? value["count"].dump() + " x " + value["element"].get<std::string>() + ": " +
                      short_text(value["first"])
                : short_text(value);
    text += "\n";
  }
  text += "\ntensors (" + std::to_string(file["tensors"].size()) + ")\n";
  for (const Json& tensor : file["tensors"]) {
    text += "  " + short_text(tensor["name"]) + "  " + tensor["type"].get<std::string>() + "  " +
            tensor["dims"].dump() + "  at " + tensor["offset"].dump() + "  " +
            tensor["bytes"].dump() + " bytes\n";
  }
  text += "\nwhat would run\n";
  for (const auto& [name, value] : file["run"].items()) {
    if (name == "notes") {
      for (const Json& note : value)
        text += "  note: " + short_text(note) + "\n";
    } else {
      text += "  " + name + ": " + short_text(value) + "\n";
    }
  }
  return text;
}

Error unknown_file(const std::string& name) {
  Error error;
  error.code = ErrorCode::not_a_model;
  error.file = name;
  error.message = "the file is none of GGUF, PowerInfer GGUF, gpuidx, .pt and safetensors";
  error.remedy = "choose a file of one of these kinds";
  return error;
}

Expected<std::string> inspect(const Arguments& arguments) {
  const bool json = arguments.has("--json");
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  THERMOCLINE_ASSIGN(const auto mapped, platform::FileSystem::system().map(path));
  const FileKind kind = recognise(mapped->bytes());
  if (kind != FileKind::gguf) {
    // The container's reader knows more kinds of files by name, so its error says more.
    if (kind == FileKind::unknown) {
      THERMOCLINE_ASSIGN(const auto none, gguf::Container::open(path));
      return unknown_file(none->file_name());
    }
    const std::uint64_t bytes = mapped->bytes().size();
    const std::string name = platform::to_utf8(path);
    if (!json) {
      return printable(name) + ": " + std::string(description(kind)) + ", " + size_text(bytes) +
             "\n";
    }
    return json_text({{"file", name},
                      {"kind", name_of(kind)},
                      {"description", description(kind)},
                      {"bytes", bytes}},
                     2);
  }
  THERMOCLINE_ASSIGN(const auto file, gguf::Container::open(path));
  const Purpose purpose = purpose_of(*file);
  const Json all = file_json(*file, purpose, run_json(path, purpose));
  return json ? json_text(all, 2) : table(all);
}

int run(const Arguments& arguments) {
  const Expected<std::string> text = inspect(arguments);
  return text ? finish_with(*text) : report_failure(text.error());
}

}  // namespace

Command inspect_command() {
  return {"inspect",
          "FILE",
          1,
          1,
          "Shows what a file is: GGUF, PowerInfer GGUF, gpuidx, .pt or safetensors; for the first\n"
          "three with keys, tensors and what would run.",
          {{"--json", "", "print JSON"}},
          run};
}

}  // namespace thermocline::cli
