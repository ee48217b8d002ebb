// The number types that checkpoints hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace thermocline::importer {

struct ElementType {
  std::string_view name;  // "F16", as safetensors writes it
  std::uint32_t bytes = 0;
};

// By the name that safetensors uses.
std::optional<ElementType> element_type(std::string_view name);
// By the name of PyTorch's storage class ("HalfStorage").
std::optional<ElementType> storage_element_type(std::string_view storage_class);

}  // namespace thermocline::importer
