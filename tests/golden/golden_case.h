// Golden models and cases from tests/data/golden, with the tolerances stated there.
#pragma once

#include <thermocline/evaluation.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace thermocline::golden {

struct Case {
  std::string prompt;
  std::vector<TokenId> ids;
  std::uint32_t first = 0;  // positions stored
  std::uint32_t end = 0;
  nlohmann::json json;
};

struct GoldenModel {
  std::filesystem::path folder;
  std::string file;   // of the model
  std::string label;  // json's name without ".json"
  std::vector<Case> cases;
  bool quantized() const { return label.find(".q") != std::string::npos; }
  bool deep() const { return label.find("deep") != std::string::npos; }
  std::filesystem::path path() const { return folder / file; }
};

std::vector<GoldenModel> all_models();
std::vector<float> read_floats(const std::filesystem::path& path);

struct Difference {
  double mean = 0.0;
  double largest = 0.0;
};
Difference difference(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace thermocline::golden
