// The largest sizes that a model may state: the one place for them. They lie far above every
// published model and keep all size arithmetic inside 64 bits.
#pragma once

#include <cstdint>

namespace thermocline::model {

inline constexpr std::uint64_t max_layers = 1024;
inline constexpr std::uint64_t max_hidden_size = 1u << 17;
inline constexpr std::uint64_t max_ffn_size = 1u << 20;
inline constexpr std::uint64_t max_heads = 1u << 12;
inline constexpr std::uint64_t max_vocabulary = 1u << 20;
inline constexpr std::uint64_t max_context = 1u << 24;

}  // namespace thermocline::model
