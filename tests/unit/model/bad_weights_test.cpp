// Weights that aren't numbers, and files that change under a running model: classes 10 and 50.
#include "edited_model.h"

#include <thermocline/evaluation.h>

#include <gtest/gtest.h>

#include <cmath>

#include <cstring>

namespace thermocline {
namespace {

constexpr std::uint16_t half_nan = 0x7E00;

void poison(EditedTensor& tensor, std::size_t byte) {
  if (tensor.type == gguf::TensorType::f32) {
    const float nan = NAN;
    std::memcpy(tensor.bytes.data() + byte, &nan, sizeof(nan));
  } else {
    std::memcpy(tensor.bytes.data() + byte, &half_nan, sizeof(half_nan));
  }
}

// Class 50.
TEST(BadWeights, a_weight_that_is_not_a_number_is_found_when_a_small_file_is_opened) {
  for (const char* name : {"token_embd.weight", "blk.0.ffn_norm.weight", "blk.1.ffn_gate.weight",
                           "blk.1.fc2.weight", "blk.0.ffn_down_t.weight"}) {
    EditedModel model(small_llama);
    poison(model.tensor(name), 128);
    const Error error = refusal_of(model, name);
    ASSERT_TRUE(error.offset);
  }
}

TEST(BadWeights, block_scales_are_looked_at_too) {
  EditedModel model("llama-small/tiny-llama-small.q4.powerinfer.gguf");
  poison(model.tensor("blk.0.ffn_up.weight"), 18 * 7);
  const Error error = refusal_of(model, "blk.0.ffn_up.weight");
  EXPECT_NE(error.found.find("weight 224"), std::string::npos) << error.found;
}

TEST(BadWeights, without_the_first_look_the_computation_finds_the_culprit) {
  for (const char* name :
       {"blk.0.ffn_gate.weight", "blk.0.attn_v.weight", "blk.1.fc2.weight", "output.weight"}) {
    SCOPED_TRACE(name);
    EditedModel model(small_llama);
    poison(model.tensor(name), 0);
    auto opened = model.open({.weight_check = WeightCheck::never});
    ASSERT_TRUE(opened);
    auto evaluator = Evaluator::create(*opened, {.mode = FfnMode::predicted, .threads = 1});
    ASSERT_TRUE(evaluator);
    std::vector<float> logits;
    // The poisoned neuron's predictor must not hide it: all tokens of the vocabulary are tried.
    Expected<void> result;
    for (TokenId id = 0; id < 640 && result; ++id)
      result = evaluator->append({&id, 1}, &logits, true);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().tensor, name);
  }
}

#ifndef _WIN32  // which doesn't let a mapped file shrink
// Class 10.
TEST(BadWeights, a_file_that_shrinks_while_in_use_is_an_error_not_a_signal) {
  EditedModel model(small_llama);
  auto opened = model.open();
  ASSERT_TRUE(opened);
  auto evaluator = Evaluator::create(*opened, {.threads = 2});
  ASSERT_TRUE(evaluator);
  std::vector<float> logits;
  const std::vector<TokenId> ids{1, 2, 3};
  ASSERT_TRUE(evaluator->append(ids, &logits));
  std::filesystem::resize_file(model.path(), 40000);
  const auto result = evaluator->append(ids, &logits);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::file_changed);
  EXPECT_EQ(evaluator->length(), 3u);
}
#endif

}  // namespace
}  // namespace thermocline
