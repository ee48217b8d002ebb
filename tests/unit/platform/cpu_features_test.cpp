#include "platform/cpu_features.h"

#include <gtest/gtest.h>

namespace thermocline::platform {
namespace {

TEST(CpuFeatures, higher_levels_imply_lower_ones) {
  const kernels::CpuFeatures features = detect_cpu_features();
  EXPECT_TRUE(!features.avx512 || features.avx2);
  EXPECT_TRUE(!features.avx512_vnni || features.avx512);
}

TEST(CpuFeatures, names_choose_levels_that_the_processor_has) {
  const kernels::CpuFeatures none;
  EXPECT_EQ(*parse_cpu_level("scalar", none), kernels::CpuLevel::scalar);
  EXPECT_EQ(parse_cpu_level("avx2", none).error().code, ErrorCode::unsupported);
  EXPECT_EQ(*parse_cpu_level("avx2", {.avx2 = true}), kernels::CpuLevel::avx2);
  EXPECT_EQ(parse_cpu_level("sse9", none).error().code, ErrorCode::invalid_argument);
}

TEST(CpuFeatures, at_least_one_core_is_usable) {
  EXPECT_GE(usable_cores(), 1u);
}

}  // namespace
}  // namespace thermocline::platform
