// Hands the latest value from one writing thread to one reading thread without either waiting:
// three slots, of which the writer owns one, the reader one, and the third is exchanged.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace thermocline::runtime {

template <typename T>
class SnapshotBuffer {
 public:
  // Writer: the slot to fill, then publish().
  T& draft() { return slots_[draft_]; }
  void publish() {
    draft_ =
        middle_.exchange(static_cast<std::uint8_t>(draft_ | fresh), std::memory_order_acq_rel) &
        index;
  }

  // Reader: the latest published value; valid until the next call.
  const T& latest() {
    if ((middle_.load(std::memory_order_relaxed) & fresh) != 0) {
      view_ = middle_.exchange(view_, std::memory_order_acq_rel) & index;
    }
    return slots_[view_];
  }

 private:
  static constexpr std::uint8_t index = 3;
  static constexpr std::uint8_t fresh = 4;
  std::array<T, 3> slots_{};
  std::uint8_t draft_ = 0;
  std::atomic<std::uint8_t> middle_{1};
  std::uint8_t view_ = 2;
};

}  // namespace thermocline::runtime
