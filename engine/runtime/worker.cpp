#include "runtime/worker.h"

#include "platform/memory_guard.h"
#include "platform/process_memory.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace thermocline {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t default_context = 4096;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error no_model_error() {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = "no model is loaded";
  error.remedy = "open a model first";
  return error;
}

}  // namespace

Engine::Worker::Worker(devices::CpuDevice device, platform::Memory& memory, EventSink sink)
    : device_(std::move(device)), memory_(&memory), sink_(std::move(sink)) {
  current_.threads = device_.pool->size();
  publish();
  thread_ = std::thread([this] { run(); });
}

Engine::Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
    cancel_.store(true, std::memory_order_relaxed);
  }
  wake_.notify_all();
  thread_.join();
}

void Engine::Worker::post(std::function<void()> command) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(command));
  }
  wake_.notify_all();
}

std::uint64_t Engine::Worker::next_request() {
  const std::lock_guard lock(mutex_);
  return next_request_++;
}

void Engine::Worker::lose(std::uint64_t request) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (lost_.count < max_lost) lost_.requests[lost_.count++] = request;
  }
  wake_.notify_all();
}

void Engine::Worker::stop() {
  const std::lock_guard lock(mutex_);
  stop_before_ = next_request_;
  if (running_ != 0) cancel_.store(true, std::memory_order_relaxed);
}

Telemetry Engine::Worker::telemetry() {
  return snapshots_.latest();
}

void Engine::Worker::run() {
  while (true) {
    std::function<void()> command;
    Lost lost;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !queue_.empty() || lost_.count != 0; });
      if (ending_) return;
      std::swap(lost, lost_);
      if (!queue_.empty()) {
        command = std::move(queue_.front());
        queue_.pop_front();
      }
    }
    for (std::size_t i = 0; i < lost.count; ++i) {
      fail(lost.requests[i], platform::out_of_memory("this command"), current_.state);
    }
    if (!command) continue;
    try {
      command();
    } catch (const std::bad_alloc&) {
      fail(0, platform::out_of_memory("this command"),
           session_ ? EngineState::ready : EngineState::failed);
    }
  }
}

void Engine::Worker::load(const std::filesystem::path& path, const LoadOptions& options) {
  const Clock::time_point start = Clock::now();
  unload();
  set_state(EngineState::loading);
  auto model = Model::open(path, options.open);
  if (!model) return fail(0, std::move(model).error(), EngineState::failed);
  load(*std::move(model), options, seconds_since(start));
}

void Engine::Worker::load(Model model, const LoadOptions& options, double opening_seconds) {
  const Clock::time_point start = Clock::now();
  unload();
  set_state(EngineState::loading);
  runtime::SessionOptions session_options;
  session_options.mode = options.mode;
  session_options.precision = options.precision;
  session_options.context_length = options.context_length != 0
                                       ? options.context_length
                                       : std::min(default_context, model.info().context_length);
  std::string file;
  auto session = platform::with_memory_guard("the model", [&] {
    file = model.info().file;
    return runtime::Session::create(model.loaded(), device_, *memory_, session_options);
  });
  if (!session) {
    if (session.error().file.empty()) session.error().file = std::move(file);
    return fail(0, std::move(session).error(), EngineState::failed);
  }
  // Whatever can still run short of memory comes before the first change: a session without its
  // telemetry, or with a failure reported for it, must not stay behind.
  std::vector<LayerTelemetry> layers(model.info().layers,
                                     LayerTelemetry{model.info().ffn_size, 0, 0.0});
  ModelLoaded loaded{model.info(), session->mode(), session->context_length(), 0.0};
  session_.emplace(*std::move(session));
  current_.mode = session_->mode();
  current_.context_length = session_->context_length();
  current_.layers = std::move(layers);
  set_state(EngineState::ready);
  loaded.seconds = opening_seconds + seconds_since(start);
  emit(loaded);
}

void Engine::Worker::unload() {
  if (!session_) return;
  set_state(EngineState::unloading);
  session_.reset();
  const unsigned threads = current_.threads;
  const std::uint64_t budget = current_.vram_budget_bytes;
  current_ = Telemetry{};
  current_.threads = threads;
  current_.vram_budget_bytes = budget;
  set_state(EngineState::no_model);
  emit(ModelUnloaded{});
}

