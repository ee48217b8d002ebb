#include "platform/memory_guard.h"
#include "runtime/worker.h"

#include <thermocline/engine.h>

#include <system_error>

namespace thermocline {
namespace {

// Queues the command that `make_command` makes; if there is no memory for that, `request` is
// reported as failed instead.
template <typename Worker, typename MakeCommand>
void post(Worker& worker, std::uint64_t request, MakeCommand&& make_command) noexcept {
  try {
    worker.post(make_command());
  } catch (const std::bad_alloc&) {
    worker.lose(request);
  }
}

}  // namespace

Engine::Engine(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}
Engine::~Engine() = default;

Expected<std::unique_ptr<Engine>> Engine::create(const EngineOptions& options, EventSink sink) {
  return platform::with_memory_guard("the engine", [&]() -> Expected<std::unique_ptr<Engine>> {
    THERMOCLINE_ASSIGN(devices::CpuDevice device, devices::CpuDevice::create(options.threads));
    platform::Memory& memory =
        options.memory != nullptr ? *options.memory : platform::Memory::system();
    try {
      auto worker = std::make_unique<Worker>(std::move(device), memory, std::move(sink));
      return std::unique_ptr<Engine>(new Engine(std::move(worker)));  // NOLINT: private constructor
    } catch (const std::system_error&) {
      return platform::out_of_memory("the engine's thread");
    }
  });
}

void Engine::load(std::filesystem::path path, LoadOptions options) {
  post(*worker_, 0, [&] {
    return
        [worker = worker_.get(), path = std::move(path), options] { worker->load(path, options); };
  });
}

void Engine::load(Model model, LoadOptions options) {
  post(*worker_, 0, [&] {
    return [worker = worker_.get(), model = std::move(model), options] {
      worker->load(model, options, 0.0);
    };
  });
}

void Engine::unload() {
  post(*worker_, 0, [&] { return [worker = worker_.get()] { worker->unload(); }; });
}

std::uint64_t Engine::generate(GenerateRequest request) {
  const std::uint64_t id = worker_->next_request();
  post(*worker_, id, [&] {
    return [worker = worker_.get(), id,
            shared = std::make_shared<const GenerateRequest>(std::move(request))] {
      worker->generate(id, *shared);
    };
  });
  return id;
}

void Engine::stop() {
  worker_->stop();
}

void Engine::set_mode(FfnMode mode) {
  post(*worker_, 0, [&] { return [worker = worker_.get(), mode] { worker->set_mode(mode); }; });
}

void Engine::set_vram_budget(std::uint64_t bytes) {
  post(*worker_, 0,
       [&] { return [worker = worker_.get(), bytes] { worker->set_vram_budget(bytes); }; });
}

Telemetry Engine::telemetry() const {
  return worker_->telemetry();
}

}  // namespace thermocline
