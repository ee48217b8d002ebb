// Exit codes and messages of the program as a whole.
#include "app/cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace thermocline::cli {
namespace {

const std::string golden = THERMOCLINE_TEST_DATA "/golden/";
const std::string model = golden + "bamboo/tiny-bamboo.powerinfer.gguf";

struct Outcome {
  int code;
  std::string output;
  std::string messages;
};

Outcome run(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_program(words);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

void expect_one_error_line(const Outcome& outcome) {
  EXPECT_TRUE(outcome.messages.starts_with("error: ")) << outcome.messages;
  EXPECT_EQ(std::count(outcome.messages.begin(), outcome.messages.end(), '\n'), 1)
      << outcome.messages;
  EXPECT_EQ(outcome.output, "");
}

TEST(Program, shows_help_and_version) {
  EXPECT_EQ(run({"--version"}).code, 0);
  EXPECT_TRUE(run({"--version"}).output.starts_with("thermocline "));
  for (const char* command :
       {"chat", "generate", "logits", "activity", "tokenize", "detokenize", "inspect"}) {
    const Outcome outcome = run({command, "--help"});
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_NE(outcome.output.find(command), std::string::npos) << command;
    EXPECT_NE(run({"--help"}).output.find(command), std::string::npos) << command;
  }
}

TEST(Program, ends_with_two_on_wrong_usage) {
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"frobnicate"},
      {"inspect"},
      {"inspect", "a", "b"},
      {"generate", model},
      {"generate", model, "--prompt", "a", "--ids", "1"},
      {"generate", model, "--prompt"},
      {"generate", model, "--prompt", "a", "--tempo", "1"},
      {"generate", model, "--prompt", "a", "--temperature", "x"},
      {"generate", model, "--ids", "1 x"},
      {"logits", model, "--ids", "1"},
      {"logits", model, "--out", "file"},
      {"logits", model, "--ids", "1", "--out", "file", "--last", "2"},
      {"chat", model, "--template", "jinja"}};
  for (const auto& words : wrong) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(words);
    expect_one_error_line(outcome);
  }
}

TEST(Program, ends_with_one_on_failure) {
  const std::vector<std::vector<std::string>> failing{
      {"plan", model},
      {"inspect", golden + "no-such-file"},
      {"inspect", golden + "README.md"},
      {"generate", golden + "README.md", "--prompt", "a"},
      {"generate", model, "--prompt", "a", "--mode", "signs"},
      {"generate", model, "--ids", "1 99999999"},
      {"activity", model, "--ids", "99999999"},
      {"logits", model, "--ids", "1", "--out", golden + "no-such-folder/file"}};
  for (const auto& words : failing) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 1) << testing::PrintToString(words);
    expect_one_error_line(outcome);
  }
}

TEST(Program, continues_a_golden_prompt_greedily) {
  const Outcome outcome =
      run({"generate", model, "--ids", "1 312 504 550 435 80 164 460", "-n", "16", "--temperature",
           "0", "--mode", "exact", "--precision", "f32", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.messages;
  EXPECT_NE(
      outcome.output.find("\"ids\":[507,31,198,332,56,206,366,323,198,332,56,366,323,275,601,620]"),
      std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("\"stop\":\"length\""), std::string::npos) << outcome.output;
}

TEST(Program, counts_what_the_golden_predictor_keeps) {
  const Outcome outcome = run({"activity", model, "--ids", "1 312 504 550 435 80 164 460", "--mode",
                               "predicted", "--precision", "f32", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.messages;
  for (const char* kept : {"\"kept\":133", "\"kept\":160", "\"kept\":188"}) {
    EXPECT_NE(outcome.output.find(kept), std::string::npos) << kept << "\n" << outcome.output;
  }
}

}  // namespace
}  // namespace thermocline::cli
