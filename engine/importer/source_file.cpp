#include "importer/source_file.h"

namespace thermocline::importer {

Error SourceFile::error(ErrorCode code, std::uint64_t offset, std::string message,
                        std::string remedy, std::string wanted, std::string found) const {
  constexpr std::size_t longest_shown = 200;
  Error error;
  error.code = code;
  error.file = name_;
  error.offset = offset;
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  error.wanted = std::move(wanted);
  if (found.size() > longest_shown) found.resize(longest_shown);
  error.found = std::move(found);
  return error;
}

Error SourceFile::corrupt(std::uint64_t offset, std::string message, std::string wanted,
                          std::string found) const {
  return error(ErrorCode::corrupt_file, offset, std::move(message),
               "download the file again; it is incomplete or damaged", std::move(wanted),
               std::move(found));
}

}  // namespace thermocline::importer
