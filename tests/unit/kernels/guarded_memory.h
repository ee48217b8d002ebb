// Memory whose neighbours on both sides can't be touched: an access outside it ends the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace thermocline::kernels::test {

class GuardedMemory {
 public:
  enum class Against { start, end };

  // `bytes` bytes that begin at the start, or end at the end, of the accessible pages. The memory
  // starts out as 0xa5.
  GuardedMemory(std::size_t bytes, Against against);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }

  template <class T>
  void fill(const std::vector<T>& from) {
    if (!from.empty()) std::memcpy(data_, from.data(), from.size() * sizeof(T));
  }

 private:
  std::uint8_t* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::uint8_t* data_ = nullptr;
};

}  // namespace thermocline::kernels::test
