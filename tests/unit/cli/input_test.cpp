// Input comes from files, pipes and standard input, and never without a limit.
#include "app/cli/input.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace thermocline::cli {
namespace {

class Input : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  std::filesystem::path path_ = testing::temporary_path(".txt");
};

TEST_F(Input, reads_every_byte_of_a_file) {
  const std::string text("a\r\n\0\xff z", 7);
  write(text);
  const auto read = read_input_file(path_);
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(*read, text);
}

TEST_F(Input, refuses_what_is_longer_than_the_limit) {
  write("12345");
  EXPECT_TRUE(read_input_file(path_, 5));
  const auto read = read_input_file(path_, 4);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().line().find(path_.filename().string()), std::string::npos);
  EXPECT_FALSE(read.error().remedy.empty());
}

TEST_F(Input, names_a_file_that_is_not_there) {
  const auto read = read_input_file(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::file_not_found);
  EXPECT_NE(read.error().line().find(path_.filename().string()), std::string::npos);
}

TEST_F(Input, refuses_a_folder) {
  EXPECT_FALSE(read_input_file(std::filesystem::temp_directory_path()));
}

#ifndef _WIN32
TEST_F(Input, reads_a_pipe_to_its_end) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const std::string text(300000, 'x');
  std::thread writer([&] { write(text); });
  const auto read = read_input_file(path_);
  writer.join();
  ASSERT_TRUE(read) << read.error().line();
  EXPECT_EQ(*read, text);
}

TEST_F(Input, an_endless_device_is_read_up_to_the_limit_only) {
  const auto read = read_input_file("/dev/zero", 1 << 20);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::file_unreadable);
}
#endif

}  // namespace
}  // namespace thermocline::cli
