#include "runtime/stop_matcher.h"

#include <gtest/gtest.h>

namespace thermocline::runtime {
namespace {

TEST(StopMatcher, finds_a_stop_text_that_straddles_pieces_and_shows_none_of_it) {
  StopMatcher matcher({"\nQuestion:"});
  EXPECT_EQ(matcher.push("blue.\nQu"), "blue.");
  EXPECT_EQ(matcher.push("estion"), "");
  EXPECT_EQ(matcher.push(": more"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.push("text"), "");
  EXPECT_EQ(matcher.finish(), "");
}

TEST(StopMatcher, gives_back_what_only_looked_like_a_stop_text) {
  StopMatcher matcher({"\nQuestion:"});
  EXPECT_EQ(matcher.push("a\nQue"), "a");
  EXPECT_EQ(matcher.push("en"), "\nQueen");
  EXPECT_EQ(matcher.push("\nQ"), "");
  EXPECT_EQ(matcher.finish(), "\nQ");
}

TEST(StopMatcher, takes_the_earliest_of_several) {
  StopMatcher matcher({"zzz", "b"});
  EXPECT_EQ(matcher.push("aaabzzz"), "aaa");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, handles_self_overlapping_stop_texts_at_every_split) {
  const std::string text = "xaabaabaaab!";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    StopMatcher matcher({"aabaaa"});
    std::string shown = matcher.push(text.substr(0, cut));
    shown += matcher.push(text.substr(cut));
    EXPECT_EQ(shown, "xaab");
    EXPECT_TRUE(matcher.stopped());
  }
}

TEST(StopMatcher, ignores_empty_stop_texts) {
  StopMatcher matcher({""});
  EXPECT_EQ(matcher.push("abc"), "abc");
  EXPECT_FALSE(matcher.stopped());
}

}  // namespace
}  // namespace thermocline::runtime
