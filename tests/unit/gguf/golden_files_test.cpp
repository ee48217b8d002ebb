// Every published test model is read, copied through the writer and read again.
#include "gguf/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace thermocline::gguf::testing {
namespace {

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const char* folder : {"golden", "tokenizer"}) {
    const std::filesystem::path root = std::filesystem::path(THERMOCLINE_TEST_DATA) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const auto extension = entry.path().extension();
      if (extension == ".gguf" || extension == ".gpuidx") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

class GoldenFile : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto opened = Container::open(GetParam());
    ASSERT_TRUE(opened) << opened.error().line();
    original_ = *std::move(opened);

    Writer writer(original_->magic(), original_->alignment());
    for (const KeyValue& pair : original_->key_values())
      writer.copy(*original_, pair);
    for (const TensorInfo& tensor : original_->tensors()) {
      writer.add_tensor(std::string(tensor.name), {tensor.dims.data(), tensor.dim_count},
                        tensor.type.type, original_->data(tensor));
    }
    auto written = writer.bytes();
    ASSERT_TRUE(written) << written.error().line();
    copy_bytes_ = *std::move(written);
  }

  std::shared_ptr<const Container> original_;
  std::vector<std::byte> copy_bytes_;
};

TEST_P(GoldenFile, copy_holds_the_same_keys_and_tensors) {
  auto parsed = Container::parse(copy_bytes_, "copy");
  ASSERT_TRUE(parsed) << parsed.error().line();
  const Container& copy = **parsed;
  EXPECT_EQ(copy.magic(), original_->magic());
  EXPECT_EQ(copy.alignment(), original_->alignment());
  ASSERT_EQ(copy.key_values().size(), original_->key_values().size());
  for (std::size_t i = 0; i < copy.key_values().size(); ++i) {
    const KeyValue& a = original_->key_values()[i];
    const KeyValue& b = copy.key_values()[i];
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.value.index(), b.value.index());
    EXPECT_TRUE(same_bytes(a.encoded, b.encoded)) << a.key;
  }
  ASSERT_EQ(copy.tensors().size(), original_->tensors().size());
  for (std::size_t i = 0; i < copy.tensors().size(); ++i) {
    const TensorInfo& a = original_->tensors()[i];
    const TensorInfo& b = copy.tensors()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.type.type, b.type.type);
    EXPECT_EQ(a.dim_count, b.dim_count);
    EXPECT_EQ(a.dims, b.dims);
    EXPECT_TRUE(same_bytes(original_->data(a), copy.data(b))) << a.name;
  }
}

TEST_P(GoldenFile, copy_is_equal_byte_for_byte) {
  const auto mapped = platform::FileSystem::system().map(GetParam());
  ASSERT_TRUE(mapped);
  EXPECT_TRUE(same_bytes((*mapped)->bytes(), copy_bytes_));
}

TEST_P(GoldenFile, array_elements_can_all_be_read) {
  for (const KeyValue& pair : original_->key_values()) {
    const auto* array = std::get_if<ArrayView>(&pair.value);
    if (array == nullptr) continue;
    if (array->element_type() == ValueType::string) {
      const auto strings = array->strings();
      ASSERT_EQ(strings.size(), array->size());
      std::size_t bytes = 0;
      for (const std::string_view text : strings)
        bytes += sizeof(std::uint64_t) + text.size();
      EXPECT_EQ(bytes, pair.encoded.size() - 12);  // less the element type and the count
    } else {
      EXPECT_NE(array->is_integer(), array->is_real());
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
      },
      '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFile, ::testing::ValuesIn(golden_files()), test_name);

TEST(GoldenFiles, are_all_there) {
  EXPECT_GE(golden_files().size(), 17U);
}

TEST(GoldenFiles, gpu_index_has_empty_buckets) {
  const auto opened =
      Container::open(THERMOCLINE_TEST_DATA
                      "/golden/bamboo/tiny-bamboo.powerinfer.gguf.budget-400000.generated.gpuidx");
  ASSERT_TRUE(opened) << opened.error().line();
  const Container& index = **opened;
  EXPECT_EQ(index.magic(), Magic::powerinfer);
  EXPECT_EQ(*index.string_value("general.architecture"), "generic.gpu_index");
  EXPECT_EQ(*index.unsigned_value("generic.gpu_index.block_count"), 3U);
  EXPECT_EQ(*index.unsigned_value("split.vram_capacity"), 400000U);
  const TensorInfo* empty = index.find_tensor("blk.0.gpu_bucket");
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(empty->bytes, 0U);
  const TensorInfo* full = index.find_tensor("blk.2.gpu_bucket");
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->type.name, "I32");
  EXPECT_EQ(full->dims[0], 256U);
}

TEST(GoldenFiles, model_has_the_known_shapes) {
  const auto opened =
      Container::open(THERMOCLINE_TEST_DATA "/golden/llama/tiny-llama.q4.powerinfer.gguf");
  ASSERT_TRUE(opened) << opened.error().line();
  const TensorInfo* fc2 = (*opened)->find_tensor("blk.1.fc2.weight");
  ASSERT_NE(fc2, nullptr);
  EXPECT_EQ(fc2->type.name, "Q4_0");
  EXPECT_EQ(fc2->dims[0], 64U);
  EXPECT_EQ(fc2->dims[1], 1280U);
  EXPECT_EQ(fc2->bytes, 64U * 1280 / 32 * 18);
  EXPECT_EQ(fc2->offset, 23072U + 1832960);
  const TensorInfo* output = (*opened)->find_tensor("output.weight");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->type.name, "Q6_K");
}

}  // namespace
}  // namespace thermocline::gguf::testing
