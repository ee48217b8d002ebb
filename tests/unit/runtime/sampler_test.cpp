#include "runtime/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace thermocline::runtime {
namespace {

SamplingOptions plain() {
  SamplingOptions options;
  options.temperature = 1.0f;
  options.top_k = 0;
  options.top_p = 1.0f;
  options.min_p = 0.0f;
  options.repeat_penalty = 1.0f;
  return options;
}

std::map<TokenId, int> draws(const SamplingOptions& options, const std::vector<float>& logits,
                             int count) {
  Sampler sampler(options);
  std::map<TokenId, int> counts;
  for (int i = 0; i < count; ++i)
    ++counts[sampler.sample(logits, {})];
  return counts;
}

TEST(Sampler, temperature_zero_takes_the_largest_and_the_lowest_id_among_equals) {
  SamplingOptions options = plain();
  options.temperature = 0.0f;
  Sampler sampler(options);
  EXPECT_EQ(sampler.sample(std::vector<float>{1.0f, 3.0f, 3.0f, 2.0f}, {}), 1);
}

TEST(Sampler, draws_in_proportion_to_probability) {
  const std::vector<float> logits{std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  const auto counts = draws(plain(), logits, 20000);
  EXPECT_NEAR(counts.at(0) / 20000.0, 0.5, 0.02);
  EXPECT_NEAR(counts.at(1) / 20000.0, 0.3, 0.02);
  EXPECT_NEAR(counts.at(2) / 20000.0, 0.2, 0.02);
}

TEST(Sampler, top_k_leaves_k) {
  SamplingOptions options = plain();
  options.top_k = 2;
  const auto counts = draws(options, {0.0f, 1.0f, 0.5f, -1.0f}, 2000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.contains(1) && counts.contains(2));
}

TEST(Sampler, top_p_leaves_the_smallest_set_that_reaches_p) {
  SamplingOptions options = plain();
  options.top_p = 0.75f;
  const auto counts = draws(options, {std::log(0.5f), std::log(0.3f), std::log(0.2f)}, 2000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_FALSE(counts.contains(2));
}

TEST(Sampler, min_p_drops_what_is_far_less_probable_than_the_best) {
  SamplingOptions options = plain();
  options.min_p = 0.5f;
  const auto counts = draws(options, {std::log(0.5f), std::log(0.3f), std::log(0.2f)}, 2000);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_FALSE(counts.contains(2));
}

TEST(Sampler, repeat_penalty_looks_at_its_window_only) {
  SamplingOptions options = plain();
  options.temperature = 0.0f;
  options.repeat_penalty = 2.0f;
  options.repeat_window = 2;
  const std::vector<float> logits{4.0f, 3.0f, -1.0f};
  Sampler sampler(options);
  EXPECT_EQ(sampler.sample(logits, std::vector<TokenId>{0}), 1);
  EXPECT_EQ(sampler.sample(logits, std::vector<TokenId>{0, 2, 2}), 0);
  EXPECT_EQ(sampler.sample(std::vector<float>{-1.0f, -1.5f}, std::vector<TokenId>{0}), 1);
}

TEST(Sampler, is_deterministic_for_a_seed) {
  SamplingOptions options = plain();
  options.seed = 7;
  const std::vector<float> logits(100, 0.0f);
  Sampler first(options);
  Sampler second(options);
  std::vector<TokenId> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(first.sample(logits, {}));
    EXPECT_EQ(ids.back(), second.sample(logits, {}));
  }
  options.seed = 8;
  Sampler other(options);
  std::vector<TokenId> others;
  for (int i = 0; i < 50; ++i)
    others.push_back(other.sample(logits, {}));
  EXPECT_NE(ids, others);
}

TEST(Sampler, refuses_options_out_of_range_by_name) {
  SamplingOptions options = plain();
  options.top_p = 0.0f;
  EXPECT_NE(check(options).error().message.find("top-p"), std::string::npos);
  options = plain();
  options.temperature = NAN;
  EXPECT_FALSE(check(options));
  options = plain();
  options.repeat_penalty = -1.0f;
  EXPECT_FALSE(check(options));
  EXPECT_TRUE(check(plain()));
}

}  // namespace
}  // namespace thermocline::runtime
