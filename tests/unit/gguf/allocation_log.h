// Watches the heap of this test program, so that a test can tell whether a hostile count makes the
// reader ask for more memory than the file justifies.
#pragma once

#include <cstddef>

namespace thermocline::gguf::testing {

// What the calling thread has asked of operator new since the log was made. One at a time.
class AllocationLog {
 public:
  AllocationLog();
  ~AllocationLog();
  AllocationLog(const AllocationLog&) = delete;
  AllocationLog& operator=(const AllocationLog&) = delete;

  std::size_t largest() const;  // bytes of the largest single request
  std::size_t total() const;    // bytes of all requests together, freed or not
};

}  // namespace thermocline::gguf::testing
