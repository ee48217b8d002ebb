#include "runtime/forward_pass.h"

#include "runtime/norms.h"
#include "sparsity/active_neurons.h"

#include <algorithm>
#include <cmath>

namespace thermocline::runtime {
namespace {

void add_into(Activations& sum, const Activations& part, std::size_t tokens) {
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::span<float> to = sum.edit(t);
    const std::span<const float> from = part.row(t);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] += from[i];
  }
}

Error cancelled_error() {
  Error error;
  error.code = ErrorCode::cancelled;
  error.message = "stopped on request";
  return error;
}

}  // namespace

Expected<ForwardPass> ForwardPass::create(std::shared_ptr<const model::LoadedModel> model,
                                          platform::Memory& memory, std::uint32_t batch_size) {
  const model::Configuration& config = model->config();
  const model::Weights& weights = model->weights();
  ForwardPass pass;
  pass.memory_ = &memory;
  pass.batch_size_ = std::clamp(batch_size, 1u, 512u);
  const std::size_t tokens = pass.batch_size_;
  std::size_t largest_rank = 0;
  for (const model::LayerWeights& layer : weights.layers) {
    largest_rank = std::max<std::size_t>(largest_rank, layer.predictor_first.rows);
  }
  const auto make = [&](Activations& to, std::size_t width, bool quantizable) -> Expected<void> {
    THERMOCLINE_ASSIGN(to, Activations::create(memory, tokens, width, quantizable));
    return {};
  };
  THERMOCLINE_CHECK(make(pass.residual_, config.hidden_size, true));
  THERMOCLINE_CHECK(make(pass.normed_, config.hidden_size, true));
  THERMOCLINE_CHECK(make(pass.attn_normed_, config.hidden_size, true));
  THERMOCLINE_CHECK(make(pass.query_, config.hidden_size, false));
  THERMOCLINE_CHECK(make(pass.key_, config.kv_size(), false));
  THERMOCLINE_CHECK(make(pass.value_, config.kv_size(), false));
  THERMOCLINE_CHECK(make(pass.attended_, config.hidden_size, true));
  THERMOCLINE_CHECK(make(pass.attn_out_, config.hidden_size, false));
  THERMOCLINE_CHECK(make(pass.ffn_out_, config.hidden_size, false));
  THERMOCLINE_CHECK(make(pass.ffn_.predictor_hidden, largest_rank, true));
  THERMOCLINE_CHECK(make(pass.ffn_.scores, weights.has_predictors ? config.ffn_size : 0, false));
  THERMOCLINE_CHECK(make(pass.ffn_.neurons, config.ffn_size, true));
  THERMOCLINE_ASSIGN(pass.rotary_, RotaryTable::create(memory, config, tokens));
  pass.active_.assign(config.layers, 0);
  pass.model_ = std::move(model);
  return pass;
}

std::uint64_t ForwardPass::work_bytes() const {
  std::uint64_t bytes = rotary_.bytes() + scratch_.size();
  for (const Activations* part :
       {&residual_, &normed_, &attn_normed_, &query_, &key_, &value_, &attended_, &attn_out_,
        &ffn_out_, &ffn_.predictor_hidden, &ffn_.scores, &ffn_.neurons, &head_in_, &logits_}) {
    bytes += part->bytes();
  }
  return bytes;
}

Expected<void> ForwardPass::run(const ComputeContext& context, FfnMode mode,
                                std::span<const TokenId> ids, std::uint32_t first, KvCache& cache,
                                std::size_t logit_rows, const ActivityObserver& observer) {
  const model::Configuration& config = model_->config();
  const std::size_t tokens = ids.size();
  const std::uint64_t scores = std::uint64_t{cache.capacity()} * context.pool().size();
  if (scratch_.size() < scores * sizeof(float)) {
    THERMOCLINE_ASSIGN(scratch_, memory_->allocate_array<float>(scores, "attention scores"));
  }
  embed(context, ids, first);
  if (config.traits->rope != model::RopeKind::none) rotary_.prepare(config, first, tokens);
  for (std::uint32_t layer = 0; layer < config.layers; ++layer) {
    THERMOCLINE_CHECK(run_layer(context, mode, layer, tokens, first, cache));
    report(mode, layer, first, tokens, observer);
  }
  THERMOCLINE_CHECK(compute_logits(context, tokens, logit_rows));
  if (model_->file().damaged()) {
    return model_->file().error(ErrorCode::file_changed,
                                "the model file shrank while it was in use",
                                "get the file again and load it anew");
  }
  return {};
}

void ForwardPass::embed(const ComputeContext& context, std::span<const TokenId> ids,
                        std::uint32_t first) {
  const model::Weights& weights = model_->weights();
  const auto dequantize = context.kernels().of(weights.embedding.format).dequantize;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const std::span<float> x = residual_.edit(t);
    dequantize(weights.embedding.row(static_cast<std::size_t>(ids[t])), x.data(), x.size());
    if (weights.positions) {
      context.kernels()
          .of(weights.positions.format)
          .add_scaled(weights.positions.row(first + t + model::position_offset), 1.0f, x.data(),
                      x.size());
    }
  }
}

