// Recognises files that people take for models, so that an error can say what they really are.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace thermocline::gguf {

struct ForeignFile {
  std::string_view what;    // "a Git LFS pointer", ...
  std::string_view remedy;  // what to do with it
};

// What a file that doesn't begin with a known magic seems to be, judged by its first bytes.
ForeignFile recognise_foreign_file(std::span<const std::byte> bytes);

}  // namespace thermocline::gguf
