// When the heap refuses any one request, or all from some point on, the public API answers with an
// Error: no exception leaves it, nothing aborts, and the next call works again.
#include "heap/heap.h"

#include <thermocline/engine.h>
#include <thermocline/evaluation.h>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace thermocline {
namespace {

using testing::Shortage;
using testing::StarvedHeap;

const std::filesystem::path golden = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";
const std::filesystem::path llama = golden / "llama-small/tiny-llama-small.q4.powerinfer.gguf";
const std::filesystem::path falcon = golden / "falcon/tiny-falcon.q4.powerinfer.gguf";

// Runs `attempt` with a heap that fails at its first, second, ... request (after 20000 in growing
// strides) until it isn't short of memory any more; returns how often it was. `attempt` gives the
// error's code, if any.
int starve(Shortage shortage, const std::function<std::optional<ErrorCode>()>& attempt) {
  int shortages = 0;
  for (std::size_t successes = 0; successes < 10'000'000; successes += 1 + successes / 20000) {
    StarvedHeap heap(successes, shortage);
    const std::optional<ErrorCode> code = attempt();
    const bool refused = heap.end();
    if (code) {
      EXPECT_EQ(*code, ErrorCode::out_of_memory) << "after " << successes << " requests";
      EXPECT_TRUE(refused);
    }
    if (!refused) {
      EXPECT_FALSE(code);
      return shortages;
    }
    ++shortages;
  }
  ADD_FAILURE() << "it never had enough memory";
  return shortages;
}

class OutOfMemory : public ::testing::TestWithParam<Shortage> {};

TEST_P(OutOfMemory, opening_a_model) {
  for (const auto& path : {llama, falcon}) {
    const int shortages = starve(GetParam(), [&]() -> std::optional<ErrorCode> {
      const Expected<Model> model = Model::open(path);
      if (model) return {};
      return model.error().code;
    });
    EXPECT_GT(shortages, 400);
  }
}

TEST_P(OutOfMemory, opening_a_vocabulary) {
  const int shortages = starve(GetParam(), [&]() -> std::optional<ErrorCode> {
    const Expected<Tokenizer> tokenizer = Tokenizer::open(falcon);
    if (tokenizer) return {};
    return tokenizer.error().code;
  });
  EXPECT_GT(shortages, 400);
}

TEST_P(OutOfMemory, evaluating) {
  const Expected<Model> model = Model::open(llama);
  ASSERT_TRUE(model);
  const std::vector<TokenId> ids(40, 3);
  const int shortages = starve(GetParam(), [&]() -> std::optional<ErrorCode> {
    EvaluationOptions options;
    options.threads = 2;
    Expected<Evaluator> evaluator = Evaluator::create(*model, options);
    if (!evaluator) return evaluator.error().code;
    std::vector<float> logits;
    const Expected<void> done = evaluator->append(ids, &logits);
    if (done) return {};
    EXPECT_EQ(evaluator->length(), 0u);
    return done.error().code;
  });
  EXPECT_GT(shortages, 20);
}

// Counts what the engine reports without allocating anything.
struct Outcome {
  std::atomic<int> failures{0};
  std::atomic<int> other_failures{0};
  std::atomic<int> finished{0};
  std::mutex mutex;
  std::condition_variable ended_one;
  std::uint64_t last_request = 0;

  void take(const Event& event) {
    if (const auto* failed = std::get_if<CommandFailed>(&event)) {
      ++(failed->error.code == ErrorCode::out_of_memory ? failures : other_failures);
      ended(failed->request);
    } else if (const auto* done = std::get_if<GenerationFinished>(&event)) {
      ++finished;
      ended(done->result.request);
    }
  }
  void ended(std::uint64_t request) {
    if (request == 0) return;  // a command without a number
    const std::lock_guard lock(mutex);
    last_request = request;
    ended_one.notify_all();
  }
  // Waits until a request with this number ended.
  void await(std::uint64_t request) {
    std::unique_lock lock(mutex);
    ended_one.wait(lock, [&] { return last_request >= request; });
  }
};

GenerateRequest request_for(std::uint32_t tokens) {
  GenerateRequest request;
  request.prompt = {{"Hello, how are you today?", false}};
  request.sampling.temperature = 0.8f;
  request.sampling.repeat_penalty = 1.1f;
  request.stop = {"never said"};
  request.max_tokens = tokens;
  return request;
}

TEST_P(OutOfMemory, generating) {
  Outcome outcome;
  auto engine = Engine::create({.threads = 2}, [&](const Event& event) { outcome.take(event); });
  ASSERT_TRUE(engine);
  const GenerateRequest request = request_for(12);
  // The copies that a caller hands over are the caller's memory, not the engine's: made beforehand.
  std::vector<std::filesystem::path> paths(20000, llama);
  std::vector<GenerateRequest> requests(paths.size(), request);
  const int shortages = starve(GetParam(), [&]() -> std::optional<ErrorCode> {
    outcome.failures = 0;
    (*engine)->unload();
    (*engine)->load(std::move(paths.back()));
    (*engine)->set_mode(FfnMode::predicted);
    const std::uint64_t id = (*engine)->generate(std::move(requests.back()));
    paths.pop_back();
    requests.pop_back();
    outcome.await(id);
    if (outcome.failures != 0) return ErrorCode::out_of_memory;
    return {};
  });
  EXPECT_GT(shortages, 400);

  // Whatever it went through, it still answers.
  outcome.failures = 0;
  outcome.finished = 0;
  (*engine)->load(llama);
  outcome.await((*engine)->generate(request));
  EXPECT_EQ(outcome.failures, 0);
  EXPECT_EQ(outcome.finished, 1);
}

// A new engine for every attempt, so that each finds nothing reserved by the one before.
TEST_P(OutOfMemory, starting_and_generating) {
  const GenerateRequest request = request_for(3);
  std::vector<std::filesystem::path> paths(20000, llama);
  std::vector<GenerateRequest> requests(paths.size(), request);
  const int shortages = starve(GetParam(), [&]() -> std::optional<ErrorCode> {
    Outcome outcome;
    auto engine = Engine::create({.threads = 2}, [&](const Event& event) { outcome.take(event); });
    if (!engine) return engine.error().code;
    (*engine)->load(std::move(paths.back()));
    const std::uint64_t id = (*engine)->generate(std::move(requests.back()));
    paths.pop_back();
    requests.pop_back();
    outcome.await(id);
    engine->reset();  // The worker thread uses `outcome` until it ends.
    if (outcome.failures != 0) return ErrorCode::out_of_memory;
    return {};
  });
  EXPECT_GT(shortages, 400);
}

INSTANTIATE_TEST_SUITE_P(, OutOfMemory, ::testing::Values(Shortage::once, Shortage::lasting),
                         [](const auto& shortage) {
                           return shortage.param == Shortage::once ? "once" : "lasting";
                         });

}  // namespace
}  // namespace thermocline
