// The engine: one worker thread that loads a model, answers prompts and reports what it does.
#pragma once

#include <thermocline/model.h>
#include <thermocline/modes.h>
#include <thermocline/sampling.h>
#include <thermocline/telemetry.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace thermocline {

namespace platform {
class Memory;
}

struct EngineOptions {
  unsigned threads = 0;                // 0: the machine's physical cores
  platform::Memory* memory = nullptr;  // null: the machine's memory
};

struct LoadOptions {
  std::uint32_t context_length = 0;  // 0: what the model states, at most 4096
  FfnMode mode = FfnMode::automatic;
  Precision precision = Precision::fast;
  OpenOptions open;
};

// A stretch of a prompt. Text that a person typed must have parse_special false, so that "</s>" in
// it stays text.
struct PromptPart {
  std::string text;
  bool parse_special = false;
  // If not empty, used instead of `text`: what the model said earlier, in its own tokens. Its text
  // might be cut into others, and then the cache couldn't be used again.
  std::vector<TokenId> ids = {};
};

struct GenerateRequest {
  std::vector<PromptPart> prompt;   // BOS is added in front as the model says
  std::vector<TokenId> prompt_ids;  // used as they are if not empty, instead of `prompt`
  SamplingOptions sampling;
  std::uint32_t max_tokens = 0;   // 0: until the model ends or the context is full
  std::vector<std::string> stop;  // texts that end the reply; they are not part of it, and nothing
                                  // that may yet become one of them is shown
};

enum class StopReason { length, eos, stop_text, stopped, context_full };
std::string_view name_of(StopReason reason);

struct GenerationResult {
  std::uint64_t request = 0;
  StopReason reason = StopReason::length;
  std::vector<TokenId> ids;  // generated, without the end token
  std::string text;          // without stop text
  // The first `text_ids` ids make the first `text_ids_bytes` bytes of `text`; what follows is the
  // part of a token that a stop text cut off, or of an unfinished character.
  std::size_t text_ids = 0;
  std::size_t text_ids_bytes = 0;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t prompt_tokens_reused = 0;
  double prompt_seconds = 0.0;
  double decode_seconds = 0.0;
  double time_to_first_token = 0.0;
  double active_share = 0.0;  // neurons computed / neurons, over the decoded tokens
};

// Events, in the order in which things happen.
struct ModelLoaded {
  ModelInfo info;
  FfnMode mode;
  std::uint32_t context_length;
  double seconds;
};
struct ModelUnloaded {};
struct PromptProgress {
  std::uint64_t request;
  std::uint32_t done;
  std::uint32_t total;
};
struct TextGenerated {
  std::uint64_t request;
  std::string text;
};  // whole characters only
struct GenerationFinished {
  GenerationResult result;
};
struct CommandFailed {
  std::uint64_t request;
  Error error;
};  // request 0: load or another command
struct Notice {
  std::string text;
};  // worth showing once
using Event = std::variant<ModelLoaded, ModelUnloaded, PromptProgress, TextGenerated,
                           GenerationFinished, CommandFailed, Notice>;
// Called on the worker thread; must return quickly and must not throw. It may call any Engine
// command.
using EventSink = std::function<void(const Event&)>;

// Commands are messages: they return at once and are carried out in order by the worker. All
// members may be called from any thread. The destructor stops what is running and waits for the
// worker.
class Engine {
 public:
  static Expected<std::unique_ptr<Engine>> create(const EngineOptions& options, EventSink sink);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Unloads what is loaded, then loads; ends in ModelLoaded or CommandFailed.
  void load(std::filesystem::path path, LoadOptions options = {});
  void load(Model model, LoadOptions options = {});
  void unload();
  // Answers a prompt; ends in exactly one GenerationFinished or CommandFailed with the returned
  // number. The longest common prefix of the prompt and what the cache holds isn't computed again.
  std::uint64_t generate(GenerateRequest request);
  // Ends the running generation and those queued before this call, within 100 ms, also during the
  // prompt; what was generated is kept and reported with StopReason::stopped.
  void stop();
  void set_mode(FfnMode mode);
  // Records the wish; without a GPU the answer is a Notice that everything runs on the CPU.
  void set_vram_budget(std::uint64_t bytes);

  // The latest snapshot; never waits for the worker. One caller at a time.
  Telemetry telemetry() const;

 private:
  class Worker;
  explicit Engine(std::unique_ptr<Worker> worker);
  std::unique_ptr<Worker> worker_;
};

}  // namespace thermocline
