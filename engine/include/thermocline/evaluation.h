// Logits and neuron activity of given token ids: for tests, comparison and curiosity. Chat uses
// Engine.
#pragma once

#include <thermocline/model.h>
#include <thermocline/modes.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace thermocline {

namespace platform {
class Memory;
}

struct EvaluationOptions {
  FfnMode mode = FfnMode::automatic;
  Precision precision = Precision::fast;
  unsigned threads = 0;                       // 0: the machine's physical cores
  std::uint32_t context_length = 0;           // 0: what the model states
  std::uint32_t batch_size = 0;               // tokens per prompt batch; 0: the default
  platform::Memory* memory = nullptr;         // null: the machine's memory
  const std::atomic<bool>* cancel = nullptr;  // set it to end a running call with `cancelled`
};

// Which neurons took part for one token in one layer.
struct LayerActivity {
  std::uint32_t layer = 0;
  std::uint32_t position = 0;
  std::vector<std::uint32_t> fired;  // neurons whose activation isn't zero, ascending
  std::vector<std::uint32_t> kept;   // neurons that the predictor keeps (predicted mode), ascending
};

// A model with a KV cache, driven by hand. One thread at a time.
class Evaluator {
 public:
  static Expected<Evaluator> create(Model model, const EvaluationOptions& options = {});
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  // Appends `ids` to the cache. With `logits`, its elements become [ids.size()][vocabulary], or
  // [1][vocabulary] for the last position only if `last_only`. With `activity`, it is called per
  // layer and position. Errors: invalid_argument (id outside the vocabulary, no predictors),
  // context_full, out_of_memory, cancelled, file_changed, numeric_failure; the cache then stays as
  // it was.
  Expected<void> append(std::span<const TokenId> ids, std::vector<float>* logits,
                        bool last_only = false,
                        const std::function<void(const LayerActivity&)>& activity = {});

  // Number of tokens in the cache.
  std::uint32_t length() const;
  // Forgets all tokens from `length` on.
  void truncate(std::uint32_t length);
  // The mode in use, never `automatic`.
  FfnMode mode() const;

 private:
  struct State;
  explicit Evaluator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace thermocline
