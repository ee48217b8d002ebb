#include "platform/memory.h"

#include <cstring>
#include <new>
#include <string>

namespace thermocline::platform {
namespace {

class SystemMemory final : public Memory {
 protected:
  std::byte* acquire(std::size_t bytes) noexcept override {
    void* data = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
    if (data != nullptr) std::memset(data, 0, bytes);
    return static_cast<std::byte*>(data);
  }
  void release(std::byte* data, std::size_t) noexcept override {
    ::operator delete (data, std::align_val_t{alignment});
  }
};

}  // namespace

Buffer::~Buffer() {
  if (data_ != nullptr) owner_->release(data_, size_);
}

Expected<Buffer> Memory::allocate(std::uint64_t bytes, std::string_view purpose) {
  if (bytes == 0) return Buffer();
  // Nothing near the end of the address space can be had; asking would only invite wrapping sums.
  constexpr std::uint64_t largest = SIZE_MAX / 4;
  std::byte* data = bytes > largest ? nullptr : acquire(static_cast<std::size_t>(bytes));
  if (data == nullptr) {
    Error error;
    error.code = ErrorCode::out_of_memory;
    error.message = "not enough memory for the " + std::string(purpose);
    error.wanted = std::to_string(bytes) + " bytes";
    error.remedy = "close other programs, choose a smaller model or a smaller context";
    return error;
  }
  return Buffer(this, data, static_cast<std::size_t>(bytes));
}

Memory& Memory::system() {
  static SystemMemory memory;
  return memory;
}

}  // namespace thermocline::platform
