// The engine's worker thread: commands, events, stopping, telemetry. Also run under
// ThreadSanitizer.
#include "recorded_events.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace thermocline {
namespace {

const std::filesystem::path golden = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";
const std::filesystem::path small_model =
    golden / "llama-small" / "tiny-llama-small.q4.powerinfer.gguf";
const std::filesystem::path falcon_model = golden / "falcon" / "tiny-falcon.powerinfer.gguf";

GenerateRequest greedy(std::vector<TokenId> ids, std::uint32_t max_tokens) {
  GenerateRequest request;
  request.prompt_ids = std::move(ids);
  request.max_tokens = max_tokens;
  request.sampling.temperature = 0.0f;
  request.sampling.repeat_penalty = 1.0f;
  return request;
}

class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options;
    options.threads = 2;
    auto created = Engine::create(options, events_.sink());
    ASSERT_TRUE(created) << created.error().line();
    engine_ = *std::move(created);
  }
  void load(const std::filesystem::path& path, LoadOptions options = {}) {
    engine_->load(path, options);
    events_.await<ModelLoaded>();
  }
  GenerationResult finish(std::uint64_t id) {
    return events_
        .await<GenerationFinished>(
            [id](const GenerationFinished& e) { return e.result.request == id; })
        .result;
  }

  RecordedEvents events_;
  std::unique_ptr<Engine> engine_;  // destroyed first: its worker uses events_
};

const std::vector<TokenId> short_ids{1, 312, 504, 550, 435, 80, 164, 460};
// tests/data/golden/llama-small/tiny-llama-small.q4.json, case short, greedy_exact.
const std::vector<TokenId> short_greedy{59,  91,  331, 91,  331, 362, 193, 422,
                                        593, 474, 91,  331, 362, 580, 593, 474};

TEST_F(EngineTest, answers_as_the_reference_does) {
  LoadOptions options;
  options.precision = Precision::f32;
  load(small_model, options);
  const GenerationResult result = finish(engine_->generate(greedy(short_ids, 16)));
  EXPECT_EQ(result.ids, short_greedy);
  EXPECT_EQ(result.reason, StopReason::length);
}

TEST_F(EngineTest, streams_exactly_the_text_of_its_result) {
  load(small_model);
  const std::uint64_t id = engine_->generate(greedy(short_ids, 40));
  const GenerationResult result = finish(id);
  std::string streamed;
  for (const Event& event : events_.all()) {
    if (const auto* text = std::get_if<TextGenerated>(&event)) streamed += text->text;
  }
  EXPECT_EQ(streamed, result.text);
  EXPECT_FALSE(streamed.empty());
}

TEST_F(EngineTest, reuses_the_common_prefix_and_answers_the_same) {
  load(small_model);
  finish(engine_->generate(greedy(short_ids, 5)));
  std::vector<TokenId> longer = short_ids;
  longer.insert(longer.end(), {7, 8, 9});
  const GenerationResult continued = finish(engine_->generate(greedy(longer, 20)));
  EXPECT_EQ(continued.prompt_tokens_reused, short_ids.size());

  engine_->unload();
  load(small_model);
  const GenerationResult afresh = finish(engine_->generate(greedy(longer, 20)));
  EXPECT_EQ(afresh.prompt_tokens_reused, 0u);
  EXPECT_EQ(afresh.ids, continued.ids);
}

// An answer goes into the next prompt in its own tokens, because its text may be cut into others.
TEST_F(EngineTest, an_answer_in_its_own_tokens_is_not_computed_again) {
  load(small_model);
  const GenerationResult first = finish(engine_->generate(greedy(short_ids, 40)));
  ASSERT_GT(first.text_ids, 30u);
  GenerateRequest next = greedy({}, 5);
  next.prompt.push_back({"", false, {short_ids.begin() + 1, short_ids.end()}});  // BOS is added
  next.prompt.push_back({"?", false, {first.ids.begin(), first.ids.begin() + 30}});
  next.prompt.push_back({" and more", false});
  const GenerationResult second = finish(engine_->generate(next));
  EXPECT_EQ(second.prompt_tokens_reused, short_ids.size() + 30);
  EXPECT_GT(second.prompt_tokens, second.prompt_tokens_reused);
}

