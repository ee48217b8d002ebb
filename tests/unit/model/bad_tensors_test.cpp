// Tensors that are missing, misshapen or of the wrong type: classes 46 to 49.
#include "edited_model.h"

#include <gtest/gtest.h>

namespace thermocline {
namespace {

// Class 46.
TEST(BadTensors, refuses_each_missing_tensor_by_name) {
  for (const char* file : {small_llama, small_opt, small_falcon}) {
    auto original =
        gguf::Container::open(std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden" / file);
    ASSERT_TRUE(original);
    for (const gguf::TensorInfo& tensor : (*original)->tensors()) {
      SCOPED_TRACE(tensor.name);
      EditedModel model(file);
      model.drop_tensor(std::string(tensor.name));
      refusal_of(model, std::string(tensor.name));
    }
  }
}

// Class 47.
TEST(BadTensors, refuses_a_transposed_down_matrix) {
  EditedModel model(small_llama);
  std::swap(model.tensor("blk.1.ffn_down_t.weight").dims[0],
            model.tensor("blk.1.ffn_down_t.weight").dims[1]);
  const Error error = refusal_of(model, "blk.1.ffn_down_t.weight");
  EXPECT_EQ(error.wanted, "{64, 1024}");
  EXPECT_EQ(error.found, "{1024, 64}");
}

TEST(BadTensors, refuses_each_misshapen_tensor_by_name) {
  auto original =
      gguf::Container::open(std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden" / small_llama);
  ASSERT_TRUE(original);
  for (const gguf::TensorInfo& info : (*original)->tensors()) {
    SCOPED_TRACE(info.name);
    EditedModel model(small_llama);
    EditedTensor& tensor = model.tensor(std::string(info.name));
    tensor.dims.insert(tensor.dims.begin(), 2);  // {2, n / 2, ...}
    tensor.dims[1] /= 2;
    refusal_of(model, std::string(info.name).substr(0, info.name.find('.')));
  }
}

// Class 48.
TEST(BadTensors, refuses_predictors_that_do_not_fit) {
  EditedModel disagree(small_llama);
  EditedTensor& first = disagree.tensor("blk.0.fc1.weight");
  first.dims[1] -= 1;
  first.bytes.resize(first.bytes.size() - first.dims[0] * 2);
  refusal_of(disagree, "blk.0.fc2.weight");

  EditedModel huge(small_llama);
  EditedTensor& wide = huge.tensor("blk.0.fc1.weight");
  wide.dims[1] = 1025;
  wide.bytes.resize(64 * 1025 * 2);
  refusal_of(huge, "blk.0.fc1.weight");

  EditedModel half(small_llama);
  half.drop_tensor("blk.1.fc1.weight");
  half.drop_tensor("blk.1.fc2.weight");
  refusal_of(half, "blk.1.fc1.weight");
}

TEST(BadTensors, a_powerinfer_file_without_predictors_runs_exactly_and_says_so) {
  EditedModel model(small_llama);
  for (const char* name :
       {"blk.0.fc1.weight", "blk.0.fc2.weight", "blk.1.fc1.weight", "blk.1.fc2.weight"}) {
    model.drop_tensor(name);
  }
  auto opened = model.open();
  ASSERT_TRUE(opened) << opened.error().line();
  EXPECT_FALSE(opened->info().has_predictors);
  EXPECT_FALSE(opened->info().notes.empty());
}

TEST(BadTensors, refuses_more_layers_than_the_file_says_it_has) {
  for (const char* file : {small_llama, small_opt, small_falcon}) {
    EditedModel model(file);
    const std::string architecture = file == small_llama ? "llama"
                                     : file == small_opt ? "opt"
                                                         : "falcon";
    model.set_u32(architecture + ".block_count", 1);
    const Error error = refusal_of(model, "blk.1.");
    EXPECT_EQ(error.code, ErrorCode::corrupt_file);
    EXPECT_EQ(error.wanted, "layers 0 to 0");
    EXPECT_EQ(error.found, "layer 1");
  }
}

// Class 37: a tensor of another architecture, or one that would change what is computed.
TEST(BadTensors, refuses_tensors_that_it_would_have_to_leave_out) {
  for (const char* name : {"blk.0.attn_q.bias", "blk.0.ffn_gate.bias", "blk.1.attn_norm_2.weight",
                           "rope_freqs.weight", "blk.x.ffn_up.weight", "blk.1"}) {
    EditedModel model(small_llama);
    EditedTensor extra = model.tensor("output_norm.weight");
    extra.name = name;
    model.add_tensor(std::move(extra));
    const Error error = refusal_of(model, name);
    EXPECT_EQ(error.code, ErrorCode::unsupported) << name;
  }
}

// Class 49.
TEST(BadTensors, refuses_types_it_cannot_compute_with_by_name) {
  EditedModel model(small_llama);
  EditedTensor& tensor = model.tensor("blk.0.ffn_up.weight");
  tensor.type = gguf::TensorType::i8;
  tensor.bytes.resize(tensor.dims[0] * tensor.dims[1]);
  const Error error = refusal_of(model, "blk.0.ffn_up.weight");
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EditedModel norm(small_llama);
  norm.tensor("blk.0.ffn_norm.weight").type = gguf::TensorType::q8_0;
  norm.tensor("blk.0.ffn_norm.weight").bytes.resize(2 * 34);
  refusal_of(norm, "blk.0.ffn_norm.weight");
}

TEST(BadTensors, dense_and_powerinfer_files_are_not_mistaken_for_each_other) {
  EditedModel model(small_llama);
  model.set_magic(gguf::Magic::gguf);
  refusal_of(model, "blk.0.ffn_down.weight");
}

}  // namespace
}  // namespace thermocline
