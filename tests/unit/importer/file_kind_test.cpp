// Files are recognised by content.
#include "importer/file_kind.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace thermocline::importer {
namespace {

FileKind kind_of(const std::string& bytes) {
  return recognise(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

std::string golden(const char* name) {
  std::ifstream file(std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden" / name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FileKind, recognises_models_and_gpu_indexes) {
  EXPECT_EQ(kind_of(golden("bamboo/tiny-bamboo.powerinfer.gguf")), FileKind::gguf);
  EXPECT_EQ(kind_of(golden("bamboo/tiny-bamboo.powerinfer.gguf.budget-400000.generated.gpuidx")),
            FileKind::gguf);
}

TEST(FileKind, recognises_both_torch_containers) {
  EXPECT_EQ(kind_of(golden("llama-deep/activation/activation_0.pt")), FileKind::torch_zip);
  EXPECT_EQ(kind_of(golden("llama-deep/activation/activation_1.pt")), FileKind::torch_pickle);
}

TEST(FileKind, recognises_safetensors_only_if_the_header_fits) {
  const std::string header = "{\"__metadata__\":{}}";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  EXPECT_EQ(kind_of(file + header), FileKind::safetensors);
  EXPECT_EQ(kind_of(file + header.substr(0, 10)), FileKind::unknown);
}

TEST(FileKind, takes_nothing_else_for_a_model) {
  for (const char* text : {"", "GGU", "PK\x03\x04 a ZIP file without a pickle", "hello", "{}"}) {
    EXPECT_EQ(kind_of(text), FileKind::unknown) << text;
  }
}

}  // namespace
}  // namespace thermocline::importer
