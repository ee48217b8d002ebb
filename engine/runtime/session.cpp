#include "runtime/session.h"

#include "model/limits.h"

#include <algorithm>
#include <string>

namespace thermocline::runtime {
namespace {

Error argument_error(std::string message, std::string wanted, std::string found) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.wanted = std::move(wanted);
  error.found = std::move(found);
  return error;
}

Expected<std::uint32_t> context_limit(const model::LoadedModel& model, std::uint32_t wanted) {
  const ModelInfo& info = model.info();
  const std::uint32_t length = wanted == 0 ? info.context_length : wanted;
  const auto hard_limit = info.position_limit != 0 ? info.position_limit
                                                   : static_cast<std::uint32_t>(model::max_context);
  if (length > hard_limit) {
    Error error =
        argument_error("the model can't hold so long a context",
                       "at most " + std::to_string(hard_limit) + " tokens", std::to_string(length));
    error.file = info.file;
    error.remedy = "ask for a shorter context";
    return error;
  }
  return length;
}

}  // namespace

Expected<FfnMode> resolve_mode(const model::LoadedModel& model, FfnMode wanted) {
  const ModelInfo& info = model.info();
  if (wanted == FfnMode::predicted && !info.has_predictors) {
    Error error =
        argument_error("predicted mode needs predictors, and this model has none", {}, {});
    error.code = ErrorCode::unsupported;
    error.file = info.file;
    error.remedy = "use exact mode";
    return error;
  }
  if (wanted == FfnMode::automatic) return info.sparse ? FfnMode::exact : FfnMode::dense;
  return wanted;
}

Expected<Session> Session::create(std::shared_ptr<const model::LoadedModel> model,
                                  const devices::CpuDevice& device, platform::Memory& memory,
                                  const SessionOptions& options) {
  THERMOCLINE_ASSIGN(const FfnMode mode, resolve_mode(*model, options.mode));
  THERMOCLINE_ASSIGN(const std::uint32_t limit, context_limit(*model, options.context_length));
  const std::uint32_t batch = options.batch_size == 0 ? default_batch_size : options.batch_size;
  THERMOCLINE_ASSIGN(ForwardPass pass, ForwardPass::create(model, memory, std::min(batch, limit)));
  KvCache cache(memory, model->config(), options.precision, limit);
  return Session(std::move(model), device, std::move(cache), std::move(pass), mode,
                 options.precision);
}

Expected<void> Session::append(std::span<const TokenId> ids, std::size_t logit_rows,
                               const std::atomic<bool>* cancel, const ActivityObserver& observer) {
  if (ids.empty()) return {};
  const std::uint32_t vocabulary = model_->info().vocabulary_size;
  for (const TokenId id : ids) {
    if (id < 0 || static_cast<std::uint32_t>(id) >= vocabulary) {
      Error error = argument_error("a token id lies outside the model's vocabulary",
                                   "0 to " + std::to_string(vocabulary - 1), std::to_string(id));
      error.file = model_->info().file;
      error.remedy = "give ids that come from this model's tokenizer";
      return error;
    }
  }
  if (ids.size() > cache_.limit() - length()) {
    return context_error("the context is full", length() + ids.size());
  }
  THERMOCLINE_CHECK(cache_.reserve(static_cast<std::uint32_t>(length() + ids.size())));
  if (tokens_.capacity() - tokens_.size() < ids.size()) {
    tokens_.reserve(std::max(tokens_.size() + ids.size(), 2 * tokens_.capacity()));
  }
  const ComputeContext context{device_, precision_, cancel};
  THERMOCLINE_CHECK(pass_.run(context, mode_, ids, length(), cache_, logit_rows, observer));
  tokens_.insert(tokens_.end(), ids.begin(), ids.end());
  return {};
}

Error Session::context_error(std::string message, std::size_t tokens) const {
  Error error;
  error.code = ErrorCode::context_full;
  error.file = model_->info().file;
  error.message = std::move(message);
  error.wanted = "at most " + std::to_string(cache_.limit()) + " tokens";
  error.found = std::to_string(tokens);
  error.remedy = "shorten the text or raise the context length";
  return error;
}

void Session::truncate(std::uint32_t length) {
  if (length < tokens_.size()) tokens_.resize(length);
}

std::uint32_t Session::common_prefix(std::span<const TokenId> ids) const {
  const auto [mine, theirs] = std::mismatch(tokens_.begin(), tokens_.end(), ids.begin(), ids.end());
  return static_cast<std::uint32_t>(mine - tokens_.begin());
}

Expected<void> Session::set_mode(FfnMode mode) {
  THERMOCLINE_ASSIGN(const FfnMode resolved, resolve_mode(*model_, mode));
  if (resolved != mode_) truncate(0);
  mode_ = resolved;
  return {};
}

}  // namespace thermocline::runtime
