// Writing to files: what stays behind when something fails on the way.
#include "gguf/writer.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace thermocline::gguf::testing {
namespace {

using Bytes = std::vector<std::byte>;

// Keeps files in memory; the n-th call fails, counting from 0.
class FailingFiles : public platform::FileSystem {
 public:
  explicit FailingFiles(int failing_call) : failing_call_(failing_call) {}

  Expected<std::unique_ptr<platform::MappedFile>> map(const std::filesystem::path&) override {
    return failure();
  }
  Expected<std::unique_ptr<platform::FileWriter>> write(
      const std::filesystem::path& path) override {
    THERMOCLINE_CHECK(call());
    return std::unique_ptr<platform::FileWriter>(std::make_unique<Open>(*this, path.string()));
  }

  int calls() const { return calls_; }
  std::map<std::string, Bytes>& files() { return files_; }
  int temporary_files() const { return temporary_files_; }

 private:
  class Open : public platform::FileWriter {
   public:
    Open(FailingFiles& owner, std::string name) : owner_(owner), name_(std::move(name)) {
      ++owner_.temporary_files_;
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() override { --owner_.temporary_files_; }
    Expected<void> write(std::span<const std::byte> bytes) override {
      THERMOCLINE_CHECK(owner_.call());
      written_.insert(written_.end(), bytes.begin(), bytes.end());
      return {};
    }
    Expected<void> commit() override {
      THERMOCLINE_CHECK(owner_.call());
      owner_.files_[name_] = written_;
      return {};
    }

   private:
    FailingFiles& owner_;
    std::string name_;
    Bytes written_;
  };

  static Error failure() {
    Error error;
    error.code = ErrorCode::write_failed;
    error.message = "the disk is full";
    return error;
  }
  Expected<void> call() {
    if (calls_++ == failing_call_) return failure();
    return {};
  }

  int failing_call_;
  int calls_ = 0;
  int temporary_files_ = 0;
  std::map<std::string, Bytes> files_;
};

constexpr std::array<std::byte, 64> weights{};

Writer example() {
  constexpr std::array<std::uint64_t, 1> dims{5};
  Writer writer(Magic::powerinfer);
  writer.add_string("general.architecture", "llama");
  writer.add_tensor("a", dims, TensorType::f32, std::span(weights).first(20));
  writer.add_tensor("b", dims, TensorType::f16, std::span(weights).first(10));
  return writer;
}

TEST(WriterFailure, any_failing_call_is_an_error_and_leaves_the_old_file) {
  FailingFiles healthy(-1);
  ASSERT_TRUE(example().write("model.gguf", healthy));
  EXPECT_EQ(healthy.files().at("model.gguf"), *example().bytes());
  const int calls = healthy.calls();
  ASSERT_GT(calls, 5);

  const Bytes old{std::byte{1}, std::byte{2}};
  for (int failing = 0; failing < calls; ++failing) {
    SCOPED_TRACE(failing);
    FailingFiles files(failing);
    files.files()["model.gguf"] = old;
    const auto result = example().write("model.gguf", files);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::write_failed);
    EXPECT_EQ(files.calls(), failing + 1);  // nothing is tried after a failure
    EXPECT_EQ(files.files().size(), 1U);
    EXPECT_EQ(files.files().at("model.gguf"), old);
    EXPECT_EQ(files.temporary_files(), 0);
  }
}

TEST(WriterFailure, invalid_contents_touch_no_file) {
  Writer writer = example();
  writer.add_u32("general.architecture", 1);
  FailingFiles files(-1);
  const auto result = writer.write("model.gguf", files);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(files.calls(), 0);
}

class WriterOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = thermocline::testing::temporary_path();
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t file_count() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      count += entry.exists() ? 1 : 0;
    }
    return count;
  }

  std::filesystem::path folder_;
};

TEST_F(WriterOnDisk, written_file_opens_and_replaces_the_old_one) {
  const auto path = folder_ / "model.gguf";
  std::ofstream(path) << "old";
  const auto result = example().write(path);
  ASSERT_TRUE(result) << result.error().line();
  EXPECT_EQ(file_count(), 1U);
  const auto opened = Container::open(path);
  ASSERT_TRUE(opened) << opened.error().line();
  EXPECT_EQ((*opened)->tensors().size(), 2U);
  EXPECT_EQ((*opened)->file_size(), example().bytes()->size());
  EXPECT_EQ((*opened)->file_name(), platform::to_utf8(path));
}

TEST_F(WriterOnDisk, invalid_contents_leave_the_folder_empty) {
  Writer writer = example();
  writer.add_u32("", 1);
  ASSERT_FALSE(writer.write(folder_ / "model.gguf"));
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(WriterOnDisk, missing_folder_is_an_error) {
  const auto result = example().write(folder_ / "absent" / "model.gguf");
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.error().message.empty());
  EXPECT_EQ(file_count(), 0U);
}

}  // namespace
}  // namespace thermocline::gguf::testing
