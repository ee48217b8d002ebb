// Recognises files that people take for models, so that an error can say what they really are.
#include "gguf/foreign_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace thermocline::gguf {
namespace {

constexpr std::string_view choose_gguf = "choose a .gguf file";
constexpr std::string_view convert = "convert it to GGUF, or choose a .gguf file";
constexpr std::string_view newer = "look for a GGUF version 2 or 3 file of this model";

struct Signature {
  std::string_view start;
  ForeignFile file;
};

// The three magics of the formats before GGUF stand in the file with their letters reversed.
constexpr std::array<Signature, 15> signatures{{
    {"version https://git-lfs",
     {"a Git LFS pointer, not the file it points to",
      "download the file itself, for example with 'git lfs pull'"}},
    {"lmgg", {"a model in the old GGML format", newer}},
    {"fmgg", {"a model in the old GGMF format", newer}},
    {"tjgg", {"a model in the old GGJT format", newer}},
    {"algg", {"a LoRA adapter in the old GGLA format", newer}},
    {"FUGG", {"a GGUF file with reversed byte order", newer}},
    {"IRWP", {"a PowerInfer file with reversed byte order", newer}},
    {"PK\x03\x04", {"a ZIP archive, perhaps PyTorch weights", convert}},
    {"\x1f\x8b", {"a gzip archive", "unpack it first"}},
    {"7z\xbc\xaf\x27\x1c", {"a 7-Zip archive", "unpack it first"}},
    {"\x28\xb5\x2f\xfd", {"a Zstandard archive", "unpack it first"}},
    {"\x80\x02", {"a Python pickle, perhaps PyTorch weights", convert}},
    {"%PDF", {"a PDF document", choose_gguf}},
    {"\x7f"
     "ELF",
     {"a program", choose_gguf}},
    {"MZ", {"a program", choose_gguf}},
}};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(),
                                                   [](char a, char b) { return a == lower(b); });
}

// A JSON header's length as u64, then the header.
bool is_safetensors(std::string_view text) {
  std::uint64_t length = 0;
  if (text.size() <= sizeof(length) || text[sizeof(length)] != '{') return false;
  std::memcpy(&length, text.data(), sizeof(length));
  return length < (std::uint64_t{1} << 32);
}

}  // namespace

ForeignFile recognise_foreign_file(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {"an empty file", "download the file again"};
  constexpr std::size_t enough = 512;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                        std::min(bytes.size(), enough));
  for (const Signature& signature : signatures) {
    if (text.starts_with(signature.start)) return signature.file;
  }
  if (is_safetensors(text)) return {"a safetensors file", convert};
  if (std::all_of(text.begin(), text.end(), [](char c) { return c == 0; })) {
    return {"a file of zeros", "download the file again"};
  }
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  if (starts_with_ignoring_case(text, "<!doctype") || starts_with_ignoring_case(text, "<html") ||
      starts_with_ignoring_case(text, "<?xml") || starts_with_ignoring_case(text, "<head")) {
    return {"a web page, perhaps a server's error message",
            "download the file again, and check the address and that you may access it"};
  }
  if (text.starts_with('{') || text.starts_with('[')) {
    return {"a JSON text, perhaps a server's error message", choose_gguf};
  }
  return {"a file of an unknown kind", choose_gguf};
}

}  // namespace thermocline::gguf
