#include "app/cli/output_file.h"

#include "importer/file_kind.h"

#include <string>

namespace thermocline::cli {

Expected<std::unique_ptr<platform::FileWriter>> write_output_file(
    const std::filesystem::path& path) {
  platform::FileSystem& files = platform::FileSystem::system();
  std::error_code failure;
  if (std::filesystem::is_regular_file(path, failure)) {
    THERMOCLINE_ASSIGN(const auto present, files.map(path));
    const importer::FileKind kind = importer::recognise(present->bytes());
    if (kind != importer::FileKind::unknown) {
      Error error;
      error.code = ErrorCode::write_failed;
      error.file = platform::to_utf8(path);
      error.message = "a model's file lies there (" + std::string(importer::description(kind)) +
                      ") and would be replaced";
      error.remedy = "name another file, or remove this one first";
      return error;
    }
  }
  return files.write(path);
}

}  // namespace thermocline::cli
