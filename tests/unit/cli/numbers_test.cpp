// Sizes, numbers and token ids as people type them.
#include "app/cli/numbers.h"
#include "app/cli/sizes.h"

#include <gtest/gtest.h>

namespace thermocline::cli {
namespace {

TEST(Sizes, reads_decimal_and_binary_units) {
  EXPECT_EQ(parse_size("2.5GB"), 2'500'000'000u);
  EXPECT_EQ(parse_size("800MiB"), 838'860'800u);
  EXPECT_EQ(parse_size("1.5 gib"), 1'610'612'736u);
  EXPECT_EQ(parse_size("7kB"), 7000u);
  EXPECT_EQ(parse_size("2TiB"), 2'199'023'255'552u);
}

TEST(Sizes, takes_plain_numbers_as_bytes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("12B"), 12u);
  EXPECT_EQ(parse_size("18446744073709551615"), 18446744073709551615u);
}

TEST(Sizes, refuses_what_is_no_size) {
  for (const char* text : {"", "GB", "-1", "1.5", "1..5GB", "1.GB", ".5GB", "1 2", "5XB", "0x10",
                           "1e9", "18446744073709551616", "99999999999TB", "2GB "}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Sizes, shows_sizes_in_decimal_units) {
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(2'500'000'000), "2.50 GB");
}

TEST(Numbers, reads_whole_words_only) {
  EXPECT_EQ(parse_unsigned("18446744073709551615"), 18446744073709551615u);
  EXPECT_EQ(parse_real("-0.25"), -0.25);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "1x", "18446744073709551616"}) {
    EXPECT_FALSE(parse_unsigned(text)) << text;
  }
  for (const char* text : {"", " 1", "1 ", "1,5", "nan", "inf", "1e999", "0x1p3", "--1"}) {
    EXPECT_FALSE(parse_real(text)) << text;
  }
}

TEST(Numbers, reads_ids_between_spaces_and_commas) {
  const auto ids = parse_ids(" 1, 2\n3\t2147483647 ", "ids");
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, (std::vector<TokenId>{1, 2, 3, 2147483647}));
  const auto none = parse_ids("", "ids");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(Numbers, names_the_word_that_is_no_id) {
  const auto ids = parse_ids("1 two 3", "ids");
  ASSERT_FALSE(ids);
  EXPECT_NE(ids.error().message.find("'two'"), std::string::npos);
  EXPECT_FALSE(parse_ids("-1", "ids"));
  EXPECT_FALSE(parse_ids("2147483648", "ids"));
}

}  // namespace
}  // namespace thermocline::cli
