// The public Evaluator: a Session with a device of its own.
#include "platform/memory_guard.h"
#include "runtime/session.h"

#include <thermocline/evaluation.h>

#include <algorithm>

namespace thermocline {

struct Evaluator::State {
  devices::CpuDevice device;
  runtime::Session session;
  const std::atomic<bool>* cancel;
};

Evaluator::Evaluator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

Expected<Evaluator> Evaluator::create(Model model, const EvaluationOptions& options) {
  return platform::with_memory_guard("the evaluation", [&]() -> Expected<Evaluator> {
    THERMOCLINE_ASSIGN(devices::CpuDevice device, devices::CpuDevice::create(options.threads));
    platform::Memory& memory =
        options.memory != nullptr ? *options.memory : platform::Memory::system();
    runtime::SessionOptions session_options;
    session_options.mode = options.mode;
    session_options.precision = options.precision;
    session_options.context_length = options.context_length;
    session_options.batch_size = options.batch_size;
    THERMOCLINE_ASSIGN(runtime::Session session,
                       runtime::Session::create(model.loaded(), device, memory, session_options));
    auto state =
        std::make_unique<State>(State{std::move(device), std::move(session), options.cancel});
    state->session.set_device(state->device);
    return Evaluator(std::move(state));
  });
}

Expected<void> Evaluator::append(std::span<const TokenId> ids, std::vector<float>* logits,
                                 bool last_only,
                                 const std::function<void(const LayerActivity&)>& activity) {
  runtime::Session& session = state_->session;
  const std::uint32_t before = session.length();
  auto result = platform::with_memory_guard("the evaluation", [&]() -> Expected<void> {
    if (logits != nullptr) logits->clear();
    for (std::size_t done = 0; done < ids.size();) {
      const std::size_t count = std::min<std::size_t>(session.batch_size(), ids.size() - done);
      const bool last = done + count == ids.size();
      const std::size_t rows = logits == nullptr ? 0 : !last_only ? count : last ? 1 : 0;
      THERMOCLINE_CHECK(session.append(ids.subspan(done, count), rows, state_->cancel, activity));
      for (std::size_t row = 0; row < rows; ++row) {
        const std::span<const float> values = session.logits(row);
        logits->insert(logits->end(), values.begin(), values.end());
      }
      done += count;
    }
    return {};
  });
  if (!result) session.truncate(before);
  return result;
}

std::uint32_t Evaluator::length() const {
  return state_->session.length();
}
void Evaluator::truncate(std::uint32_t length) {
  state_->session.truncate(length);
}
FfnMode Evaluator::mode() const {
  return state_->session.mode();
}

}  // namespace thermocline
