// The description of a file as text for a terminal.
#include "app/cli/described_file.h"
#include "app/cli/sizes.h"

#include <thermocline/error.h>

namespace thermocline::cli {
namespace {

constexpr std::size_t shown_characters = 90;  // of a string

// JSON strings without quotes, everything else as JSON; one printable line of limited length.
std::string short_text(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : json_text(value);
  if (!value.is_string()) text.pop_back();
  text = printable(text.substr(0, 4 * shown_characters));
  if (text.size() <= shown_characters) return text;
  std::size_t end = shown_characters;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + " ...";
}

}  // namespace

std::string table_of(const Json& file) {
  std::string text = printable(file["file"].get<std::string>()) + ": " +
                     file["description"].get<std::string>() + ", " +
                     size_text(file["bytes"].get<std::uint64_t>()) + "\n";
  for (const char* name : {"version", "alignment", "data_offset", "tensor_bytes"}) {
    if (!file.contains(name)) continue;
    text += "  " + std::string(name) + ": " + file[name].dump() + "\n";
  }
  text += "\nkeys (" + std::to_string(file["keys"].size()) + ")\n";
  for (const Json& key : file["keys"]) {
    text += "  " + short_text(key["key"]) + " (" + key["type"].get<std::string>() + "): ";
    const Json& value = key["value"];
    text += value.is_object()
                ? value["count"].dump() + " x " + value["element"].get<std::string>() + ": " +
                      short_text(value["first"])
                : short_text(value);
    text += "\n";
  }
  text += "\ntensors (" + std::to_string(file["tensors"].size()) + ")\n";
  for (const Json& tensor : file["tensors"]) {
    const Json& name = tensor["name"];
    text += "  " +
            (name.get_ref<const std::string&>().empty() ? "(without a name)" : short_text(name)) +
            "  " + tensor["type"].get<std::string>() + "  " +
            tensor[tensor.contains("dims") ? "dims" : "shape"].dump() + "  at " +
            tensor["offset"].dump() + "  " + tensor["bytes"].dump() + " bytes\n";
  }
  text += "\nwhat would run\n";
  for (const auto& [name, value] : file["run"].items()) {
    if (name == "notes") {
      for (const Json& note : value)
        text += "  note: " + short_text(note) + "\n";
    } else {
      text += "  " + name + ": " + short_text(value) + "\n";
    }
  }
  return text;
}

}  // namespace thermocline::cli