void Engine::Worker::set_mode(FfnMode mode) {
  if (!session_) return fail(0, no_model_error(), current_.state);
  if (auto result = session_->set_mode(mode); !result) {
    return fail(0, std::move(result).error(), EngineState::ready);
  }
  current_.mode = session_->mode();
  publish();
}

void Engine::Worker::set_vram_budget(std::uint64_t bytes) {
  current_.vram_budget_bytes = bytes;
  publish();
  emit(Notice{"this version places nothing on a GPU: everything runs on the CPU"});
}

void Engine::Worker::generate(std::uint64_t id, const GenerateRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    running_ = id;
    cancel_.store(ending_ || id < stop_before_, std::memory_order_relaxed);
  }
  std::string file;
  auto result = platform::with_memory_guard("this answer", [&] {
    if (session_) file = session_->model().info().file;
    return answer(id, request);
  });
  {
    const std::lock_guard lock(mutex_);
    running_ = 0;
  }
  if (!result) {
    if (result.error().code == ErrorCode::out_of_memory) result.error().file = std::move(file);
    return fail(id, std::move(result).error(), session_ ? EngineState::ready : current_.state);
  }
  set_state(EngineState::ready);
  result->request = id;
  emit(GenerationFinished{*std::move(result)});
}

Expected<GenerationResult> Engine::Worker::answer(std::uint64_t id,
                                                  const GenerateRequest& request) {
  if (!session_) return no_model_error();
  std::vector<double> active_sums(current_.layers.size(), 0.0);
  const Clock::time_point start = Clock::now();
  std::deque<Clock::time_point> recent;
  runtime::GenerationObserver observer;
  observer.on_prompt = [&](std::uint32_t done, std::uint32_t reused, std::uint32_t total) {
    current_.prompt_tokens = total;
    current_.prompt_tokens_reused = reused;
    current_.prompt_tokens_done = done;
    current_.generated_tokens = 0;
    const double elapsed = seconds_since(start);
    current_.prompt_tokens_per_second = elapsed > 0.0 ? (done - reused) / elapsed : 0.0;
    set_state(EngineState::prefill);
    emit(PromptProgress{id, done, total});
  };
  observer.on_text = [&](const std::string& text) { emit(TextGenerated{id, text}); };
  observer.on_token = [&](const GenerationResult& so_far) {
    const Clock::time_point now = Clock::now();
    recent.push_back(now);
    while (now - recent.front() > std::chrono::seconds(1) && recent.size() > 2)
      recent.pop_front();
    const double span = std::chrono::duration<double>(now - recent.front()).count();
    const auto generated = static_cast<double>(so_far.ids.size());
    current_.generated_tokens = static_cast<std::uint32_t>(so_far.ids.size());
    current_.tokens_per_second = span > 0.0 ? static_cast<double>(recent.size() - 1) / span : 0.0;
    current_.tokens_per_second_average =
        so_far.decode_seconds > 0.0 ? generated / so_far.decode_seconds : 0.0;
    current_.time_to_first_token = so_far.time_to_first_token;
    const std::span<const std::uint32_t> active = session_->active_neurons();
    for (std::size_t i = 0; i < active.size(); ++i) {
      active_sums[i] += active[i];
      current_.layers[i].active = active[i];
      current_.layers[i].active_average = active_sums[i] / generated;
    }
    set_state(EngineState::decoding);
  };
  return runtime::generate(*session_, request, cancel_, observer);
}

void Engine::Worker::fail(std::uint64_t request, Error error, EngineState state) {
  set_state(state);
  emit(CommandFailed{request, std::move(error)});
}

void Engine::Worker::set_state(EngineState state) {
  current_.state = state;
  publish();
}

void Engine::Worker::publish() {
  describe_memory();
  try {
    snapshots_.draft() = current_;
  } catch (const std::bad_alloc&) {
    return;  // The snapshot before stays in view; the next one comes with the next token.
  }
  snapshots_.publish();
}

void Engine::Worker::describe_memory() {
  current_.resident_bytes = platform::resident_bytes();
  if (!session_) return;
  current_.context_used = session_->length();
  current_.model_bytes = session_->model().info().file_bytes;
  current_.kv_cache_bytes = session_->kv_bytes();
  current_.work_bytes = session_->work_bytes();
}

}  // namespace thermocline
