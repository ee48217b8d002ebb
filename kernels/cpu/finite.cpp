// Scans exponents as integers, in runs without branches that compilers turn into vector code.
#include "kernels/cpu/finite.h"

#include <cstring>

namespace thermocline::kernels {
namespace {

// A value whose exponent bits are all ones is NaN or infinite. `stride` is the distance of one
// value to the next in bytes. Returns the index of the first such value, or `count`.
template <class Bits, Bits exponent, std::size_t stride>
std::size_t first_with_full_exponent(const std::uint8_t* at, std::size_t count) {
  const auto is_full = [at](std::size_t i) {
    Bits bits;
    std::memcpy(&bits, at + i * stride, sizeof bits);
    return (bits & exponent) == exponent;
  };
  constexpr std::size_t run = 256;
  std::size_t i = 0;
  for (; count - i >= run; i += run) {
    Bits any = 0;
    for (std::size_t j = 0; j < run; ++j) {
      Bits bits;
      std::memcpy(&bits, at + (i + j) * stride, sizeof bits);
      any = static_cast<Bits>(any | ((bits & exponent) == exponent ? Bits{1} : Bits{0}));
    }
    if (any != 0) break;
  }
  while (i < count && !is_full(i))
    ++i;
  return i;
}

// Blocks of `length` weights and `bytes` bytes with their f16 scale at `scale_at`.
template <std::size_t length, std::size_t bytes, std::size_t scale_at>
std::size_t first_bad_scale(const std::uint8_t* at, std::size_t n) {
  if (n == 0) return 0;
  return length * first_with_full_exponent<std::uint16_t, 0x7c00, bytes>(at + scale_at, n / length);
}

}  // namespace

std::size_t first_non_finite(NumberFormat format, const void* row, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(row);
  switch (format) {
    case NumberFormat::f32:
      return first_with_full_exponent<std::uint32_t, 0x7f800000, 4>(at, n);
    case NumberFormat::f16:
      return first_with_full_exponent<std::uint16_t, 0x7c00, 2>(at, n);
    case NumberFormat::bf16:
      return first_with_full_exponent<std::uint16_t, 0x7f80, 2>(at, n);
    case NumberFormat::q4_0:
      return first_bad_scale<32, 18, 0>(at, n);
    case NumberFormat::q5_0:
      return first_bad_scale<32, 22, 0>(at, n);
    case NumberFormat::q8_0:
      return first_bad_scale<32, 34, 0>(at, n);
    case NumberFormat::q6_k:
      return first_bad_scale<256, 210, 208>(at, n);
  }
  return n;
}

}  // namespace thermocline::kernels
