// Names for the files and folders that tests make.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

namespace thermocline::testing {

// A path in the system's folder for such files that nobody else uses; made of the running test's
// name, a random number and `suffix`. Nothing is created.
inline std::filesystem::path temporary_path(const std::string& suffix = "") {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return std::filesystem::temp_directory_path() /
         ("thermocline-" + std::to_string(std::random_device{}()) + "-" + test->name() + suffix);
}

}  // namespace thermocline::testing
