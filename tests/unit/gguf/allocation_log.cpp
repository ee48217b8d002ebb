// Replaces operator new and delete for the whole test program.
#include "allocation_log.h"

#include <cstdlib>
#include <new>

namespace {

struct Counts {
  bool watching = false;
  std::size_t largest = 0;
  std::size_t total = 0;
};
thread_local Counts counts;

void* allocate(std::size_t size) {
  if (counts.watching) {
    if (size > counts.largest) counts.largest = size;
    counts.total += size;
  }
  return std::malloc(size == 0 ? 1 : size);  // NOLINT(cppcoreguidelines-no-malloc)
}

void release(void* data) noexcept {
  std::free(data);  // NOLINT(cppcoreguidelines-no-malloc)
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* data = allocate(size)) return data;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  if (void* data = allocate(size)) return data;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
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
void operator delete(void* data, const std::nothrow_t&) noexcept {
  release(data);
}
void operator delete[](void* data, const std::nothrow_t&) noexcept {
  release(data);
}

namespace thermocline::gguf::testing {

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

}  // namespace thermocline::gguf::testing
