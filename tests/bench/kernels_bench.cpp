// Measures the CPU kernels: GB of weights (or of floats) read per second for each format, function
// and level, median of seven runs. One thread; the rows together exceed the caches unless a size is
// given.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "kernels/cpu/finite.h"
#include "kernels/cpu/kernel_table.h"
#include "platform/cpu_features.h"

namespace {

namespace kernels = thermocline::kernels;
using kernels::CpuLevel;
using kernels::KernelTable;
using kernels::NumberFormat;

constexpr std::size_t row_length = 4096;
constexpr std::array<const char*, kernels::number_format_count> format_names = {
    "f32", "f16", "bf16", "q4_0", "q5_0", "q8_0", "q6_k"};

double median_gigabytes_per_second(std::size_t bytes, const std::function<void()>& pass) {
  pass();  // brings code and pages in
  std::array<double, 7> rates;
  for (double& rate : rates) {
    const auto start = std::chrono::steady_clock::now();
    pass();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    rate = static_cast<double>(bytes) / seconds.count() * 1e-9;
  }
  std::nth_element(rates.begin(), rates.begin() + 3, rates.end());
  return rates[3];
}

// Keeps results alive; the compiler can't see that nobody reads it.
volatile float sink;

// Random quants with sound scales (plain formats: random values of about one).
std::vector<std::uint8_t> rows_of(NumberFormat format, std::size_t bytes) {
  std::vector<std::uint8_t> out(bytes);
  std::mt19937 random(1);
  for (std::size_t i = 0; i + 4 <= bytes; i += 4) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    if (format == NumberFormat::f32) bits = (bits & 0x807fffffu) | 0x3f000000u;
    if (format == NumberFormat::f16) bits = (bits & 0x83ff83ffu) | 0x38003800u;
    if (format == NumberFormat::bf16) bits = (bits & 0x807f807fu) | 0x3f003f00u;
    std::memcpy(out.data() + i, &bits, 4);
  }
  const kernels::BlockLayout layout = kernels::block_layout(format);
  const std::size_t scale_at = format == NumberFormat::q6_k ? 208 : 0;
  for (std::size_t at = 0; layout.length > 1 && at + layout.bytes <= bytes; at += layout.bytes) {
    out[at + scale_at] = 0x12;
    out[at + scale_at + 1] = 0x20;
  }
  return out;
}

struct Inputs {
  std::vector<float> x = std::vector<float>(row_length);
  std::vector<float> y = std::vector<float>(row_length);
  std::vector<std::int8_t> values = std::vector<std::int8_t>(row_length);
  std::vector<float> scales = std::vector<float>(row_length / 32);
  std::vector<std::int32_t> sums = std::vector<std::int32_t>(row_length / 32);
  std::vector<std::uint16_t> halves = std::vector<std::uint16_t>(row_length);

  kernels::QuantizedVector view() const { return {values.data(), scales.data(), sums.data()}; }
};

void print(const char* level, const char* format, const char* function, double rate) {
  std::printf("%-12s %-6s %-14s %8.2f GB/s\n", level, format, function, rate);
  std::fflush(stdout);
}

void measure_format(const KernelTable& table, NumberFormat format, std::size_t total, Inputs& in) {
  const std::size_t row_bytes = kernels::byte_size(format, row_length);
  const std::size_t rows = std::max<std::size_t>(1, total / row_bytes);
  const std::vector<std::uint8_t> weights = rows_of(format, rows * row_bytes);
  const kernels::FormatKernels& functions = table.of(format);
  const char* name = format_names[static_cast<std::size_t>(format)];
  const auto over_rows = [&](const std::function<void(const std::uint8_t*)>& visit) {
    return median_gigabytes_per_second(weights.size(), [&] {
      for (std::size_t r = 0; r < rows; ++r)
        visit(weights.data() + r * row_bytes);
    });
  };
  print(table.name, name, "dequantize", over_rows([&](const std::uint8_t* row) {
          functions.dequantize(row, in.y.data(), row_length);
        }));
  print(table.name, name, "dot", over_rows([&](const std::uint8_t* row) {
          sink = functions.dot(row, in.x.data(), row_length);
        }));
  if (functions.dot_quantized != nullptr) {
    print(table.name, name, "dot_quantized", over_rows([&](const std::uint8_t* row) {
            sink = functions.dot_quantized(row, in.view(), row_length);
          }));
  }
  std::fill(in.y.begin(), in.y.end(), 0.0f);
  print(table.name, name, "add_scaled", over_rows([&](const std::uint8_t* row) {
          functions.add_scaled(row, 1e-3f, in.y.data(), row_length);
        }));
  if (table.level == CpuLevel::scalar) {
    print("any", name, "finite", over_rows([&](const std::uint8_t* row) {
            sink = static_cast<float>(kernels::first_non_finite(format, row, row_length));
          }));
  }
}

void measure_vectors(const KernelTable& table, Inputs& in) {
  constexpr std::size_t passes = 2000;
  const std::size_t bytes = passes * row_length * sizeof(float);
  print(table.name, "f32", "quantize", median_gigabytes_per_second(bytes, [&] {
          for (std::size_t i = 0; i < passes; ++i) {
            table.quantize(in.x.data(), row_length, in.values.data(), in.scales.data(),
                           in.sums.data());
          }
        }));
  print(table.name, "f32", "to_half", median_gigabytes_per_second(bytes, [&] {
          for (std::size_t i = 0; i < passes; ++i) {
            table.to_half(in.x.data(), in.halves.data(), row_length);
          }
        }));
}

}  // namespace

// Usage: kernels_bench [KiB of weights per measurement]
int main(int argc, char** argv) {
  std::size_t kib = 64 * 1024;
  if (argc > 1) {
    const char* end = argv[1] + std::strlen(argv[1]);
    const auto [stop, error] = std::from_chars(argv[1], end, kib);
    if (error != std::errc() || stop != end || kib == 0 || kib > 16u * 1024 * 1024) {
      std::fprintf(stderr, "usage: kernels_bench [KiB of weights per measurement, up to 16 GiB]\n");
      return 2;
    }
  }
  const kernels::CpuFeatures features = thermocline::platform::detect_cpu_features();
  std::vector<const KernelTable*> tables;
  for (const CpuLevel level : {CpuLevel::scalar, CpuLevel::avx2, CpuLevel::avx512}) {
    const KernelTable* table = &kernels::select_kernels(features, level);
    if (tables.empty() || tables.back() != table) tables.push_back(table);
  }
  Inputs in;
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (float& value : in.x)
    value = normal(random);
  kernels::scalar_kernels().quantize(in.x.data(), row_length, in.values.data(), in.scales.data(),
                                     in.sums.data());
  for (const KernelTable* table : tables) {
    for (std::size_t f = 0; f < kernels::number_format_count; ++f) {
      measure_format(*table, static_cast<NumberFormat>(f), kib * 1024, in);
    }
    measure_vectors(*table, in);
  }
}
