// The three containers of original weights, against files that PyTorch and safetensors wrote, and
// against the GGUF models that were converted from them.
#include "importer/checkpoint.h"

#include "gguf/container.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace thermocline::importer {
namespace {

const std::filesystem::path data = THERMOCLINE_TEST_DATA;
const std::filesystem::path golden = data / "golden";

std::shared_ptr<const Checkpoint> open(const std::string& name) {
  auto opened = Checkpoint::open(data / name);
  EXPECT_TRUE(opened) << opened.error().line();
  return opened ? *opened : nullptr;
}

const StoredTensor* find(const Checkpoint& file, const std::string& name) {
  const auto found = std::find_if(file.tensors().begin(), file.tensors().end(),
                                  [&](const StoredTensor& t) { return t.name == name; });
  return found == file.tensors().end() ? nullptr : &*found;
}

// Whether the tensor's bytes and shape are those of a tensor of the converted model.
void expect_same(const Checkpoint& file, const std::string& name, const gguf::Container& model,
                 const std::string& model_name) {
  SCOPED_TRACE(name);
  const StoredTensor* tensor = find(file, name);
  const gguf::TensorInfo* wanted = model.find_tensor(model_name);
  ASSERT_NE(tensor, nullptr);
  ASSERT_NE(wanted, nullptr);
  ASSERT_EQ(tensor->shape.size(), 2u);
  EXPECT_EQ(tensor->shape[0], wanted->dims[1]);
  EXPECT_EQ(tensor->shape[1], wanted->dims[0]);
  EXPECT_EQ(tensor->type.name, wanted->type.name);
  ASSERT_TRUE(tensor->is_contiguous());
  const auto bytes = file.data(*tensor);
  const auto wanted_bytes = model.data(*wanted);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), wanted_bytes.begin(), wanted_bytes.end()));
}

TEST(Checkpoint, reads_safetensors) {
  const auto file = open("checkpoints/llama-small/model.safetensors");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->kind(), FileKind::safetensors);
  const auto model = gguf::Container::open(golden / "llama-small/tiny-llama-small.powerinfer.gguf");
  ASSERT_TRUE(model);
  // Embedding, norm and head, and of each of two layers 4 attention matrices, 3 of the FFN, 2
  // norms.
  EXPECT_EQ(file->tensors().size(), 3u + 2u * 9u);
  expect_same(*file, "model.embed_tokens.weight", **model, "token_embd.weight");
  expect_same(*file, "model.layers.0.self_attn.v_proj.weight", **model, "blk.0.attn_v.weight");
  expect_same(*file, "model.layers.1.mlp.gate_proj.weight", **model, "blk.1.ffn_gate.weight");
  expect_same(*file, "model.layers.1.mlp.up_proj.weight", **model, "blk.1.ffn_up.weight");
  expect_same(*file, "lm_head.weight", **model, "output.weight");
}

TEST(Checkpoint, reads_predictors_in_both_torch_containers) {
  const auto model = gguf::Container::open(golden / "llama-small/tiny-llama-small.powerinfer.gguf");
  ASSERT_TRUE(model);
  for (const int layer : {0, 1}) {
    const std::string number = std::to_string(layer);
    const auto file = open("checkpoints/llama-small-predictor/model_" + number + ".pt");
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(file->kind(), layer == 0 ? FileKind::torch_zip : FileKind::torch_pickle);
    ASSERT_EQ(file->tensors().size(), 2u);
    for (const std::string part : {"fc1.weight", "fc2.weight"}) {
      expect_same(*file, part, **model, "blk." + number + "." + part);
    }
  }
}

TEST(Checkpoint, reads_a_whole_model_in_the_older_stream) {
  const auto file = open("checkpoints/opt/pytorch_model.bin");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->kind(), FileKind::torch_pickle);
  const auto model = gguf::Container::open(golden / "opt/tiny-opt.powerinfer.gguf");
  ASSERT_TRUE(model);
  expect_same(*file, "model.decoder.embed_tokens.weight", **model, "token_embd.weight");
  expect_same(*file, "model.decoder.embed_positions.weight", **model, "position_embd.weight");
  expect_same(*file, "model.decoder.layers.1.self_attn.out_proj.weight", **model,
              "blk.1.attn_output.weight");
  expect_same(*file, "model.decoder.layers.0.fc1.weight", **model, "blk.0.ffn_up.weight");
}

TEST(Checkpoint, reads_statistics_of_every_type) {
  std::vector<std::string_view> types;
  for (int layer = 0; layer < 12; ++layer) {
    const auto file =
        open("golden/llama-deep/activation/activation_" + std::to_string(layer) + ".pt");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(file->tensors().size(), 1u);
    const StoredTensor& tensor = file->tensors().front();
    EXPECT_EQ(tensor.name, "");
    EXPECT_EQ(tensor.shape, std::vector<std::uint64_t>{1024});
    EXPECT_EQ(tensor.bytes(), 1024u * tensor.type.bytes);
    types.push_back(tensor.type.name);
  }
  for (const char* type : {"I64", "I32", "F32"}) {
    EXPECT_NE(std::find(types.begin(), types.end(), type), types.end()) << type;
  }
}

TEST(Checkpoint, refuses_other_kinds_of_files) {
  const auto opened = Checkpoint::open(golden / "llama-dense/tiny-llama-dense.gguf");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::not_a_model);
  EXPECT_NE(opened.error().line().find("tiny-llama-dense.gguf"), std::string::npos);
}

}  // namespace
}  // namespace thermocline::importer
