// Guarded memory by page protection.
#include "guarded_memory.h"

#include <new>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace thermocline::kernels::test {
namespace {

// Reserves `bytes` of address space without access and makes the middle, without a page at either
// end, accessible.
#if defined(_WIN32)
std::size_t page_bytes() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

std::uint8_t* reserve(std::size_t bytes, std::size_t page) {
  void* mapping = VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
  if (mapping == nullptr) throw std::bad_alloc();
  auto* begin = static_cast<std::uint8_t*>(mapping);
  if (VirtualAlloc(begin + page, bytes - 2 * page, MEM_COMMIT, PAGE_READWRITE) == nullptr) {
    throw std::bad_alloc();
  }
  return begin;
}

void release(std::uint8_t* mapping, std::size_t) {
  VirtualFree(mapping, 0, MEM_RELEASE);
}
#else
std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::uint8_t* reserve(std::size_t bytes, std::size_t page) {
  void* mapping = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::uint8_t*>(mapping);
  if (mprotect(begin + page, bytes - 2 * page, PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  return begin;
}

void release(std::uint8_t* mapping, std::size_t bytes) {
  munmap(mapping, bytes);
}
#endif

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes, Against against) {
  const std::size_t page = page_bytes();
  const std::size_t inner = bytes == 0 ? page : (bytes + page - 1) / page * page;
  mapping_bytes_ = inner + 2 * page;
  mapping_ = reserve(mapping_bytes_, page);
  std::memset(mapping_ + page, 0xa5, inner);
  data_ = mapping_ + page + (against == Against::end ? inner - bytes : 0);
}

GuardedMemory::~GuardedMemory() {
  release(mapping_, mapping_bytes_);
}

}  // namespace thermocline::kernels::test
