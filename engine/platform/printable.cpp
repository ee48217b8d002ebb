// Makes untrusted text safe to show on one terminal line.
#include "platform/utf8.h"

#include <thermocline/error.h>

#include <array>
#include <cstdio>

namespace thermocline {
namespace {

// Characters that move, hide or reorder what stands around them: C0, DEL, C1, line and paragraph
// separators, bidirectional controls, byte-order mark.
bool disturbs_a_line(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0x061C ||
         c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void append_escape(std::string& out, const char* format, unsigned value) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), format, value);
  out += text.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const platform::Utf8Step step = platform::utf8_step(text);
    const char32_t c = step.code_point;
    if (!step.valid) {
      append_escape(out, "\\x%02x", static_cast<unsigned char>(text.front()));
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (disturbs_a_line(c)) {
      append_escape(out, c < 0x100 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, step.length);
    }
    text.remove_prefix(step.length);
  }
  return out;
}

}  // namespace thermocline
