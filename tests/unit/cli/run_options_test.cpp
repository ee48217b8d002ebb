// The options that commands share.
#include "app/cli/run_options.h"

#include <gtest/gtest.h>

namespace thermocline::cli {
namespace {

Expected<RunSettings> read(const std::vector<std::string>& words) {
  const Command command{"sample", "", 0, 0, "", joined({generation_options(), model_options()}),
                        nullptr};
  THERMOCLINE_ASSIGN(const Arguments arguments, parse_arguments(command, words));
  return read_run_settings(arguments);
}

TEST(RunOptions, reads_every_option) {
  const auto settings = read(
      {"--mode",   "predicted", "--precision",   "f32",  "--threads",        "3",   "--ctx",   "99",
       "-n",       "7",         "--vram-budget", "2kB",  "--temperature",    "0.5", "--top-k", "4",
       "--top-p",  "0.5",       "--min-p",       "0.25", "--repeat-penalty", "1.5", "--seed",  "42",
       "--device", "cpu"});
  ASSERT_TRUE(settings) << settings.error().line();
  EXPECT_EQ(settings->mode, FfnMode::predicted);
  EXPECT_EQ(settings->precision, Precision::f32);
  EXPECT_EQ(settings->threads, 3u);
  EXPECT_EQ(settings->context_length, 99u);
  EXPECT_EQ(settings->max_tokens, 7u);
  EXPECT_EQ(settings->vram_budget, 2000u);
  EXPECT_EQ(settings->sampling.temperature, 0.5f);
  EXPECT_EQ(settings->sampling.top_k, 4u);
  EXPECT_EQ(settings->sampling.top_p, 0.5f);
  EXPECT_EQ(settings->sampling.min_p, 0.25f);
  EXPECT_EQ(settings->sampling.repeat_penalty, 1.5f);
  EXPECT_EQ(settings->sampling.seed, 42u);
}

TEST(RunOptions, drops_the_repeat_penalty_at_temperature_zero_unless_it_is_asked_for) {
  const auto greedy = read({"--temperature", "0"});
  ASSERT_TRUE(greedy);
  EXPECT_EQ(greedy->sampling.repeat_penalty, 1.0f);
  const auto asked = read({"--temperature", "0", "--repeat-penalty", "1.2"});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->sampling.repeat_penalty, 1.2f);
}

TEST(RunOptions, refuses_values_that_cannot_be) {
  const std::vector<std::vector<std::string>> wrong{
      {"--temperature", "-1"},   {"--temperature", "hot"},  {"--top-p", "0"},
      {"--min-p", "1"},          {"--repeat-penalty", "0"}, {"--top-k", "-3"},
      {"--seed", "1.5"},         {"--threads", "0"},        {"--threads", "1000000"},
      {"--ctx", "4294967296"},   {"--mode", "fastest"},     {"--precision", "f64"},
      {"--vram-budget", "lots"}, {"--device", "tpu"},       {"-n", "0"}};
  for (const auto& words : wrong) {
    const auto settings = read(words);
    ASSERT_FALSE(settings) << words[0] << " " << words[1];
    EXPECT_EQ(settings.error().code, ErrorCode::invalid_argument) << words[0] << " " << words[1];
  }
}

TEST(RunOptions, calls_known_but_absent_features_unsupported) {
  const std::vector<std::vector<std::string>> absent{
      {"--mode", "signs"}, {"--device", "cuda"}, {"--device", "emulated"}};
  for (const auto& words : absent) {
    const auto settings = read(words);
    ASSERT_FALSE(settings) << words[1];
    EXPECT_EQ(settings.error().code, ErrorCode::unsupported) << words[1];
  }
}

}  // namespace
}  // namespace thermocline::cli
