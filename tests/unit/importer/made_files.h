// Small files of original weights, made with chosen faults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thermocline::importer {

// `value` as little-endian bytes.
template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

std::string safetensors(const std::string& header, const std::string& data);

struct MadeEntry {
  std::string name;
  std::string data;
  std::uint16_t method = 0;  // 8: deflated
  std::uint16_t flags = 0;
  std::string local_name = {};     // empty: `name`
  std::int64_t size_change = 0;    // of the size that the directory states
  std::int64_t offset_change = 0;  // of where the directory says the entry is
};
std::string zip(const std::vector<MadeEntry>& entries);

// A pickle of one tensor of floats: protocol 2, as torch.save writes it.
struct MadeTensor {
  std::string storage_class = "FloatStorage";
  std::string key = "0";
  std::int32_t storage_elements = 4;
  std::int32_t offset = 0;
  std::vector<std::int32_t> shape = {4};
  std::vector<std::int32_t> strides = {1};
  bool stream = false;  // with the older stream's sixth part of a reference
};
std::string tensor_steps(const MadeTensor& tensor);  // without beginning and end
std::string pickle(const std::string& steps);
std::string text_step(const std::string& text);

std::string torch_zip(const std::string& pickle, const std::string& storage);
std::string torch_stream(const std::string& pickle, const std::string& keys_pickle,
                         const std::string& storages);

}  // namespace thermocline::importer
