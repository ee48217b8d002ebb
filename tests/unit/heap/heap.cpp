// Replaces operator new and delete for the whole test program.
#include "heap/heap.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
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

// std::aligned_alloc isn't there on every system: the start of the block stands in front of it.
void* allocate_aligned(std::size_t size, std::size_t alignment) {
  const std::size_t extra = alignment + sizeof(void*);
  if (size > SIZE_MAX - extra) return nullptr;
  void* start = std::malloc(size + extra);  // NOLINT(cppcoreguidelines-no-malloc)
  if (start == nullptr) return nullptr;
  void* data = static_cast<char*>(start) + sizeof(void*);
  std::size_t space = size + alignment;
  std::align(alignment, size, data, space);
  std::memcpy(static_cast<char*>(data) - sizeof(void*), &start, sizeof(start));
  return data;
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
  return allocate_aligned(size, alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 1) {
  if (void* data = allocate(size, alignment)) return data;
  throw std::bad_alloc();
}

void release(void* data) noexcept {
  std::free(data);  // NOLINT(cppcoreguidelines-no-malloc)
}

void release_aligned(void* data) noexcept {
  if (data == nullptr) return;
  void* start = nullptr;
  std::memcpy(&start, static_cast<char*>(data) - sizeof(void*), sizeof(start));
  release(start);
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
  release_aligned(data);
}
void operator delete[](void* data, std::align_val_t) noexcept {
  release_aligned(data);
}
void operator delete(void* data, std::size_t, std::align_val_t) noexcept {
  release_aligned(data);
}
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept {
  release_aligned(data);
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
