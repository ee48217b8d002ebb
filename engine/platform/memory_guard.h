// Turns std::bad_alloc into an Error at the borders of the public API.
#pragma once

#include <thermocline/expected.h>

#include <new>
#include <stdexcept>
#include <string>

namespace thermocline::platform {

inline Error out_of_memory(std::string_view purpose) noexcept {
  Error error;
  error.code = ErrorCode::out_of_memory;
  try {
    std::string message = "not enough memory for ";
    message += purpose;
    error.remedy = "close other programs or choose a smaller model or context";
    error.message = std::move(message);
  } catch (const std::bad_alloc&) {
    // So little is left that even the words don't fit: these need no memory of their own.
    error.message = "no memory left";
    error.remedy = "close programs";
  }
  return error;
}

// The result of `call()`, which returns some Expected<T>; running out of memory inside is its
// Error.
template <typename Call>
auto with_memory_guard(std::string_view purpose, Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return out_of_memory(purpose);
  } catch (const std::length_error&) {
    return out_of_memory(purpose);
  }
}

}  // namespace thermocline::platform
