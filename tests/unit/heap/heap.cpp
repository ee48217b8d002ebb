// Replaces operator new and delete for the whole test program.
#include "heap/heap.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

struct Counts {
  bool watching = false;
  std::size_t largest = 0;
  std::size_t total = 0;
};
thread_local Counts counts;

// Global by need: operator new has no other place to look.
std::atomic<bool> starving{false};
std::atomic<bool> lasting{false};
std::atomic<long long> successes_left{0};
std::atomic<bool> refused{false};

bool refuses() {
  if (!starving.load(std::memory_order_acquire)) return false;
  const long long left = successes_left.fetch_sub(1, std::memory_order_relaxed);
  if (left > 0 || (left < 0 && !lasting.load(std::memory_order_relaxed))) return false;
  refused.store(true, std::memory_order_relaxed);
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (counts.watching) {
    if (size > counts.largest) counts.largest = size;
    counts.total += size;
  }
  if (refuses()) return nullptr;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    return std::malloc(size == 0 ? 1 : size);  // NOLINT(cppcoreguidelines-no-malloc)
  }
  const std::size_t rounded = (size / alignment + 1) * alignment;
  return std::aligned_alloc(alignment, rounded);  // NOLINT(cppcoreguidelines-no-malloc)
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 1) {
  if (void* data = allocate(size, alignment)) return data;
  throw std::bad_alloc();
}

void release(void* data) noexcept {
  std::free(data);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* data) noexcept {
  release(data);
}
void operator delete[](void* data) noexcept {
  release(data);
}
void operator delete(void* data, std::size_t) noexcept {
  release(data);
}
void operator delete[](void* data, std::size_t) noexcept {
  release(data);
}
void operator delete(void* data, std::align_val_t) noexcept {
  release(data);
}
void operator delete[](void* data, std::align_val_t) noexcept {
  release(data);
}
void operator delete(void* data, std::size_t, std::align_val_t) noexcept {
  release(data);
}
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept {
  release(data);
}
void operator delete(void* data, const std::nothrow_t&) noexcept {
  release(data);
}
void operator delete[](void* data, const std::nothrow_t&) noexcept {
  release(data);
}

namespace thermocline::testing {

AllocationLog::AllocationLog() {
  counts = {true, 0, 0};
}

AllocationLog::~AllocationLog() {
  counts.watching = false;
}

std::size_t AllocationLog::largest() const {
  return counts.largest;
}

std::size_t AllocationLog::total() const {
  return counts.total;
}

StarvedHeap::StarvedHeap(std::size_t successes, Shortage shortage) {
  successes_left = static_cast<long long>(successes);
  lasting = shortage == Shortage::lasting;
  refused = false;
  starving.store(true, std::memory_order_release);
}

StarvedHeap::~StarvedHeap() {
  end();
}

bool StarvedHeap::end() {
  starving.store(false, std::memory_order_release);
  return refused.load(std::memory_order_relaxed);
}

}  // namespace thermocline::testing
