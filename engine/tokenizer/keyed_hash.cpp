// SipHash-1-3 after Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012).
#include "tokenizer/keyed_hash.h"

#include <bit>
#include <chrono>
#include <cstring>
#include <memory>

namespace thermocline::tokenizer {
namespace {

class SipState {
 public:
  SipState(std::uint64_t key0, std::uint64_t key1)
      : v0_(key0 ^ 0x736f6d6570736575),
        v1_(key1 ^ 0x646f72616e646f6d),
        v2_(key0 ^ 0x6c7967656e657261),
        v3_(key1 ^ 0x7465646279746573) {}

  void absorb(std::uint64_t word) {
    v3_ ^= word;
    round();
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xff;
    round();
    round();
    round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void round() {
    v0_ += v1_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v3_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace

// The clock and the place of a heap block are secret enough: the key only has to be unknown when
// the file is written. (std::random_device may throw.)
KeyedHash::KeyedHash() : key0_(0), key1_(0) {
  const auto block = std::make_unique<std::uint64_t>(0);
  const auto clock = std::chrono::steady_clock::now().time_since_epoch().count();
  const auto address = reinterpret_cast<std::uintptr_t>(block.get());
  key0_ = SipState(static_cast<std::uint64_t>(clock), address).finish();
  key1_ = SipState(address, static_cast<std::uint64_t>(clock)).finish();
}

std::size_t KeyedHash::operator()(std::string_view text) const noexcept {
  SipState state(key0_, key1_);
  const std::uint64_t last = std::uint64_t{text.size()} << 56;
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    state.absorb(word);
    text.remove_prefix(sizeof(word));
  }
  std::uint64_t rest = 0;
  if (!text.empty()) std::memcpy(&rest, text.data(), text.size());
  state.absorb(last | rest);
  return static_cast<std::size_t>(state.finish());
}

std::size_t KeyedHash::operator()(std::uint64_t value) const noexcept {
  SipState state(key0_, key1_);
  state.absorb(value);
  return static_cast<std::size_t>(state.finish());
}

}  // namespace thermocline::tokenizer
