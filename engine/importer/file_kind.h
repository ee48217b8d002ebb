// Tells what a file is by its first bytes, never by its name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace thermocline::importer {

enum class FileKind { unknown, gguf, torch_zip, torch_pickle, safetensors };
FileKind recognise(std::span<const std::byte> bytes);
std::string_view name_of(FileKind kind);  // for JSON: "torch"
std::string_view description(FileKind kind);

}  // namespace thermocline::importer
