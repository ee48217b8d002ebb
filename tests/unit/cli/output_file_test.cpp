// What a person names as output never takes the place of a model.
#include "app/cli/output_file.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace thermocline::cli {
namespace {

const std::filesystem::path golden = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Expects that nothing can be written to `path` and that `model` stays as it is.
  void expect_refusal(const std::filesystem::path& path, const std::filesystem::path& model) {
    SCOPED_TRACE(path);
    const std::string before = content(model);
    const auto file = write_output_file(path);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::write_failed);
    EXPECT_FALSE(file.error().remedy.empty());
    EXPECT_NE(file.error().line().find(path.filename().string()), std::string::npos);
    EXPECT_EQ(content(model), before);
  }

  std::filesystem::path folder_ = testing::temporary_path();
};

TEST_F(OutputFile, leaves_every_kind_of_model_file_alone) {
  for (const char* name :
       {"llama-small/tiny-llama-small.powerinfer.gguf", "llama-dense/tiny-llama-dense.gguf",
        "bamboo/tiny-bamboo.powerinfer.gguf.budget-400000.generated.gpuidx",
        "llama-deep/activation/activation_0.pt", "llama-deep/activation/activation_1.pt"}) {
    const std::filesystem::path copy = folder_ / "any name.f32";
    std::filesystem::copy_file(golden / name, copy,
                               std::filesystem::copy_options::overwrite_existing);
    expect_refusal(copy, copy);
  }
}

TEST_F(OutputFile, sees_a_model_through_links_and_other_spellings) {
  const std::filesystem::path model = folder_ / "model.gguf";
  std::filesystem::copy_file(golden / "llama-dense/tiny-llama-dense.gguf", model);
  std::filesystem::create_directory(folder_ / "sub");
  expect_refusal(folder_ / "sub" / ".." / "." / "model.gguf", model);
  std::error_code failure;
  std::filesystem::create_symlink(model, folder_ / "link", failure);
  if (!failure) expect_refusal(folder_ / "link", model);
  std::filesystem::create_hard_link(model, folder_ / "other", failure);
  if (!failure) expect_refusal(folder_ / "other", model);
}

TEST_F(OutputFile, replaces_files_of_other_kinds) {
  const std::filesystem::path path = folder_ / "notes.md";
  for (const std::string text : {"first", "second"}) {
    const auto file = write_output_file(path);
    ASSERT_TRUE(file) << file.error().line();
    ASSERT_TRUE((*file)->write(std::as_bytes(std::span(text.data(), text.size()))));
    ASSERT_TRUE((*file)->commit());
    EXPECT_EQ(content(path), text);
  }
}

}  // namespace
}  // namespace thermocline::cli
