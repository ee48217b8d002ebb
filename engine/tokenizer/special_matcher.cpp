// Building and running the automaton. Children are linked lists of at most 256 nodes: no hash that
// a file could fill badly, and memory grows with the bytes of the special tokens only.
#include "tokenizer/special_matcher.h"

#include <algorithm>

namespace thermocline::tokenizer {

void SpecialMatcher::add(std::string_view text, TokenId id) {
  if (text.empty()) return;
  std::uint32_t node = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    const auto byte = static_cast<unsigned char>(text[at]);
    std::uint32_t next = child(node, byte);
    if (next == 0) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.sibling = nodes_[node].first_child, .byte = byte});
      nodes_[node].first_child = next;
      if (node == 0) root_children_[byte] = next;
    }
    node = next;
  }
  if (nodes_[node].length > 0) return;
  nodes_[node].length = static_cast<std::uint32_t>(text.size());
  nodes_[node].id = id;
}

void SpecialMatcher::finish() {
  // Breadth first: a node's fallback is shorter and so done before the node's children.
  std::vector<std::uint32_t> queue = {0};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const std::uint32_t parent = queue[at];
    for (std::uint32_t node = nodes_[parent].first_child; node != 0; node = nodes_[node].sibling) {
      queue.push_back(node);
      if (parent == 0) continue;
      const std::uint32_t fallback = step(nodes_[parent].fallback, nodes_[node].byte);
      nodes_[node].fallback = fallback;
      if (nodes_[node].length == 0) {
        nodes_[node].length = nodes_[fallback].length;
        nodes_[node].id = nodes_[fallback].id;
      }
    }
  }
}

std::vector<SpecialMatch> SpecialMatcher::find(std::string_view text) const {
  std::vector<SpecialMatch> matches;
  if (empty()) return matches;
  std::uint32_t node = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    node = step(node, static_cast<unsigned char>(text[at]));
    if (nodes_[node].length > 0) matches.push_back({at, nodes_[node].length, nodes_[node].id});
  }
  // Left to right, leaving out what begins inside an accepted match.
  std::ranges::reverse(matches);
  std::size_t covered = 0;
  std::erase_if(matches, [&covered](const SpecialMatch& match) {
    if (match.begin < covered) return true;
    covered = match.begin + match.length;
    return false;
  });
  return matches;
}

std::uint32_t SpecialMatcher::child(std::uint32_t node, unsigned char byte) const {
  if (node == 0) return root_children_[byte];
  std::uint32_t next = nodes_[node].first_child;
  while (next != 0 && nodes_[next].byte != byte)
    next = nodes_[next].sibling;
  return next;
}

std::uint32_t SpecialMatcher::step(std::uint32_t node, unsigned char byte) const {
  while (true) {
    const std::uint32_t next = child(node, byte);
    if (next != 0 || node == 0) return next;
    node = nodes_[node].fallback;
  }
}

}  // namespace thermocline::tokenizer
