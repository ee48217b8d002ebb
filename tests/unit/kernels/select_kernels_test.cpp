// Which table a processor gets.
#include <gtest/gtest.h>

#include <string>

#include "kernels/cpu/kernel_table.h"

namespace thermocline::kernels::test {
namespace {

std::string chosen(const CpuFeatures& features, CpuLevel limit) {
  return select_kernels(features, limit).name;
}

constexpr CpuFeatures none{};
constexpr CpuFeatures avx2{true, false, false};
constexpr CpuFeatures avx512{true, true, false};
constexpr CpuFeatures vnni{true, true, true};

TEST(SelectKernels, takes_scalar_without_features_or_by_limit) {
  for (const CpuLevel limit : {CpuLevel::scalar, CpuLevel::avx2, CpuLevel::avx512}) {
    EXPECT_EQ(chosen(none, limit), "scalar");
  }
  for (const CpuFeatures& features : {none, avx2, avx512, vnni}) {
    EXPECT_EQ(chosen(features, CpuLevel::scalar), "scalar");
  }
}

#if defined(THERMOCLINE_X86_KERNELS)
TEST(SelectKernels, takes_the_best_within_features) {
  EXPECT_EQ(chosen(avx2, CpuLevel::avx512), "avx2");
  EXPECT_EQ(chosen(avx512, CpuLevel::avx512), "avx512");
  EXPECT_EQ(chosen(vnni, CpuLevel::avx512), "avx512-vnni");
}

TEST(SelectKernels, honours_the_limit) {
  for (const CpuFeatures& features : {avx2, avx512, vnni}) {
    EXPECT_EQ(chosen(features, CpuLevel::avx2), "avx2");
  }
}

TEST(SelectKernels, needs_avx2_for_avx512) {
  EXPECT_EQ(chosen({false, true, true}, CpuLevel::avx512), "scalar");
}
#else
TEST(SelectKernels, takes_scalar_on_other_processors) {
  EXPECT_EQ(chosen(vnni, CpuLevel::avx512), "scalar");
}
#endif

TEST(SelectKernels, table_names_its_level) {
  for (const CpuFeatures& features : {none, avx2, avx512, vnni}) {
    const KernelTable& table = select_kernels(features);
    const std::string level = table.level == CpuLevel::scalar ? "scalar"
                              : table.level == CpuLevel::avx2 ? "avx2"
                                                              : "avx512";
    EXPECT_EQ(std::string(table.name).rfind(level, 0), 0u) << table.name;
  }
}

}  // namespace
}  // namespace thermocline::kernels::test
