// Reads the vectors' JSON.
#include "tests/unit/tokenizer/recorded_vectors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace thermocline::tests {
namespace {

std::filesystem::path data_file(std::string_view name, std::string_view suffix) {
  const std::filesystem::path folder = std::filesystem::path(THERMOCLINE_TEST_DATA) / "tokenizer";
  return folder / (std::string(name) + std::string(suffix));
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace

Tokenizer recorded_tokenizer(std::string_view name) {
  auto opened = Tokenizer::open(data_file(name, ".vocab.gguf"));
  if (!opened) throw std::runtime_error(opened.error().line());
  return *std::move(opened);
}

std::vector<RecordedCase> recorded_cases(std::string_view name) {
  std::ifstream stream(data_file(name, ".json"));
  std::vector<RecordedCase> cases;
  for (const nlohmann::json& entry : nlohmann::json::parse(stream)) {
    RecordedCase recorded;
    recorded.text = entry.contains("hex") ? bytes_of_hex(entry.at("hex").get<std::string>())
                                          : entry.at("text").get<std::string>();
    recorded.is_utf8 = !entry.value("invalid_utf8", false);
    recorded.peer_aborts = entry.value("peer", "") == "aborts";
    if (!recorded.peer_aborts) {
      recorded.ids = entry.at("ids").get<std::vector<TokenId>>();
      recorded.ids_with_special = entry.at("ids_with_special").get<std::vector<TokenId>>();
      recorded.detokenised = bytes_of_hex(entry.at("detokenised_hex").get<std::string>());
    }
    cases.push_back(std::move(recorded));
  }
  return cases;
}

}  // namespace thermocline::tests