TEST_F(EngineTest, tells_which_ids_make_the_text_before_a_stop_text) {
  load(small_model);
  const std::string whole = finish(engine_->generate(greedy(short_ids, 40))).text;
  auto model = Model::open(small_model);
  ASSERT_TRUE(model);
  for (std::size_t length = 1; length <= 3; ++length) {
    for (std::size_t at = 0; at + length <= whole.size(); ++at) {
      GenerateRequest request = greedy(short_ids, 40);
      request.stop = {whole.substr(at, length)};
      const GenerationResult result = finish(engine_->generate(request));
      ASSERT_LE(result.text_ids, result.ids.size());
      ASSERT_LE(result.text_ids_bytes, result.text.size());
      std::string text;
      StreamingDecoder decoder(model->tokenizer(), false);
      for (std::size_t i = 0; i < result.text_ids; ++i)
        text += decoder.push(result.ids[i]);
      EXPECT_FALSE(decoder.holds_back());
      EXPECT_EQ(text, result.text.substr(0, result.text_ids_bytes)) << at;
      // What is left is less than the next token.
      if (result.text_ids < result.ids.size()) {
        const std::string next = decoder.push(result.ids[result.text_ids]);
        EXPECT_TRUE(decoder.holds_back() || next.size() > result.text.size() - text.size()) << at;
      }
    }
  }
}

TEST_F(EngineTest, same_seed_same_answer) {
  load(small_model);
  GenerateRequest request = greedy(short_ids, 30);
  request.sampling.temperature = 1.5f;
  request.sampling.seed = 42;
  const GenerationResult first = finish(engine_->generate(request));
  const GenerationResult second = finish(engine_->generate(request));
  request.sampling.seed = 43;
  const GenerationResult other = finish(engine_->generate(request));
  EXPECT_EQ(first.ids, second.ids);
  EXPECT_NE(first.ids, other.ids);
}

TEST_F(EngineTest, stop_keeps_what_was_said) {
  load(small_model);
  const std::uint64_t id = engine_->generate(greedy(short_ids, 0));
  events_.await<TextGenerated>();
  engine_->stop();
  const GenerationResult result = finish(id);
  EXPECT_EQ(result.reason, StopReason::stopped);
  EXPECT_FALSE(result.ids.empty());
}

TEST_F(EngineTest, stop_ends_queued_requests_but_not_later_ones) {
  load(small_model);
  const std::uint64_t running = engine_->generate(greedy(short_ids, 0));
  const std::uint64_t queued = engine_->generate(greedy(short_ids, 3));
  events_.await<TextGenerated>();
  engine_->stop();
  const std::uint64_t later = engine_->generate(greedy(short_ids, 3));
  EXPECT_EQ(finish(running).reason, StopReason::stopped);
  const GenerationResult never_ran = finish(queued);
  EXPECT_EQ(never_ran.reason, StopReason::stopped);
  EXPECT_TRUE(never_ran.ids.empty());
  EXPECT_EQ(finish(later).reason, StopReason::length);
}

TEST_F(EngineTest, stop_during_the_prompt_computes_no_answer) {
  LoadOptions options;
  options.context_length = 8192;
  load(golden / "llama-deep" / "tiny-llama-deep.q4.powerinfer.gguf", options);
  const std::uint64_t id = engine_->generate(greedy(std::vector<TokenId>(8000, 5), 5));
  events_.await<PromptProgress>();
  engine_->stop();
  const GenerationResult result = finish(id);
  EXPECT_EQ(result.reason, StopReason::stopped);
  EXPECT_TRUE(result.ids.empty());
}

TEST_F(EngineTest, refuses_a_prompt_longer_than_the_context) {
  LoadOptions options;
  options.context_length = 64;
  load(small_model, options);
  engine_->generate(greedy(std::vector<TokenId>(65, 5), 5));
  const CommandFailed failed = events_.await<CommandFailed>();
  EXPECT_EQ(failed.error.code, ErrorCode::context_full);
  EXPECT_NE(failed.error.line().find("65"), std::string::npos);
}

