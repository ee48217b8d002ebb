#include "importer/element_type.h"

#include <algorithm>
#include <array>

namespace thermocline::importer {
namespace {

struct KnownType {
  ElementType type;
  std::string_view storage_class;  // empty: PyTorch has no such class of its own
};

constexpr std::array known_types{KnownType{{"F64", 8}, "DoubleStorage"},
                                 KnownType{{"F32", 4}, "FloatStorage"},
                                 KnownType{{"F16", 2}, "HalfStorage"},
                                 KnownType{{"BF16", 2}, "BFloat16Storage"},
                                 KnownType{{"I64", 8}, "LongStorage"},
                                 KnownType{{"I32", 4}, "IntStorage"},
                                 KnownType{{"I16", 2}, "ShortStorage"},
                                 KnownType{{"I8", 1}, "CharStorage"},
                                 KnownType{{"U8", 1}, "ByteStorage"},
                                 KnownType{{"BOOL", 1}, "BoolStorage"},
                                 KnownType{{"U64", 8}, ""},
                                 KnownType{{"U32", 4}, ""},
                                 KnownType{{"U16", 2}, ""},
                                 KnownType{{"F8_E4M3", 1}, ""},
                                 KnownType{{"F8_E5M2", 1}, ""}};

template <typename Matches>
std::optional<ElementType> find(const Matches& matches) {
  const auto* found = std::find_if(known_types.begin(), known_types.end(), matches);
  if (found == known_types.end()) return {};
  return found->type;
}

}  // namespace

std::optional<ElementType> element_type(std::string_view name) {
  return find([name](const KnownType& known) { return known.type.name == name; });
}

std::optional<ElementType> storage_element_type(std::string_view storage_class) {
  return find([storage_class](const KnownType& known) {
    return !known.storage_class.empty() && known.storage_class == storage_class;
  });
}

}  // namespace thermocline::importer
