#include "platform/utf8.h"

#include <thermocline/expected.h>

#include <gtest/gtest.h>

namespace thermocline {
namespace {

TEST(Error, line_holds_file_place_cause_facts_and_remedy) {
  Error error;
  error.code = ErrorCode::corrupt_file;
  error.file = "model.gguf";
  error.offset = 24;
  error.tensor = "blk.0";
  error.message = "the tensor is broken";
  error.wanted = "1";
  error.found = "2";
  error.remedy = "get it again";
  EXPECT_EQ(
      error.line(),
      "model.gguf: at byte 24: 'blk.0': the tensor is broken (wanted 1, found 2); get it again");
}

TEST(Error, line_is_one_harmless_line_whatever_the_names_hold) {
  Error error;
  error.file = "a\nb\x1b[31m\xe2\x80\xae\xff.gguf";
  error.message = "m";
  EXPECT_EQ(error.line(), "a\\nb\\x1b[31m\\u202e\\xff.gguf: m");
}

TEST(Printable, keeps_text_of_every_script) {
  const std::string text = "한국어 中文 日本語 emoji 🌊";
  EXPECT_EQ(printable(text), text);
}

TEST(Utf8, follows_unicode_strictly) {
  EXPECT_TRUE(platform::is_valid_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\x8a"));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf5", "\xc3", "\xe2\x82"}) {
    EXPECT_FALSE(platform::is_valid_utf8(bad)) << bad;
  }
}

TEST(Utf8, encodes_what_it_decodes) {
  for (const char32_t c : {U'a', U'\u00e9', U'\u20ac', U'\U0001F30A', U'\U0010FFFF'}) {
    std::string text;
    platform::append_utf8(text, c);
    const platform::Utf8Step step = platform::utf8_step(text);
    EXPECT_TRUE(step.valid);
    EXPECT_EQ(step.code_point, c);
    EXPECT_EQ(step.length, text.size());
  }
}

}  // namespace
}  // namespace thermocline
