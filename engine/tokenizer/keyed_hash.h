// A hash for the words of a file: SipHash-1-3 with a key that no file can know, so that a
// vocabulary made to collide can't turn look-ups into linear searches.
#pragma once

#include <cstdint>
#include <string_view>

namespace thermocline::tokenizer {

class KeyedHash {
 public:
  KeyedHash();  // a new key

  std::size_t operator()(std::string_view text) const noexcept;
  std::size_t operator()(std::uint64_t value) const noexcept;

 private:
  std::uint64_t key0_;
  std::uint64_t key1_;
};

}  // namespace thermocline::tokenizer
