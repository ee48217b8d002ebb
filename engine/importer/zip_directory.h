// The directory of a ZIP archive as PyTorch writes it: entries stored as they are, read in place.
// Stricter than ZIP allows, because two readers that understand one archive differently are how
// malicious files get past checks: nothing compressed or encrypted, no split archives, no names
// twice, no names that leave the archive's folder, no overlaps, local headers that agree with the
// directory. Source: PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5.3.
#pragma once

#include "importer/source_file.h"

#include <map>
#include <string_view>

namespace thermocline::importer {

struct ZipEntry {
  std::uint64_t offset = 0;  // of its bytes, in the file
  std::uint64_t bytes = 0;
};
// By name; the names are views on the file.
using ZipDirectory = std::map<std::string_view, ZipEntry>;

Expected<ZipDirectory> read_zip_directory(const SourceFile& file);

}  // namespace thermocline::importer
