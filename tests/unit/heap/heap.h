// Watches and starves the heap of a test program: a test can tell whether a hostile count makes the
// reader ask for more memory than the file justifies, and what happens when there is none.
#pragma once

#include <cstddef>

namespace thermocline::testing {

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

enum class Shortage {
  once,     // one request fails, those after it succeed again
  lasting,  // all requests fail from then on
};

// While it exists, the heap refuses requests of all threads after the first `successes`. One at a
// time.
class StarvedHeap {
 public:
  StarvedHeap(std::size_t successes, Shortage shortage);
  ~StarvedHeap();
  StarvedHeap(const StarvedHeap&) = delete;
  StarvedHeap& operator=(const StarvedHeap&) = delete;

  // Ends the shortage early; true if any request was refused.
  bool end();
};

}  // namespace thermocline::testing
