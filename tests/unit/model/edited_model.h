// A golden model rewritten with chosen faults: keys changed or dropped, tensors reshaped, retyped,
// renamed or dropped. The container stays well-formed, so the model's own checks are what is
// tested.
#pragma once

#include "gguf/container.h"
#include "gguf/writer.h"

#include <thermocline/model.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thermocline {

struct EditedTensor {
  std::string name;
  std::vector<std::uint64_t> dims;
  gguf::TensorType type;
  std::vector<std::byte> bytes;
};

class EditedModel {
 public:
  // `golden` is a path below tests/data/golden.
  explicit EditedModel(const std::string& golden);
  ~EditedModel();
  EditedModel(const EditedModel&) = delete;
  EditedModel& operator=(const EditedModel&) = delete;

  void drop_key(const std::string& key) { dropped_keys_[key] = true; }
  // Replaces (or adds) a key by what `add` writes.
  void set_key(const std::string& key, std::function<void(gguf::Writer&)> add) {
    dropped_keys_[key] = true;
    added_.push_back(std::move(add));
  }
  void set_u32(const std::string& key, std::uint32_t value);
  void set_f32(const std::string& key, float value);
  void set_string(const std::string& key, const std::string& value);
  EditedTensor& tensor(const std::string& name);
  void drop_tensor(const std::string& name);
  void add_tensor(EditedTensor tensor) { tensors_.push_back(std::move(tensor)); }
  template <typename Edit>
  void for_each_tensor(const Edit& edit) {
    for (EditedTensor& tensor : tensors_)
      edit(tensor);
  }
  void set_magic(gguf::Magic magic) { magic_ = magic; }

  // Writes the file and opens it as a model.
  Expected<Model> open(const OpenOptions& options = {});
  const std::filesystem::path& path() const { return path_; }

 private:
  std::shared_ptr<const gguf::Container> source_;
  gguf::Magic magic_;
  std::map<std::string, bool> dropped_keys_;
  std::vector<std::function<void(gguf::Writer&)>> added_;
  std::vector<EditedTensor> tensors_;
  std::filesystem::path path_;
};

// Opens and expects a refusal with one line that names the file and `mention`, and a remedy.
Error refusal_of(EditedModel& model, const std::string& mention);

extern const char* const small_llama;  // F16, llama
extern const char* const small_opt;
extern const char* const small_falcon;

}  // namespace thermocline
