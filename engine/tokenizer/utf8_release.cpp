// One pass over what is pending.
#include "tokenizer/utf8_release.h"

#include "platform/utf8.h"

#include <string_view>

namespace thermocline::tokenizer {
namespace {

constexpr std::size_t longest_unfinished = 3;

// Bytes at the start of an invalid `text` that could have begun a character.
std::size_t subpart_length(std::string_view text) {
  for (std::size_t length = longest_unfinished; length > 1; --length) {
    if (length <= text.size() && platform::utf8_step(text.substr(0, length)).truncated) {
      return length;
    }
  }
  return 1;
}

}  // namespace

std::string release_complete(std::string& pending) {
  std::string released;
  std::string_view rest = pending;
  while (!rest.empty()) {
    const platform::Utf8Step step = platform::utf8_step(rest);
    std::size_t used = step.length;
    if (step.valid) {
      released += rest.substr(0, used);
    } else if (step.truncated) {
      break;
    } else {
      used = subpart_length(rest);
      platform::append_utf8(released, 0xFFFD);
    }
    rest.remove_prefix(used);
  }
  pending.erase(0, pending.size() - rest.size());
  return released;
}

}  // namespace thermocline::tokenizer
