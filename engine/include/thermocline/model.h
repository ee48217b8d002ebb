// A model file, opened and checked.
#pragma once

#include <thermocline/expected.h>
#include <thermocline/tokenizer.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace thermocline {

namespace platform {
class FileSystem;
}
namespace model {
class LoadedModel;  // engine/model
}

// When to look at every weight for NaN and infinity.
enum class WeightCheck {
  automatic,  // small files (up to 256 MiB) at once; others when a result turns out not to be a
              // number
  always,
  never,
};

struct OpenOptions {
  platform::FileSystem* files = nullptr;  // null: the machine's files
  WeightCheck weight_check = WeightCheck::automatic;
};

// What a person wants to know about a model before running it.
struct ModelInfo {
  std::string name;                // general.name, may be empty
  std::string architecture;        // "llama", "falcon", "bamboo", "opt"
  std::string file;                // UTF-8 path
  std::string quantisation;        // type of the FFN matrices: "Q4_0", "F16", ...
  std::string activation;          // "ReLU", "ReLU on gate and up", "SiLU"
  std::string licence;             // general.license, empty if the file doesn't say
  std::string chat_template;       // tokenizer.chat_template (Jinja), never executed; may be empty
  std::vector<std::string> notes;  // one-line remarks, e.g. that the file leaves something open
  bool powerinfer = false;         // PowerInfer GGUF (transposed down matrices)
  bool has_predictors = false;
  bool sparse = false;  // zero activations can be skipped
  std::uint64_t file_bytes = 0;
  std::uint64_t parameters = 0;  // weights without predictors
  std::uint32_t layers = 0;
  std::uint32_t hidden_size = 0;
  std::uint32_t ffn_size = 0;  // neurons per layer
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t vocabulary_size = 0;
  std::uint32_t context_length = 0;  // what the file states: a default, not a limit
  std::uint32_t position_limit = 0;  // hard limit by learned positions; 0: none
  float predictor_threshold = 0.0f;
  std::vector<std::uint32_t> predictor_ranks;  // per layer
};

// An open model: a cheap handle on an immutable mapped file. Copy it freely, use it from any
// thread.
class Model {
 public:
  // Maps `path` and checks container, hyper-parameters, tokenizer and the shape of every tensor.
  // Reads little of a large file. Errors name the file, the key or tensor, what was wanted and
  // found.
  static Expected<Model> open(const std::filesystem::path& path, const OpenOptions& options = {});

  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;

  // For the engine's own layers.
  explicit Model(std::shared_ptr<const model::LoadedModel> loaded) : loaded_(std::move(loaded)) {}
  const std::shared_ptr<const model::LoadedModel>& loaded() const { return loaded_; }

 private:
  std::shared_ptr<const model::LoadedModel> loaded_;
};

}  // namespace thermocline
