// Files: what is refused, what survives, what is left behind.
#include "platform/file_system.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace thermocline::platform {
namespace {

class FileSystemTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::temporary_path();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  Error refusal(const std::filesystem::path& path) const {
    auto mapped = FileSystem::system().map(path);
    EXPECT_FALSE(mapped);
    return mapped ? Error{} : mapped.error();
  }
  static std::span<const std::byte> bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
  }

  std::filesystem::path folder_;
};

TEST_F(FileSystemTest, maps_files_with_unicode_names) {
  const auto path = put("모델 模型 モデル.gguf", "hello");
  auto mapped = FileSystem::system().map(path);
  ASSERT_TRUE(mapped) << mapped.error().line();
  EXPECT_EQ((*mapped)->bytes().size(), 5u);
  EXPECT_EQ(std::memcmp((*mapped)->bytes().data(), "hello", 5), 0);
  EXPECT_EQ(from_utf8(to_utf8(path)), path);
}

TEST_F(FileSystemTest, an_empty_file_is_an_empty_span) {
  auto mapped = FileSystem::system().map(put("empty", ""));
  ASSERT_TRUE(mapped);
  EXPECT_TRUE((*mapped)->bytes().empty());
}

#ifndef _WIN32  // which has no such files and doesn't let a mapped file shrink
// Class 9 of the malformed-input classes.
TEST_F(FileSystemTest, refuses_what_is_not_a_regular_file_and_says_what_it_is) {
  EXPECT_EQ(refusal(folder_).found, "a directory");
  EXPECT_EQ(refusal("/dev/null").found, "a device");
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal(pipe).found, "a pipe");
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "dangling");
  EXPECT_EQ(refusal(folder_ / "dangling").code, ErrorCode::file_not_found);
  EXPECT_NE(refusal(folder_ / "dangling").message.find("link"), std::string::npos);
  std::filesystem::create_symlink(folder_ / "loop", folder_ / "loop");
  EXPECT_EQ(refusal(folder_ / "loop").code, ErrorCode::file_unreadable);
  EXPECT_EQ(refusal(folder_ / "absent").code, ErrorCode::file_not_found);
  EXPECT_EQ(refusal(put("file", "x") / "below").code, ErrorCode::file_not_found);
}

// Class 10.
TEST_F(FileSystemTest, a_file_that_shrinks_reads_as_zeros_and_is_marked) {
  const auto path = put("shrinking", std::string(1 << 20, 'x'));
  auto mapped = FileSystem::system().map(path);
  ASSERT_TRUE(mapped);
  EXPECT_FALSE((*mapped)->damaged());
  std::filesystem::resize_file(path, 5000);
  std::uint64_t sum = 0;
  for (const std::byte b : (*mapped)->bytes())
    sum += std::to_integer<unsigned>(b);
  EXPECT_TRUE((*mapped)->damaged());
  EXPECT_EQ(sum, 5000u * 'x');
  EXPECT_EQ((*mapped)->bytes()[0], std::byte{'x'});
}
#endif

TEST_F(FileSystemTest, nothing_is_visible_before_commit) {
  auto writer = FileSystem::system().write(folder_ / "out");
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(bytes("abc")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  ASSERT_TRUE((*writer)->commit());
  EXPECT_EQ(text_of(folder_ / "out"), "abc");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileSystemTest, without_commit_the_old_file_stays_and_nothing_is_left) {
  const auto path = put("out", "old");
  {
    auto writer = FileSystem::system().write(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->write(bytes("new")));
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileSystemTest, writing_into_a_missing_folder_or_onto_a_folder_is_an_error) {
  const auto missing = FileSystem::system().write(folder_ / "none" / "out");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::write_failed);
  EXPECT_FALSE(FileSystem::system().write(folder_));
}

#ifndef _WIN32  // These need symbolic links, device files, POSIX permissions and long names.
TEST_F(FileSystemTest, writes_names_as_long_as_the_system_takes) {
  const std::filesystem::path path = folder_ / std::string(250, 'x');
  auto writer = FileSystem::system().write(path);
  ASSERT_TRUE(writer) << writer.error().line();
  ASSERT_TRUE((*writer)->write(bytes("abc")));
  ASSERT_TRUE((*writer)->commit());
  EXPECT_EQ(text_of(path), "abc");
  const auto longer = FileSystem::system().write(folder_ / std::string(300, 'x'));
  ASSERT_FALSE(longer);
  EXPECT_NE(longer.error().remedy.find("shorter"), std::string::npos);
}

TEST_F(FileSystemTest, what_replaces_a_private_file_is_as_private) {
  const auto path = put("private", "old");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  auto writer = FileSystem::system().write(path);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(bytes("new")));
  ASSERT_TRUE((*writer)->commit());
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(text_of(path), "new");
}

TEST_F(FileSystemTest, a_link_to_nothing_yet_is_followed) {
  std::filesystem::create_symlink("later", folder_ / "link");
  auto writer = FileSystem::system().write(folder_ / "link");
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(bytes("new")));
  ASSERT_TRUE((*writer)->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "later"), "new");
}

TEST_F(FileSystemTest, a_link_keeps_pointing_to_the_file_that_was_replaced) {
  const auto path = put("real", "old");
  std::filesystem::create_symlink(path, folder_ / "link");
  auto writer = FileSystem::system().write(folder_ / "link");
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write(bytes("new")));
  ASSERT_TRUE((*writer)->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(path), "new");
}

TEST_F(FileSystemTest, devices_are_written_in_place) {
  auto writer = FileSystem::system().write("/dev/null");
  ASSERT_TRUE(writer);
  EXPECT_TRUE((*writer)->write(bytes("abc")));
  EXPECT_TRUE((*writer)->commit());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(FileSystemTest, a_full_disk_is_one_clear_error) {
  auto writer = FileSystem::system().write("/dev/full");
  ASSERT_TRUE(writer);
  const auto result = (*writer)->write(bytes("abc"));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().remedy.find("disk space"), std::string::npos);
}
#endif

}  // namespace
}  // namespace thermocline::platform
