// The option parser.
#include "app/cli/options.h"

#include <gtest/gtest.h>

namespace thermocline::cli {
namespace {

Command sample_command() {
  return {"sample",
          "FILE",
          1,
          1,
          "A command.",
          {{"--count", "N", "how many", "-n"},
           {"--stop", "TEXT", "where to end", "", true},
           {"--json", "", "print JSON"}},
          nullptr};
}

Expected<Arguments> parse(const std::vector<std::string>& words) {
  return parse_arguments(sample_command(), words);
}

std::string message_for(const std::vector<std::string>& words) {
  const auto arguments = parse(words);
  return arguments ? "" : arguments.error().message;
}

TEST(Options, reads_values_switches_and_operands_in_any_order) {
  const auto arguments = parse({"--json", "file", "-n", "3", "--stop=a=b", "--stop", "--json"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->has("--json"));
  EXPECT_EQ(*arguments->value("--count"), "3");
  EXPECT_EQ(arguments->all("--stop"), (std::vector<std::string>{"a=b", "--json"}));
  EXPECT_EQ(arguments->operands().front(), "file");
}

TEST(Options, leaves_absent_options_out) {
  const auto arguments = parse({"file"});
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->has("--json"));
  EXPECT_EQ(arguments->value("--count"), nullptr);
  EXPECT_TRUE(arguments->all("--stop").empty());
}

TEST(Options, takes_dashed_operands_after_two_dashes) {
  const auto arguments = parse({"--", "--json"});
  ASSERT_TRUE(arguments);
  EXPECT_FALSE(arguments->has("--json"));
  EXPECT_EQ(arguments->operands().front(), "--json");
}

TEST(Options, says_which_word_is_wrong) {
  EXPECT_EQ(message_for({"file", "--jsn"}), "unknown option '--jsn'");
  EXPECT_EQ(message_for({"file", "--count"}), "'--count' needs a value (N)");
  EXPECT_EQ(message_for({"file", "--json=1"}), "'--json' takes no value");
  EXPECT_EQ(message_for({"file", "-n", "1", "--count", "2"}), "'--count' is given twice");
  EXPECT_EQ(message_for({}), "'sample' needs FILE");
  EXPECT_EQ(message_for({"file", "other"}), "unexpected 'other'");
}

TEST(Options, lists_every_option_in_the_help) {
  const std::string help = help_text(sample_command());
  for (const char* text : {"-n, --count N", "--stop TEXT", "--json", "A command.", "sample FILE"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace thermocline::cli
