#include "edited_model.h"

#include "temporary_path.h"

#include <gtest/gtest.h>

namespace thermocline {

const char* const small_llama = "llama-small/tiny-llama-small.powerinfer.gguf";
const char* const small_opt = "opt/tiny-opt.powerinfer.gguf";
const char* const small_falcon = "falcon/tiny-falcon.powerinfer.gguf";

EditedModel::EditedModel(const std::string& golden) {
  auto opened =
      gguf::Container::open(std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden" / golden);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().line());
  source_ = *opened;
  magic_ = source_->magic();
  for (const gguf::TensorInfo& info : source_->tensors()) {
    const auto data = source_->data(info);
    tensors_.push_back({std::string(info.name),
                        {info.dims.begin(), info.dims.begin() + info.dim_count},
                        info.type.type,
                        {data.begin(), data.end()}});
  }
  path_ = testing::temporary_path(".gguf");
}

EditedModel::~EditedModel() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void EditedModel::set_u32(const std::string& key, std::uint32_t value) {
  set_key(key, [=](gguf::Writer& writer) { writer.add_u32(key, value); });
}
void EditedModel::set_f32(const std::string& key, float value) {
  set_key(key, [=](gguf::Writer& writer) { writer.add_f32(key, value); });
}
void EditedModel::set_string(const std::string& key, const std::string& value) {
  set_key(key, [=](gguf::Writer& writer) { writer.add_string(key, value); });
}

EditedTensor& EditedModel::tensor(const std::string& name) {
  for (EditedTensor& tensor : tensors_) {
    if (tensor.name == name) return tensor;
  }
  ADD_FAILURE() << "no tensor " << name;
  return tensors_.front();
}

void EditedModel::drop_tensor(const std::string& name) {
  const std::size_t removed =
      std::erase_if(tensors_, [&](const EditedTensor& t) { return t.name == name; });
  EXPECT_EQ(removed, 1u) << name;
}

Expected<Model> EditedModel::open(const OpenOptions& options) {
  gguf::Writer writer(magic_);
  for (const gguf::KeyValue& pair : source_->key_values()) {
    if (!dropped_keys_.contains(std::string(pair.key))) writer.copy(*source_, pair);
  }
  for (const auto& add : added_)
    add(writer);
  for (const EditedTensor& tensor : tensors_) {
    writer.add_tensor(tensor.name, tensor.dims, tensor.type, tensor.bytes);
  }
  THERMOCLINE_CHECK(writer.write(path_));
  return Model::open(path_, options);
}

Error refusal_of(EditedModel& model, const std::string& mention) {
  auto opened = model.open();
  EXPECT_FALSE(opened) << "expected a refusal mentioning " << mention;
  if (opened) return {};
  const std::string line = opened.error().line();
  EXPECT_NE(line.find(model.path().filename().string()), std::string::npos) << line;
  EXPECT_NE(line.find(mention), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  EXPECT_FALSE(opened.error().remedy.empty()) << line;
  return opened.error();
}

}  // namespace thermocline
