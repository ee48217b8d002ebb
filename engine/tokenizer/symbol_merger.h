// The merging that both kinds of byte-pair encoding share: neighbouring symbols of a text are
// joined, best pair first, until no pair can be joined.
#pragma once

#include "tokenizer/merge_queue.h"

#include <thermocline/tokenizer.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace thermocline::tokenizer {

constexpr TokenId no_token = -1;

// A stretch of text that may be a token already.
struct Symbol {
  std::uint32_t begin;   // byte in the text
  std::uint32_t length;  // bytes; 0 once it has been joined to its left neighbour
  std::uint32_t previous;
  std::uint32_t next;
  TokenId id;  // no_token for a character that is none
};

// What joining two neighbours gives.
struct Joint {
  std::uint32_t rank;  // lower ranks are joined first, equal ones from the left
  TokenId id;
};

// A text's symbols as a linked list. Keeps its memory from one text to the next.
class SymbolMerger {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  // Texts must be shorter, so that positions fit in 32 bits.
  static constexpr std::size_t longest_text = std::size_t{1} << 30;

  bool empty() const { return symbols_.empty(); }
  void clear() { symbols_.clear(); }

  // Appends the next `length` bytes of the text, at least one.
  void append(std::uint32_t length, TokenId id) {
    const auto index = static_cast<std::uint32_t>(symbols_.size());
    const std::uint32_t begin =
        symbols_.empty() ? 0 : symbols_.back().begin + symbols_.back().length;
    if (index > 0) symbols_.back().next = index;
    symbols_.push_back({begin, length, index > 0 ? index - 1 : none, none, id});
  }

  // Joins all that can be joined. `join(left, right)` tells what two neighbouring symbols give
  // (std::optional<Joint>). O(n log n) calls and steps for n symbols.
  template <typename Join>
  void merge(Join join) {
    const auto candidate = [&](std::uint32_t left) -> std::optional<MergeCandidate> {
      if (left == none || symbols_[left].next == none) return std::nullopt;
      const Symbol& first = symbols_[left];
      const Symbol& second = symbols_[first.next];
      const std::optional<Joint> joint = join(first, second);
      if (!joint) return std::nullopt;
      return MergeCandidate{std::uint64_t{joint->rank} << 32 | left, first.length + second.length,
                            joint->id};
    };
    for (std::uint32_t index = 0; index + 1 < symbols_.size(); ++index) {
      if (const auto pair = candidate(index)) candidates_.push_initial(*pair);
    }
    candidates_.sort_initial();
    while (!candidates_.empty()) {
      const MergeCandidate best = candidates_.pop();
      const auto left = static_cast<std::uint32_t>(best.order);
      Symbol& first = symbols_[left];
      // A candidate is out of date once either side has been joined to something else; as symbols
      // only ever grow to the right, the length shows it.
      if (first.length == 0 || first.next == none) continue;
      Symbol& second = symbols_[first.next];
      if (first.length + second.length != best.length) continue;
      first.length = best.length;
      first.id = best.id;
      first.next = second.next;
      second.length = 0;
      if (first.next != none) symbols_[first.next].previous = left;
      if (const auto pair = candidate(first.previous)) candidates_.push(*pair);
      if (const auto pair = candidate(left)) candidates_.push(*pair);
    }
  }

  // Calls visit(symbol) for every symbol that is left, in order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t index = symbols_.empty() ? none : 0; index != none;
         index = symbols_[index].next) {
      visit(symbols_[index]);
    }
  }

 private:
  std::vector<Symbol> symbols_;
  MergeQueue candidates_;
};

}  // namespace thermocline::tokenizer
