// The kernel tables that can run here, as test parameters: the processor's own and the emulated
// ones.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels::test {

struct NamedTable {
  std::string name;  // letters, digits and underscores
  const KernelTable* table;
};

inline void PrintTo(const NamedTable& named, std::ostream* out) {
  *out << named.name;
}

std::vector<NamedTable> usable_tables();

class EveryTable : public testing::TestWithParam<NamedTable> {
 protected:
  const KernelTable& table() const { return *GetParam().table; }
};

inline constexpr NumberFormat every_format[] = {
    NumberFormat::f32,  NumberFormat::f16,  NumberFormat::bf16, NumberFormat::q4_0,
    NumberFormat::q5_0, NumberFormat::q8_0, NumberFormat::q6_k};

inline constexpr NumberFormat quantized_formats[] = {NumberFormat::q4_0, NumberFormat::q5_0,
                                                     NumberFormat::q8_0, NumberFormat::q6_k};

const char* name_of(NumberFormat format);

}  // namespace thermocline::kernels::test

#define THERMOCLINE_FOR_EVERY_TABLE(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Tables, suite,                                                    \
                           testing::ValuesIn(::thermocline::kernels::test::usable_tables()), \
                           [](const auto& parameter) { return parameter.param.name; })