TEST_F(EngineTest, ends_with_context_full_when_the_context_is_full) {
  LoadOptions options;
  options.context_length = 20;
  load(small_model, options);
  const GenerationResult result = finish(engine_->generate(greedy(short_ids, 0)));
  EXPECT_EQ(result.reason, StopReason::context_full);
  EXPECT_EQ(result.ids.size(), 20 - short_ids.size() + 1);
}

TEST_F(EngineTest, stop_text_ends_the_answer_and_does_not_leak) {
  load(small_model);
  const GenerationResult whole = finish(engine_->generate(greedy(short_ids, 12)));
  ASSERT_GT(whole.text.size(), 8u);
  GenerateRequest request = greedy(short_ids, 12);
  request.stop = {whole.text.substr(4, 3)};
  const std::size_t first = whole.text.find(request.stop[0]);
  const GenerationResult cut = finish(engine_->generate(request));
  EXPECT_EQ(cut.reason, StopReason::stop_text);
  EXPECT_EQ(cut.text, whole.text.substr(0, first));
}

TEST_F(EngineTest, failures_are_events_and_the_engine_goes_on) {
  engine_->generate(greedy(short_ids, 3));
  EXPECT_EQ(events_.await<CommandFailed>().error.code, ErrorCode::invalid_argument);
  engine_->load(golden / "no-such-file.gguf");
  EXPECT_EQ(events_.await<CommandFailed>().error.code, ErrorCode::file_not_found);
  EXPECT_EQ(engine_->telemetry().state, EngineState::failed);
  load(small_model);
  engine_->generate(greedy({1, 100000}, 3));
  EXPECT_EQ(events_.await<CommandFailed>().error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(finish(engine_->generate(greedy(short_ids, 3))).ids.size(), 3u);
}

TEST_F(EngineTest, telemetry_shows_what_was_done) {
  load(small_model);
  finish(engine_->generate(greedy(short_ids, 10)));
  const Telemetry t = engine_->telemetry();
  EXPECT_EQ(t.state, EngineState::ready);
  EXPECT_EQ(t.generated_tokens, 10u);
  EXPECT_EQ(t.prompt_tokens, short_ids.size());
  EXPECT_EQ(t.context_used, short_ids.size() + 9);
  ASSERT_EQ(t.layers.size(), 2u);
  EXPECT_EQ(t.layers[0].neurons, 1024u);
  EXPECT_GT(t.layers[0].active_average, 100.0);
  EXPECT_LT(t.layers[0].active_average, 600.0);
  EXPECT_GT(t.kv_cache_bytes, 0u);
}

TEST_F(EngineTest, mode_can_be_changed_between_answers) {
  LoadOptions options;
  options.precision = Precision::f32;
  load(small_model, options);
  const auto exact = finish(engine_->generate(greedy(short_ids, 16))).ids;
  engine_->set_mode(FfnMode::predicted);
  const auto predicted = finish(engine_->generate(greedy(short_ids, 16))).ids;
  engine_->set_mode(FfnMode::dense);
  const auto dense = finish(engine_->generate(greedy(short_ids, 16))).ids;
  EXPECT_EQ(exact, dense);
  EXPECT_NE(exact, predicted);
}

TEST_F(EngineTest, start_generate_stop_unload_in_a_loop) {
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    while (!done.load()) {
      const Telemetry t = engine_->telemetry();
      EXPECT_LE(t.context_used, t.context_length);
      std::this_thread::yield();
    }
  });
  for (int round = 0; round < 8; ++round) {
    load(round % 2 == 0 ? small_model : falcon_model);
    const std::uint64_t id = engine_->generate(greedy({1, 2, 3}, 0));
    events_.await<TextGenerated>();
    engine_->stop();
    finish(id);
    engine_->unload();
    events_.await<ModelUnloaded>();
  }
  done.store(true);
  watcher.join();
}

TEST(Engine, can_be_destroyed_while_it_answers) {
  for (int round = 0; round < 5; ++round) {
    RecordedEvents events;
    auto engine = Engine::create({.threads = 2}, events.sink());
    ASSERT_TRUE(engine);
    (*engine)->load(small_model);
    (*engine)->generate(greedy(short_ids, 0));
    events.await<TextGenerated>();
    (*engine).reset();
  }
}

}  // namespace
}  // namespace thermocline
