// Keeps a process alive when a mapped file shrinks: the lost pages become zeros and the mapping is
// marked as damaged, instead of the SIGBUS that the operating system sends.
#pragma once

#include <atomic>
#include <cstddef>

namespace thermocline::platform {

// Registers [data, data + size) for as long as it lives. Thread-safe.
class MappingGuard {
 public:
  MappingGuard(const std::byte* data, std::size_t size);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  bool damaged() const noexcept;
  // False if too many files are mapped at once; the file must then not be read through the mapping.
  bool registered() const noexcept { return slot_ >= 0; }

 private:
  int slot_ = -1;
};

}  // namespace thermocline::platform
