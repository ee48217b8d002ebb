// Layouts and settings that the golden models don't have, against the same reference, and other
// weight formats of the same weights.
#include "edited_model.h"

#include "kernels/cpu/half.h"

#include <thermocline/evaluation.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace thermocline {
namespace {

std::vector<float> stored(const std::string& name) {
  std::ifstream stream(std::filesystem::path(THERMOCLINE_TEST_DATA) / "variants" / name,
                       std::ios::binary);
  std::vector<float> values(8 * 640);
  stream.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
  EXPECT_TRUE(stream) << name;
  return values;
}

std::vector<float> logits(EditedModel& model, FfnMode mode, TokenId first) {
  auto opened = model.open();
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().line());
  auto evaluator =
      Evaluator::create(*opened, {.mode = mode, .precision = Precision::f32, .threads = 1});
  EXPECT_TRUE(evaluator);
  std::vector<float> result;
  auto done =
      evaluator->append(std::vector<TokenId>{first, 312, 504, 550, 435, 80, 164, 460}, &result);
  EXPECT_TRUE(done) << (done ? "" : done.error().line());
  return result;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - b[i]);
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

EditedTensor f32_vector(const std::string& name, const std::function<float(int)>& value) {
  EditedTensor tensor{
      name, {64}, gguf::TensorType::f32, std::vector<std::byte>(64 * sizeof(float))};
  for (int i = 0; i < 64; ++i) {
    const float v = value(i);
    std::memcpy(tensor.bytes.data() + static_cast<std::size_t>(i) * sizeof(float), &v, sizeof(v));
  }
  return tensor;
}

TEST(Variants, falcon_40b_norms_attention_with_a_norm_of_its_own) {
  for (const FfnMode mode : {FfnMode::exact, FfnMode::predicted}) {
    EditedModel model(small_falcon);
    for (int layer = 0; layer < 3; ++layer) {
      const std::string name = "blk." + std::to_string(layer) + ".attn_norm_2";
      model.add_tensor(f32_vector(name + ".weight",
                                  [](int i) { return 1.0f + 0.125f * static_cast<float>(i % 7); }));
      model.add_tensor(f32_vector(
          name + ".bias", [](int i) { return 0.0625f * static_cast<float>(i % 5) - 0.125f; }));
    }
    EXPECT_LE(
        largest_difference(logits(model, mode, 11),
                           stored("falcon-40b-layout." + std::string(name_of(mode)) + ".f32")),
        2e-3);
  }
}

TEST(Variants, falcon_40b_needs_the_norms_bias_too) {
  EditedModel model(small_falcon);
  model.add_tensor(f32_vector("blk.1.attn_norm_2.weight", [](int) { return 1.0f; }));
  refusal_of(model, "blk.1.attn_norm_2.bias");
}

TEST(Variants, linear_position_scaling_in_both_spellings) {
  const std::vector<float> wanted = stored("llama-linear-scaling-4.exact.f32");
  EditedModel current(small_llama);
  current.set_string("llama.rope.scaling.type", "linear");
  current.set_f32("llama.rope.scaling.factor", 4.0f);
  EXPECT_LE(largest_difference(logits(current, FfnMode::exact, 1), wanted), 2e-3);
  EditedModel older(small_llama);
  older.set_f32("llama.rope.scale_linear", 4.0f);
  EXPECT_LE(largest_difference(logits(older, FfnMode::exact, 1), wanted), 2e-3);
}

TEST(Variants, only_the_stated_dimensions_are_rotated) {
  EditedModel model(small_llama);
  model.set_u32("llama.rope.dimension_count", 8);
  EXPECT_LE(
      largest_difference(logits(model, FfnMode::exact, 1), stored("llama-rotary-8.exact.f32")),
      2e-3);
}

// F16 weights are exact in F32, so the logits may differ by summation order only.
TEST(Variants, the_same_weights_in_f32_give_the_same_logits) {
  EditedModel original(small_llama);
  const std::vector<float> wanted = logits(original, FfnMode::predicted, 1);
  EditedModel wide(small_llama);
  wide.for_each_tensor([](EditedTensor& tensor) {
    if (tensor.type != gguf::TensorType::f16) return;
    std::vector<std::byte> bytes(tensor.bytes.size() * 2);
    for (std::size_t i = 0; i < tensor.bytes.size() / 2; ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, tensor.bytes.data() + 2 * i, sizeof(half));
      const float value = kernels::half_to_float(half);
      std::memcpy(bytes.data() + 4 * i, &value, sizeof(value));
    }
    tensor.type = gguf::TensorType::f32;
    tensor.bytes = std::move(bytes);
  });
  EXPECT_LE(largest_difference(logits(wide, FfnMode::predicted, 1), wanted), 1e-4);
}

// BF16 keeps 8 of F16's 11 significant bits: the logits stay close, but can't be equal.
TEST(Variants, the_same_weights_in_bf16_give_similar_logits) {
  EditedModel original(small_llama);
  const std::vector<float> wanted = logits(original, FfnMode::exact, 1);
  EditedModel narrow(small_llama);
  narrow.for_each_tensor([](EditedTensor& tensor) {
    if (tensor.type != gguf::TensorType::f16) return;
    for (std::size_t i = 0; i < tensor.bytes.size() / 2; ++i) {
      std::uint16_t half = 0;
      std::memcpy(&half, tensor.bytes.data() + 2 * i, sizeof(half));
      const float value = kernels::half_to_float(half);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      const auto rounded = static_cast<std::uint16_t>((bits + 0x8000u) >> 16);
      std::memcpy(tensor.bytes.data() + 2 * i, &rounded, sizeof(rounded));
    }
    tensor.type = gguf::TensorType::bf16;
  });
  const double difference = largest_difference(logits(narrow, FfnMode::exact, 1), wanted);
  EXPECT_GT(difference, 1e-4);
  EXPECT_LE(difference, 1.0);
}

}  // namespace
}  // namespace thermocline
