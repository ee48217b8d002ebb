#include "importer/file_kind.h"

#include <algorithm>
#include <cstdint>

namespace thermocline::importer {
namespace {

// PyTorch's legacy container opens with a pickled 80-bit number that marks it.
constexpr std::string_view legacy_torch("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.",
                                        15);
// A pickle file of the ZIP container stands near the start: it is written first.
constexpr std::size_t zip_search_bytes = 4096;

bool is_safetensors(std::string_view text) {
  if (text.size() < 10 || text[8] != '{') return false;
  std::uint64_t header = 0;
  for (std::size_t i = 8; i-- > 0;)
    header = header << 8 | static_cast<unsigned char>(text[i]);
  return header >= 2 && header <= text.size() - 8;
}

}  // namespace

FileKind recognise(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("GGUF") || text.starts_with("PWRI")) return FileKind::gguf;
  if (text.starts_with(std::string_view("PK\x03\x04", 4)) &&
      text.substr(0, zip_search_bytes).find("data.pkl") != std::string_view::npos) {
    return FileKind::torch_zip;
  }
  if (text.starts_with(legacy_torch)) return FileKind::torch_pickle;
  return is_safetensors(text) ? FileKind::safetensors : FileKind::unknown;
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::gguf:
      return "gguf";
    case FileKind::torch_zip:
    case FileKind::torch_pickle:
      return "torch";
    case FileKind::safetensors:
      return "safetensors";
    case FileKind::unknown:
      break;
  }
  return "unknown";
}

std::string_view description(FileKind kind) {
  switch (kind) {
    case FileKind::gguf:
      return "GGUF";
    case FileKind::torch_zip:
      return "PyTorch file (.pt, ZIP container)";
    case FileKind::torch_pickle:
      return "PyTorch file (.pt, legacy container)";
    case FileKind::safetensors:
      return "safetensors file";
    case FileKind::unknown:
      break;
  }
  return "unknown";
}

}  // namespace thermocline::importer
