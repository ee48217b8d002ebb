#include "app/cli/model_path.h"

#include "app/cli/host.h"
#include "platform/file_system.h"

#include <algorithm>
#include <string>
#include <vector>

namespace thermocline::cli {
namespace {

Error path_error(ErrorCode code, const std::filesystem::path& path, std::string message,
                 std::string remedy) {
  Error error;
  error.code = code;
  error.file = platform::to_utf8(path);
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

Expected<std::filesystem::path> demo_model() {
  const std::filesystem::path program = executable_path();
  std::filesystem::path file =
      program.parent_path().parent_path() / "share" / "thermocline" / "demo-model.gguf";
  std::error_code failure;
  if (program.empty() || !std::filesystem::exists(file, failure)) {
    return path_error(ErrorCode::file_not_found, file, "the built-in model is not installed",
                      "install Thermocline as a whole, or name a model file");
  }
  return file;
}

Expected<std::filesystem::path> only_model_in(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<std::filesystem::path> found;
  std::filesystem::directory_iterator entry(folder, failure);
  while (!failure && entry != std::filesystem::directory_iterator()) {
    if (entry->path().extension() == ".gguf") found.push_back(entry->path());
    entry.increment(failure);
  }
  if (failure) {
    return path_error(ErrorCode::file_unreadable, folder,
                      "the folder can't be read: " + failure.message(),
                      "check its permissions or name a file");
  }
  if (found.empty()) {
    return path_error(ErrorCode::file_not_found, folder, "the folder holds no .gguf file",
                      "name a model file or another folder");
  }
  std::sort(found.begin(), found.end());
  if (found.size() > 1) {
    return path_error(
        ErrorCode::invalid_argument, folder,
        "the folder holds " + std::to_string(found.size()) + " .gguf files",
        "name one of them, for example " + platform::to_utf8(found.front().filename()));
  }
  return found.front();
}

}  // namespace

Expected<std::filesystem::path> resolve_model(std::string_view name) {
  if (name.empty()) {
    return path_error(ErrorCode::invalid_argument, {}, "the name of the model is empty",
                      "name a model file, a folder with one model, or demo");
  }
  if (name == "demo") return demo_model();
  std::filesystem::path path = platform::from_utf8(name);
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return only_model_in(path);
  return path;
}

}  // namespace thermocline::cli
