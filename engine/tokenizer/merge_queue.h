// The queue of pairs that could be joined, best first.
#pragma once

#include <thermocline/tokenizer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thermocline::tokenizer {

struct MergeCandidate {
  std::uint64_t order;  // rank, then position of the left symbol; distinct for distinct pairs
  std::uint32_t length;
  TokenId id;
};

// The pairs that a text begins with are sorted once and read in order; on a run of one character
// they are in order already. The pairs that merging brings go to a heap with four children a node
// instead of two: half as many levels, and a node's children share a cache line.
class MergeQueue {
 public:
  bool empty() const { return heap_.empty() && next_initial_ == initial_.size(); }

  // A pair of the text as it stands before any merging; not to be called after sort_initial().
  void push_initial(const MergeCandidate& candidate) { initial_.push_back(candidate); }
  void sort_initial() {
    if (!std::is_sorted(initial_.begin(), initial_.end(), is_better)) {
      std::sort(initial_.begin(), initial_.end(), is_better);
    }
  }

  void push(const MergeCandidate& candidate) {
    std::size_t at = heap_.size();
    heap_.push_back(candidate);
    while (at > 0) {
      const std::size_t parent = (at - 1) / arity;
      if (heap_[parent].order <= candidate.order) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = candidate;
  }

  // Only when not empty().
  MergeCandidate pop() {
    if (next_initial_ == initial_.size()) return pop_heap();
    if (!heap_.empty() && is_better(heap_.front(), initial_[next_initial_])) return pop_heap();
    const MergeCandidate best = initial_[next_initial_++];
    if (next_initial_ == initial_.size()) {
      initial_.clear();
      next_initial_ = 0;
    }
    return best;
  }

 private:
  static bool is_better(const MergeCandidate& left, const MergeCandidate& right) {
    return left.order < right.order;
  }

  MergeCandidate pop_heap() {
    const MergeCandidate best = heap_.front();
    const MergeCandidate last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return best;
    std::size_t at = 0;
    while (true) {
      const std::size_t first = at * arity + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = std::min(first + arity, heap_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (heap_[child].order < heap_[least].order) least = child;
      }
      if (last.order <= heap_[least].order) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = last;
    return best;
  }

  static constexpr std::size_t arity = 4;
  std::vector<MergeCandidate> initial_;
  std::size_t next_initial_ = 0;
  std::vector<MergeCandidate> heap_;
};

}  // namespace thermocline::tokenizer
