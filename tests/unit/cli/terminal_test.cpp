// What may reach a terminal, and JSON from untrusted text.
#include "app/cli/terminal.h"
#include "app/cli/json_text.h"

#include <gtest/gtest.h>

namespace thermocline::cli {
namespace {

TEST(Terminal, keeps_text_newlines_and_tabs) {
  EXPECT_EQ(safe_for_terminal("Gr\xc3\xbc\xc3\x9f"
                              "e\n\tok\n"),
            "Gr\xc3\xbc\xc3\x9f"
            "e\n\tok\n");
  EXPECT_EQ(safe_for_terminal(""), "");
}

TEST(Terminal, shows_control_characters_and_overrides_as_escapes) {
  const std::string safe = safe_for_terminal(
      "a\x1b[31mb\r\x07"
      "\xc2\x9b"
      "\xe2\x80\xae"
      "c\n");
  for (const char* hidden : {"\x1b", "\r", "\x07", "\xc2\x9b", "\xe2\x80\xae"}) {
    EXPECT_EQ(safe.find(hidden), std::string::npos);
  }
  EXPECT_TRUE(safe.starts_with("a"));
  EXPECT_TRUE(safe.ends_with("c\n"));
}

TEST(JsonText, replaces_bytes_that_are_not_utf8) {
  EXPECT_EQ(json_text(Json{{"text",
                            "a\xff"
                            "b"}}),
            "{\"text\":\"a\xef\xbf\xbd"
            "b\"}\n");
}

}  // namespace
}  // namespace thermocline::cli
