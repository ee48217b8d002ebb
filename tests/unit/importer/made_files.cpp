#include "made_files.h"

namespace thermocline::importer {

std::string safetensors(const std::string& header, const std::string& data) {
  return raw<std::uint64_t>(header.size()) + header + data;
}

std::string zip(const std::vector<MadeEntry>& entries) {
  std::string file;
  std::string directory;
  for (const MadeEntry& entry : entries) {
    const auto offset = static_cast<std::int64_t>(file.size());
    const std::string& local_name = entry.local_name.empty() ? entry.name : entry.local_name;
    const auto size = static_cast<std::uint32_t>(entry.data.size());
    const auto stated =
        static_cast<std::uint32_t>(static_cast<std::int64_t>(size) + entry.size_change);
    const auto common = [&](const std::string& name, std::uint32_t bytes) {
      return raw<std::uint16_t>(20) + raw(entry.flags) + raw(entry.method) + raw<std::uint32_t>(0) +
             raw<std::uint32_t>(0) + raw(bytes) + raw(bytes) +
             raw<std::uint16_t>(static_cast<std::uint16_t>(name.size())) + raw<std::uint16_t>(0);
    };
    file += raw<std::uint32_t>(0x04034b50) + common(local_name, size) + local_name + entry.data;
    directory += raw<std::uint32_t>(0x02014b50) + raw<std::uint16_t>(20) +
                 common(entry.name, stated) + raw<std::uint16_t>(0) + raw<std::uint16_t>(0) +
                 raw<std::uint16_t>(0) + raw<std::uint32_t>(0) +
                 raw(static_cast<std::uint32_t>(offset + entry.offset_change)) + entry.name;
  }
  const auto count = static_cast<std::uint16_t>(entries.size());
  return file + directory + raw<std::uint32_t>(0x06054b50) + raw<std::uint32_t>(0) + raw(count) +
         raw(count) + raw(static_cast<std::uint32_t>(directory.size())) +
         raw(static_cast<std::uint32_t>(file.size())) + raw<std::uint16_t>(0);
}

std::string text_step(const std::string& text) {
  return "X" + raw(static_cast<std::uint32_t>(text.size())) + text;
}

std::string tensor_steps(const MadeTensor& tensor) {
  const auto number = [](std::int32_t value) { return "J" + raw(value); };
  const auto tuple = [&](const std::vector<std::int32_t>& values) {
    std::string steps = "(";
    for (const std::int32_t value : values)
      steps += number(value);
    return steps + "t";
  };
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text_step("storage") + "ctorch\n" +
         tensor.storage_class + "\n" + text_step(tensor.key) + text_step("cpu") +
         number(tensor.storage_elements) + (tensor.stream ? "N" : "") + "tQ" +
         number(tensor.offset) + tuple(tensor.shape) + tuple(tensor.strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

std::string pickle(const std::string& steps) {
  return "\x80\x02" + steps + ".";
}

std::string torch_zip(const std::string& pickle, const std::string& storage) {
  return zip({{"made/data.pkl", pickle}, {"made/data/0", storage}, {"made/version", "3\n"}});
}

std::string torch_stream(const std::string& object, const std::string& keys_pickle,
                         const std::string& storages) {
  const std::string magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  const std::string version = pickle("M" + raw<std::uint16_t>(1001));
  const std::string system =
      pickle("}(" + text_step("protocol_version") + "M" + raw<std::uint16_t>(1001) +
             text_step("little_endian") + "\x88u");
  return magic + version + system + object + keys_pickle + storages;
}

}  // namespace thermocline::importer