// attn_out_ = W_o attention(in)
void ForwardPass::attention_block(const ComputeContext& context, std::uint32_t layer,
                                  Activations& in, std::size_t tokens, std::uint32_t first,
                                  KvCache& cache) {
  const model::Configuration& config = model_->config();
  const model::LayerWeights& weights = model_->weights().layers[layer];
  multiply(context, weights.query, in, tokens, query_);
  multiply(context, weights.key, in, tokens, key_);
  multiply(context, weights.value, in, tokens, value_);
  for (std::size_t t = 0; t < tokens; ++t) {
    if (config.traits->rope != model::RopeKind::none) {
      rotary_.rotate(config, t, query_.edit(t));
      rotary_.rotate(config, t, key_.edit(t));
    }
    cache.store(context.kernels(), layer, static_cast<std::uint32_t>(first + t), key_.row(t),
                value_.row(t));
  }
  const std::size_t scores = scratch_.size() / sizeof(float);
  attend(context, config, cache, layer, first, tokens, query_, scratch_.as<float>(scores),
         attended_);
  multiply(context, weights.output, attended_, tokens, attn_out_);
}

Expected<void> ForwardPass::run_layer(const ComputeContext& context, FfnMode mode,
                                      std::uint32_t layer, std::size_t tokens, std::uint32_t first,
                                      KvCache& cache) {
  const model::Configuration& config = model_->config();
  const model::LayerWeights& weights = model_->weights().layers[layer];
  bool numbers = true;
  if (config.traits->parallel_block) {
    // y = x + attention(norm(x)) + FFN(norm(x)); the predictor reads x.
    normalize(config, weights.ffn_norm, residual_, tokens, normed_);
    if (!weights.shared_norm)
      normalize(config, weights.attention_norm, residual_, tokens, attn_normed_);
    attention_block(context, layer, weights.shared_norm ? normed_ : attn_normed_, tokens, first,
                    cache);
    numbers =
        feed_forward(context, config, weights, mode, normed_, residual_, tokens, ffn_, ffn_out_);
    add_into(residual_, attn_out_, tokens);
  } else {
    // h = x + attention(norm(x)); y = h + FFN(norm(h)); the predictor reads h.
    normalize(config, weights.attention_norm, residual_, tokens, attn_normed_);
    attention_block(context, layer, attn_normed_, tokens, first, cache);
    add_into(residual_, attn_out_, tokens);
    normalize(config, weights.ffn_norm, residual_, tokens, normed_);
    numbers =
        feed_forward(context, config, weights, mode, normed_, residual_, tokens, ffn_, ffn_out_);
  }
  add_into(residual_, ffn_out_, tokens);
  if (context.cancelled()) return cancelled_error();
  if (!numbers) return not_a_number();
  return {};
}

void ForwardPass::report(FfnMode mode, std::uint32_t layer, std::uint32_t first, std::size_t tokens,
                         const ActivityObserver& observer) {
  active_[layer] = sparsity::count_active(ffn_.neurons.row(tokens - 1));
  if (!observer) return;
  for (std::size_t t = 0; t < tokens; ++t) {
    LayerActivity activity;
    activity.layer = layer;
    activity.position = static_cast<std::uint32_t>(first + t);
    activity.fired = sparsity::list_active(ffn_.neurons.row(t));
    if (mode == FfnMode::predicted) {
      activity.kept = sparsity::list_kept(ffn_.scores.row(t), model_->config().predictor_threshold);
    }
    observer(activity);
  }
}

Expected<void> ForwardPass::compute_logits(const ComputeContext& context, std::size_t tokens,
                                           std::size_t rows) {
  if (rows == 0) return {};
  const model::Configuration& config = model_->config();
  const model::Matrix& head = model_->weights().head;
  if (logit_room_ < rows) {
    logit_room_ = 0;
    THERMOCLINE_ASSIGN(head_in_, Activations::create(*memory_, rows, config.hidden_size, true));
    THERMOCLINE_ASSIGN(logits_, Activations::create(*memory_, rows, head.rows, false));
    logit_room_ = rows;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const float> from = residual_.row(tokens - rows + i);
    std::copy(from.begin(), from.end(), attn_normed_.edit(i).begin());
  }
  normalize(config, model_->weights().final_norm, attn_normed_, rows, head_in_);
  multiply(context, head, {}, head_in_, rows, logits_);
  if (context.cancelled()) return cancelled_error();
  for (std::size_t i = 0; i < rows; ++i) {
    for (const float logit : logits_.row(i)) {
      if (!std::isfinite(logit)) return not_a_number();
    }
  }
  return {};
}

Error ForwardPass::not_a_number() const {
  const gguf::Container& file = model_->file();
  if (!file.damaged()) {
    // Only now is it worth reading the whole file to find the culprit.
    if (auto weights = model::check_finite(file); !weights) return std::move(weights).error();
  }
  return file.error(file.damaged() ? ErrorCode::file_changed : ErrorCode::numeric_failure,
                    "the computation gave a result that isn't a number",
                    "get the file again; if that doesn't help, its weights are unusable");
}

}  // namespace thermocline::runtime
