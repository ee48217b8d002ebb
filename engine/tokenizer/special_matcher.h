// Finds special tokens in text: at each position the longest, from left to right.
#pragma once

#include <thermocline/tokenizer.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace thermocline::tokenizer {

struct SpecialMatch {
  std::size_t begin;
  std::size_t length;
  TokenId id;
};

// An Aho-Corasick automaton over the reversed tokens. Read from the end of a text, its state tells
// at every position which is the longest token that begins there; so time is linear in the text,
// whatever the tokens are.
class SpecialMatcher {
 public:
  SpecialMatcher() : nodes_(1) { root_children_.fill(0); }

  // Adds a token; of two with the same text the first stays. Empty text is ignored.
  void add(std::string_view text, TokenId id);
  // To be called once after the last add().
  void finish();

  bool empty() const { return nodes_.size() == 1; }
  // Ascending and without overlaps.
  std::vector<SpecialMatch> find(std::string_view text) const;

 private:
  struct Node {
    std::uint32_t first_child = 0;  // 0: none
    std::uint32_t sibling = 0;
    std::uint32_t fallback = 0;  // the longest proper suffix that is a node
    std::uint32_t length = 0;    // of the longest token that ends here; 0: none
    TokenId id = -1;
    unsigned char byte = 0;
  };
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;
  std::uint32_t step(std::uint32_t node, unsigned char byte) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> root_children_{};
};

}  // namespace thermocline::tokenizer
