#include "app/cli/engine_runner.h"

#include "app/cli/host.h"
#include "app/cli/terminal.h"

#include <string>

namespace thermocline::cli {
namespace {

// How soon Ctrl+C is noticed.
constexpr std::chrono::milliseconds poll_time{40};
// How long an answer to a command that needs no computing may take before it is no longer awaited.
constexpr std::chrono::milliseconds notice_time{1000};

void show_notice(const Event& event) {
  if (const auto* notice = std::get_if<Notice>(&event)) {
    write_message("note: " + printable(notice->text));
  }
}

}  // namespace

void EventQueue::push(const Event& event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  arrived_.notify_one();
}

std::optional<Event> EventQueue::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, time, [this] { return !events_.empty(); })) return {};
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

Expected<std::unique_ptr<EngineRunner>> EngineRunner::load(const std::filesystem::path& path,
                                                           const RunSettings& settings) {
  std::unique_ptr<EngineRunner> runner(new EngineRunner);
  EngineOptions engine_options;
  engine_options.threads = settings.threads;
  THERMOCLINE_ASSIGN(
      runner->engine_,
      Engine::create(engine_options,
                     [events = &runner->events_](const Event& event) { events->push(event); }));
  LoadOptions load_options;
  load_options.context_length = settings.context_length;
  load_options.mode = settings.mode;
  load_options.precision = settings.precision;
  runner->engine_->load(path, load_options);
  ProgressLine progress;
  progress.show("loading ...");
  while (!runner->loaded_) {
    if (interrupt_flag()) {
      Error error;
      error.code = ErrorCode::cancelled;
      error.message = "interrupted";
      return error;
    }
    std::optional<Event> event = runner->events_.wait(poll_time);
    if (!event) continue;
    show_notice(*event);
    if (auto* failed = std::get_if<CommandFailed>(&*event)) return std::move(failed->error);
    if (auto* loaded = std::get_if<ModelLoaded>(&*event)) runner->loaded_ = std::move(*loaded);
  }
  progress.clear();
  if (settings.vram_budget) runner->set_vram_budget(*settings.vram_budget);
  return runner;
}

Expected<GenerationResult> EngineRunner::generate(
    GenerateRequest request, const std::function<bool(const std::string&)>& on_text) {
  if (interrupt_flag()) {  // pressed before there was anything to stop
    GenerationResult nothing;
    nothing.reason = StopReason::stopped;
    return nothing;
  }
  const std::uint64_t id = engine_->generate(std::move(request));
  ProgressLine progress;
  bool stopping = false;
  const auto stop = [&] {
    if (!stopping) engine_->stop();
    stopping = true;
  };
  for (;;) {
    if (interrupt_flag()) stop();
    std::optional<Event> event = events_.wait(poll_time);
    if (!event) continue;
    show_notice(*event);
    if (const auto* prompt = std::get_if<PromptProgress>(&*event)) {
      if (prompt->done < prompt->total) {
        progress.show("reading the prompt: " + std::to_string(prompt->done) + " of " +
                      std::to_string(prompt->total) + " tokens");
      } else {
        progress.clear();
      }
    } else if (const auto* text = std::get_if<TextGenerated>(&*event)) {
      progress.clear();
      if (!on_text(text->text)) stop();
    } else if (auto* finished = std::get_if<GenerationFinished>(&*event)) {
      if (finished->result.request == id) return std::move(finished->result);
    } else if (auto* failed = std::get_if<CommandFailed>(&*event)) {
      return std::move(failed->error);
    }
  }
}

void EngineRunner::set_vram_budget(std::uint64_t bytes) {
  engine_->set_vram_budget(bytes);
  for (;;) {
    const std::optional<Event> event = events_.wait(notice_time);
    if (!event) return;
    show_notice(*event);
    if (std::holds_alternative<Notice>(*event)) return;
  }
}

}  // namespace thermocline::cli
