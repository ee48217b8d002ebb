// The history of what was typed survives, in order, also when several chats write it.
#include "app/cli/chat_history.h"
#include "temporary_path.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace thermocline::cli {
namespace {

class ChatHistory : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }
  std::filesystem::path file_ = testing::temporary_path(".txt");
};

using Lines = std::vector<std::string>;

TEST_F(ChatHistory, is_empty_at_first) {
  EXPECT_TRUE(load_history(file_).empty());
}

TEST_F(ChatHistory, comes_back_in_order) {
  append_history(file_, "first one");
  append_history(file_, "두 번째");
  append_history(file_, "");
  append_history(file_, "not\none line");
  EXPECT_EQ(load_history(file_), (Lines{"first one", "두 번째"}));
}

TEST_F(ChatHistory, keeps_what_every_chat_adds) {
  constexpr int each = 200;
  const auto chat = [this](const std::string& name) {
    for (int i = 0; i < each; ++i)
      append_history(file_, name + std::to_string(i));
  };
  std::thread other(chat, "a");
  chat("b");
  other.join();
  const Lines lines = load_history(file_);
  ASSERT_EQ(lines.size(), 2u * each);
  for (const char* name : {"a", "b"}) {
    int next = 0;
    for (const std::string& line : lines) {
      if (line == name + std::to_string(next)) ++next;
    }
    EXPECT_EQ(next, each) << name;
  }
}

TEST_F(ChatHistory, keeps_the_newest_of_very_many) {
  constexpr std::size_t typed = 5 * most_history_lines;
  for (std::size_t i = 0; i < typed; ++i)
    append_history(file_, std::to_string(i));
  const auto size = std::filesystem::file_size(file_);
  const Lines lines = load_history(file_);
  ASSERT_EQ(lines.size(), most_history_lines);
  EXPECT_EQ(lines.back(), std::to_string(typed - 1));
  EXPECT_LT(std::filesystem::file_size(file_), size);
  EXPECT_EQ(load_history(file_), lines);
}

#ifndef _WIN32
TEST_F(ChatHistory, is_for_its_owner_only) {
  append_history(file_, "secret");
  EXPECT_EQ(std::filesystem::status(file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}
#endif

}  // namespace
}  // namespace thermocline::cli
