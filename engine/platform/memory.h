// Large buffers (weights' copies, KV cache, work space) come from a Memory, so that running out is
// an Error and tests can make the n-th request fail.
#pragma once

#include <thermocline/expected.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace thermocline::platform {

class Memory;

// An owned block of zeroed memory, aligned to 64 bytes. Movable; frees itself.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Memory* owner, std::byte* data, std::size_t size)
      : owner_(owner), data_(data), size_(size) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  // The first `count` elements as T; `count * sizeof(T)` must not exceed size().
  template <typename T>
  std::span<T> as(std::size_t count) const noexcept {
    return {reinterpret_cast<T*>(data_), count};
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  Memory* owner_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Source of buffers. Thread-safe: any thread may allocate and free.
class Memory {
 public:
  static constexpr std::size_t alignment = 64;

  virtual ~Memory() = default;
  // `bytes` of zeroed memory for `purpose` (named in the error: "KV cache"). 0 bytes gives an empty
  // buffer. The Memory must outlive the buffer.
  Expected<Buffer> allocate(std::uint64_t bytes, std::string_view purpose);
  // A buffer for `count` elements of T; an overflowing product is refused as out of memory.
  template <typename T>
  Expected<Buffer> allocate_array(std::uint64_t count, std::string_view purpose) {
    return allocate(count > UINT64_MAX / sizeof(T) ? UINT64_MAX : count * sizeof(T), purpose);
  }

  // The machine's memory.
  static Memory& system();

 protected:
  friend class Buffer;
  virtual std::byte* acquire(std::size_t bytes) noexcept = 0;  // null when there is none
  virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;
};

}  // namespace thermocline::platform
