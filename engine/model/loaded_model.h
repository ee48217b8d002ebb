// An open model: file, hyper-parameters, weights and tokenizer together. Immutable.
#pragma once

#include "gguf/container.h"
#include "model/configuration.h"
#include "model/weights.h"

#include <thermocline/model.h>

#include <memory>

namespace thermocline::model {

class LoadedModel {
 public:
  LoadedModel(std::shared_ptr<const gguf::Container> file, Configuration config, Weights weights,
              Tokenizer tokenizer, ModelInfo info)
      : file_(std::move(file)),
        config_(config),
        weights_(std::move(weights)),
        tokenizer_(std::move(tokenizer)),
        info_(std::move(info)) {}

  const gguf::Container& file() const { return *file_; }
  const Configuration& config() const { return config_; }
  const Weights& weights() const { return weights_; }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  const ModelInfo& info() const { return info_; }

 private:
  std::shared_ptr<const gguf::Container> file_;
  Configuration config_;
  Weights weights_;
  Tokenizer tokenizer_;
  ModelInfo info_;
};

}  // namespace thermocline::model
