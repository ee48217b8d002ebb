#include "golden_case.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace thermocline::golden {

std::vector<GoldenModel> all_models() {
  std::vector<GoldenModel> models;
  const std::filesystem::path root = std::filesystem::path(THERMOCLINE_TEST_DATA) / "golden";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream stream(entry.path());
    const nlohmann::json json = nlohmann::json::parse(stream);
    GoldenModel model;
    model.folder = entry.path().parent_path();
    model.file = json.at("model").get<std::string>();
    model.label = entry.path().stem().string();
    for (const nlohmann::json& item : json.at("cases")) {
      Case c;
      c.prompt = item.at("prompt").get<std::string>();
      c.ids = item.at("ids").get<std::vector<TokenId>>();
      c.first = item.at("positions").at(0).get<std::uint32_t>();
      c.end = item.at("positions").at(1).get<std::uint32_t>();
      c.json = item;
      model.cases.push_back(std::move(c));
    }
    models.push_back(std::move(model));
  }
  std::sort(models.begin(), models.end(),
            [](const GoldenModel& a, const GoldenModel& b) { return a.label < b.label; });
  return models;
}

std::vector<float> read_floats(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(stream.tellg()) / sizeof(float));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

Difference difference(const std::vector<float>& a, const std::vector<float>& b) {
  Difference result;
  if (a.size() != b.size() || a.empty()) return {INFINITY, INFINITY};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - b[i]);
    if (!(d <= result.largest)) result.largest = d;
    result.mean += d;
  }
  result.mean /= static_cast<double>(a.size());
  return result;
}

}  // namespace thermocline::golden
