// Drives an Engine from one thread: waits for its events, passes them on, and stops it on Ctrl+C.
#pragma once

#include "app/cli/run_options.h"

#include <thermocline/engine.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace thermocline::cli {

// Carries events from the engine's thread to the one that waits.
class EventQueue {
 public:
  void push(const Event& event);
  // The next event, or nothing if none came in time.
  std::optional<Event> wait(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Event> events_;
};

class EngineRunner {
 public:
  // Loads the model; notices go to standard error. Errors: what the engine says, or cancelled.
  static Expected<std::unique_ptr<EngineRunner>> load(const std::filesystem::path& path,
                                                      const RunSettings& settings);

  // Answers `request`. `on_text` gets text as it comes and gives false to stop. Ctrl+C stops too,
  // and leaves interrupt_flag() set.
  Expected<GenerationResult> generate(GenerateRequest request,
                                      const std::function<bool(const std::string&)>& on_text);
  // Tells the engine and shows what it answers.
  void set_vram_budget(std::uint64_t bytes);

  const ModelLoaded& loaded() const { return *loaded_; }
  Telemetry telemetry() const { return engine_->telemetry(); }

 private:
  EngineRunner() = default;
  EventQueue events_;
  std::optional<ModelLoaded> loaded_;
  std::unique_ptr<Engine> engine_;  // last: its destructor ends the thread that pushes events
};

}  // namespace thermocline::cli
