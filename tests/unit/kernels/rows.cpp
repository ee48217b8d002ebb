// Test data at random and at the limits.
#include "rows.h"

#include <cstring>

namespace thermocline::kernels::test {
namespace {

std::uint8_t random_byte(Random& random) {
  return static_cast<std::uint8_t>(random() >> 24);
}

// A half between 2^-8 and 2^-5, of either sign.
std::uint16_t random_scale(Random& random) {
  const std::uint32_t bits = static_cast<std::uint32_t>(random());
  const std::uint32_t exponent = 7 + (bits >> 12) % 3;
  return static_cast<std::uint16_t>((bits & 0x8000u) | exponent << 10 | (bits & 0x3ffu));
}

void put_plain(NumberFormat format, std::uint8_t* at, float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (format == NumberFormat::f32) {
    std::memcpy(at, &value, 4);
  } else if (format == NumberFormat::bf16) {
    put_half(at, static_cast<std::uint16_t>(bits >> 16));
  } else {  // f16, truncated; fit for values from 2^-14 to 2^16, the others become zero
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t half = magnitude < 0x38800000u ? 0 : (magnitude >> 13) - 0x1c000u;
    put_half(at, static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | half));
  }
}

bool is_plain(NumberFormat format) {
  return block_layout(format).length == 1;
}

Row filled_plain(NumberFormat format, std::size_t n, std::uint32_t bits, std::string name) {
  Row row{std::move(name), format, n, std::vector<std::uint8_t>(byte_size(format, n))};
  const std::size_t bytes = block_layout(format).bytes;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < bytes; ++k) {
      row.bytes[i * bytes + k] = static_cast<std::uint8_t>(bits >> (8 * k));
    }
  }
  return row;
}

}  // namespace

void put_half(std::uint8_t* at, std::uint16_t bits) {
  at[0] = static_cast<std::uint8_t>(bits);
  at[1] = static_cast<std::uint8_t>(bits >> 8);
}

std::size_t scale_offset(NumberFormat format) {
  return format == NumberFormat::q6_k ? 208 : 0;
}

Row random_row(NumberFormat format, std::size_t n, Random& random) {
  Row row{"random", format, n, std::vector<std::uint8_t>(byte_size(format, n))};
  const BlockLayout layout = block_layout(format);
  if (is_plain(format)) {
    const std::vector<float> values = random_floats(n, random);
    for (std::size_t i = 0; i < n; ++i) {
      put_plain(format, row.bytes.data() + i * layout.bytes, values[i]);
    }
    return row;
  }
  for (std::uint8_t& byte : row.bytes)
    byte = random_byte(random);
  for (std::size_t at = scale_offset(format); at < row.bytes.size(); at += layout.bytes) {
    put_half(row.bytes.data() + at, random_scale(random));
  }
  return row;
}

std::vector<Row> adversarial_rows(NumberFormat format, std::size_t n, Random& random) {
  std::vector<Row> rows;
  if (format == NumberFormat::f32) {
    for (const std::uint32_t bits : {0u, 0x80000000u, 1u, 0x807fffffu, 0x6d7fffffu, 0xed000000u}) {
      rows.push_back(filled_plain(format, n, bits, "bits " + std::to_string(bits)));
    }
    return rows;
  }
  if (is_plain(format)) {
    // Large, yet sums of 10^4 of them times 2^22 stay finite in f32.
    const std::uint32_t greatest = format == NumberFormat::f16 ? 0x7bffu : 0x6d7fu;
    for (const std::uint32_t bits : {0u, 0x8000u, 1u, 0x8001u, greatest, greatest | 0x8000u}) {
      rows.push_back(filled_plain(format, n, bits, "bits " + std::to_string(bits)));
    }
    return rows;
  }
  const BlockLayout layout = block_layout(format);
  // 0x00 and 0xff are the least and the greatest value of the formats with an offset, 0x80 and 0x7f
  // those of Q8_0; 0x88 is Q4_0's zero and 0x0f alternates between both ends.
  for (const int fill : {-1, 0x00, 0xff, 0x80, 0x7f, 0x88, 0x0f}) {
    for (const int scale : {-1, 0x0000, 0x8000, 0x0001, 0x83ff, 0x7bff, 0xfbff}) {
      for (const int sub_scale : {-1, 0x80, 0x7f, 0x00}) {
        if (sub_scale >= 0 && format != NumberFormat::q6_k) continue;
        Row row = random_row(format, n, random);
        row.name = "fill " + std::to_string(fill) + " scale " + std::to_string(scale) +
                   " sub-scale " + std::to_string(sub_scale);
        for (std::size_t at = 0; at < row.bytes.size(); at += layout.bytes) {
          std::uint8_t* block = row.bytes.data() + at;
          std::uint16_t half;
          std::memcpy(&half, block + scale_offset(format), 2);
          const std::size_t begin = format == NumberFormat::q6_k ? 0 : 2;
          const std::size_t end = format == NumberFormat::q6_k ? 192 : layout.bytes;
          if (fill >= 0) std::memset(block + begin, fill, end - begin);
          if (sub_scale >= 0) std::memset(block + 192, sub_scale, 16);
          if (scale >= 0) {
            put_half(block + scale_offset(format), static_cast<std::uint16_t>(scale));
          }
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::vector<std::size_t> lengths(NumberFormat format) {
  std::vector<std::size_t> out;
  const std::size_t length = block_layout(format).length;
  const std::size_t last = length == 1 ? 67 : length == 32 ? 40 : 12;
  for (std::size_t blocks = 1; blocks <= last; ++blocks)
    out.push_back(blocks * length);
  if (length == 1) out.insert(out.end(), {127, 128, 1000, 1283});
  if (length == 256) out.push_back(40 * length);
  return out;
}

std::vector<float> random_floats(std::size_t n, Random& random) {
  std::normal_distribution<float> normal;
  std::vector<float> out(n);
  for (float& value : out)
    value = normal(random);
  return out;
}

std::vector<std::vector<float>> adversarial_floats(std::size_t n, Random& random) {
  std::vector<std::vector<float>> out = {std::vector<float>(n, 0.0f), std::vector<float>(n, 1.1f),
                                         std::vector<float>(n), random_floats(n, random)};
  for (std::size_t i = 0; i < n; ++i) {
    out[2][i] = i % 2 == 0 ? 0.7f : -0.7f;
    // From 2^-20 to 2^20 within a row.
    out[3][i] *= static_cast<float>(1ull << random() % 41) * 0x1p-20f;
  }
  return out;
}

std::vector<Activations> adversarial_activations(std::size_t n, Random& random) {
  std::vector<Activations> out;
  for (const char* name : {"random", "all 127", "all -127", "alternating", "zero"}) {
    Activations x{name, std::vector<std::int8_t>(n), std::vector<float>(n / 32),
                  std::vector<std::int32_t>(n / 32)};
    for (std::size_t i = 0; i < n; ++i) {
      const int choices[] = {static_cast<int>(random() % 255) - 127, 127, -127,
                             i % 2 == 0 ? 127 : -127, 0};
      x.values[i] = static_cast<std::int8_t>(choices[out.size()]);
      x.block_sums[i / 32] += x.values[i];
    }
    for (float& scale : x.scales)
      scale = 1e-3f + 1e-6f * static_cast<float>(random() % 100000);
    out.push_back(std::move(x));
  }
  return out;
}

}  // namespace thermocline::kernels::test
