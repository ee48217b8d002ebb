// The engine's worker thread: a queue of commands, one model, one session.
#pragma once

#include "devices/cpu_device.h"
#include "runtime/generation.h"
#include "runtime/session.h"
#include "runtime/snapshot_buffer.h"

#include <thermocline/engine.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace thermocline {

class Engine::Worker {
 public:
  Worker(devices::CpuDevice device, platform::Memory& memory, EventSink sink);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(std::function<void()> command);
  std::uint64_t next_request();
  // Notes that the command of `request` (0: not a generation) could not be queued for want of
  // memory; the worker reports it. Allocates nothing.
  void lose(std::uint64_t request) noexcept;
  void stop();
  Telemetry telemetry();

  // Commands, run on the worker thread.
  void load(const std::filesystem::path& path, const LoadOptions& options);
  void load(Model model, const LoadOptions& options, double opening_seconds);
  void unload();
  void set_mode(FfnMode mode);
  void set_vram_budget(std::uint64_t bytes);
  void generate(std::uint64_t id, const GenerateRequest& request);

 private:
  // Far more than a user interface ever has under way.
  static constexpr std::size_t max_lost = 64;
  struct Lost {
    std::array<std::uint64_t, max_lost> requests{};
    std::size_t count = 0;
  };

  void run();
  Expected<GenerationResult> answer(std::uint64_t id, const GenerateRequest& request);
  void emit(const Event& event) { sink_(event); }
  void fail(std::uint64_t request, Error error, EngineState state);
  void set_state(EngineState state);
  void publish();
  void describe_memory();

  devices::CpuDevice device_;
  platform::Memory* memory_;
  EventSink sink_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;  // under mutex_
  Lost lost_;                                // under mutex_
  bool ending_ = false;                      // under mutex_
  std::uint64_t next_request_ = 1;           // under mutex_
  std::uint64_t stop_before_ = 0;            // under mutex_: requests below this number end at once
  std::uint64_t running_ = 0;                // under mutex_: number of the running request, 0: none
  std::atomic<bool> cancel_{false};

  std::optional<runtime::Session> session_;
  Telemetry current_;
  runtime::SnapshotBuffer<Telemetry> snapshots_;
  std::thread thread_;
};

}  // namespace thermocline
