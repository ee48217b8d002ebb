#include <thermocline/evaluation.h>

#include <gtest/gtest.h>

#include <filesystem>

namespace thermocline {
namespace {

const std::filesystem::path golden = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";

Model open(const char* name) {
  auto model = Model::open(golden / name);
  EXPECT_TRUE(model) << (model ? "" : model.error().line());
  return *std::move(model);
}
const char* const llama = "llama-small/tiny-llama-small.q4.powerinfer.gguf";
const char* const opt = "opt/tiny-opt.powerinfer.gguf";
const char* const dense = "llama-dense/tiny-llama-dense.gguf";

TEST(Session, context_may_exceed_what_the_model_states) {
  auto evaluator = Evaluator::create(open(llama), {.context_length = 700});
  ASSERT_TRUE(evaluator);
  EXPECT_TRUE(evaluator->append(std::vector<TokenId>(700, 3), nullptr));
  const auto more = evaluator->append(std::vector<TokenId>{3}, nullptr);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::context_full);
  EXPECT_EQ(evaluator->length(), 700u);
}

TEST(Session, learned_positions_are_a_hard_limit) {
  const auto refused = Evaluator::create(open(opt), {.context_length = 2049});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  auto evaluator = Evaluator::create(open(opt), {.threads = 2});
  ASSERT_TRUE(evaluator);
  EXPECT_TRUE(evaluator->append(std::vector<TokenId>(2048, 3), nullptr));
  EXPECT_FALSE(evaluator->append(std::vector<TokenId>{3}, nullptr));
}

TEST(Session, a_failed_append_leaves_the_cache_as_it_was) {
  auto evaluator = Evaluator::create(open(llama), {.batch_size = 4});
  ASSERT_TRUE(evaluator);
  ASSERT_TRUE(evaluator->append(std::vector<TokenId>{1, 2, 3}, nullptr));
  // The bad id lies in the third batch.
  EXPECT_FALSE(evaluator->append(std::vector<TokenId>{1, 2, 3, 4, 5, 6, 7, 8, 640}, nullptr));
  EXPECT_EQ(evaluator->length(), 3u);
  EXPECT_FALSE(evaluator->append(std::vector<TokenId>{-1}, nullptr));
}

TEST(Session, predicted_mode_needs_predictors) {
  const auto refused = Evaluator::create(open(dense), {.mode = FfnMode::predicted});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
}

TEST(Session, automatic_is_exact_for_sparse_models_and_dense_for_others) {
  EXPECT_EQ(Evaluator::create(open(llama))->mode(), FfnMode::exact);
  EXPECT_EQ(Evaluator::create(open(dense))->mode(), FfnMode::dense);
}

TEST(Session, cancel_ends_with_an_error_and_keeps_nothing) {
  std::atomic<bool> cancel{true};
  auto evaluator = Evaluator::create(open(llama), {.cancel = &cancel});
  ASSERT_TRUE(evaluator);
  const auto result = evaluator->append(std::vector<TokenId>(100, 3), nullptr);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_EQ(evaluator->length(), 0u);
  cancel = false;
  EXPECT_TRUE(evaluator->append(std::vector<TokenId>(100, 3), nullptr));
}

}  // namespace
}  // namespace thermocline
