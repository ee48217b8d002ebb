// Hyper-parameters that can't be: classes 26, 28, 30 to 37 of the malformed-input classes.
#include "edited_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace thermocline {
namespace {

TEST(BadConfiguration, unedited_models_open) {
  for (const char* name : {small_llama, small_opt, small_falcon}) {
    EditedModel model(name);
    auto opened = model.open();
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().line());
  }
}

// Class 30.
TEST(BadConfiguration, refuses_impossible_head_counts) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"llama.attention.head_count", 0},
                                                          {"llama.attention.head_count", 3},
                                                          {"llama.attention.head_count", 4097},
                                                          {"llama.attention.head_count_kv", 0},
                                                          {"llama.attention.head_count_kv", 3},
                                                          {"llama.attention.head_count_kv", 8}}) {
    EditedModel model(small_llama);
    model.set_u32(key, value);
    refusal_of(model, key);
  }
}

// Class 31.
TEST(BadConfiguration, refuses_impossible_layer_counts) {
  for (const std::uint32_t layers : {0u, 1025u, 0xFFFFFFFFu}) {
    EditedModel model(small_llama);
    model.set_u32("llama.block_count", layers);
    refusal_of(model, "llama.block_count");
  }
  EditedModel more(small_llama);
  more.set_u32("llama.block_count", 3);
  refusal_of(more, "blk.2.");
}

// Class 32.
TEST(BadConfiguration, refuses_impossible_sizes) {
  for (const char* name :
       {"llama.embedding_length", "llama.feed_forward_length", "llama.context_length"}) {
    for (const std::uint32_t value : {0u, 0xFFFFFFFFu}) {
      EditedModel model(small_llama);
      model.set_u32(name, value);
      refusal_of(model, name);
    }
  }
}

// Class 33.
TEST(BadConfiguration, refuses_impossible_rotary_dimensions) {
  for (const std::uint32_t value : {0u, 15u, 18u}) {
    EditedModel model(small_llama);
    model.set_u32("llama.rope.dimension_count", value);
    refusal_of(model, "llama.rope.dimension_count");
  }
}

// Class 28.
TEST(BadConfiguration, refuses_rope_and_epsilon_that_are_no_numbers_or_out_of_range) {
  for (const float value : {NAN, INFINITY, -1.0f, 0.0f}) {
    EditedModel model(small_llama);
    model.set_f32("llama.rope.freq_base", value);
    if (std::isfinite(value)) {
      refusal_of(model, "llama.rope.freq_base");
    } else {
      EXPECT_FALSE(model.open());
    }
  }
  EditedModel model(small_llama);
  model.set_f32("llama.attention.layer_norm_rms_epsilon", -1e-5f);
  refusal_of(model, "llama.attention.layer_norm_rms_epsilon");
}

TEST(BadConfiguration, refuses_position_scaling_it_does_not_know) {
  EditedModel model(small_llama);
  model.set_string("llama.rope.scaling.type", "yarn");
  EXPECT_EQ(refusal_of(model, "yarn").code, ErrorCode::unsupported);
}

// Classes 34 and 47.
TEST(BadConfiguration, refuses_a_vocabulary_that_differs_from_the_embedding) {
  EditedModel model(small_llama);
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    EditedTensor& tensor = model.tensor(name);
    tensor.dims[1] -= 1;
    tensor.bytes.resize(tensor.bytes.size() - tensor.dims[0] * 2);
  }
  refusal_of(model, "tokenizer.ggml.tokens");
}

// Class 37.
TEST(BadConfiguration, refuses_unknown_architectures_and_foreign_tensor_names) {
  EditedModel unknown(small_llama);
  unknown.set_string("general.architecture", "gpt-j");
  EXPECT_EQ(refusal_of(unknown, "gpt-j").code, ErrorCode::unsupported);
  EditedModel none(small_llama);
  none.drop_key("general.architecture");
  refusal_of(none, "general.architecture");
  EditedModel falcon_names(small_llama);
  falcon_names.tensor("blk.0.attn_q.weight").name = "blk.0.attn_qkv.weight";
  refusal_of(falcon_names, "blk.0.attn_q.weight");
}

TEST(BadConfiguration, refuses_missing_keys) {
  for (const char* key : {"llama.block_count", "llama.embedding_length",
                          "llama.feed_forward_length", "llama.context_length",
                          "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    EditedModel model(small_llama);
    model.drop_key(key);
    refusal_of(model, key);
  }
}

// Class 26.
TEST(BadConfiguration, refuses_keys_of_the_wrong_type) {
  for (const char* key : {"llama.block_count", "llama.rope.freq_base"}) {
    EditedModel model(small_llama);
    model.set_string(key, "2");
    refusal_of(model, key);
  }
  EditedModel model(small_llama);
  model.set_u32("general.architecture", 1);
  refusal_of(model, "general.architecture");
}

TEST(BadConfiguration, refuses_a_gpu_index_as_a_model) {
  auto opened = Model::open(std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden" / "llama" /
                            "tiny-llama.q4.powerinfer.gguf.budget-600000.generated.gpuidx");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().line().find("GPU index"), std::string::npos);
}

}  // namespace
}  // namespace thermocline
