#include "importer/zip_directory.h"

#include "platform/utf8.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace thermocline::importer {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t entry_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::uint64_t local_bytes = 30;
constexpr std::uint64_t entry_bytes = 46;
constexpr std::uint64_t end_bytes = 22;
constexpr std::uint64_t end64_bytes = 56;
constexpr std::uint64_t locator64_bytes = 20;
constexpr std::uint64_t longest_comment = 0xFFFF;
constexpr std::uint16_t extra64 = 1;
constexpr std::uint32_t elsewhere32 = 0xFFFFFFFF;  // the value stands in a 64-bit field
constexpr std::uint16_t elsewhere16 = 0xFFFF;
constexpr std::uint16_t encrypted_flags = 0x2041;  // encrypted, strongly encrypted, masked header
constexpr std::uint64_t most_entries = 1u << 20;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
};

// Name as others could read it too: relative, without steps up, without Windows' own separators.
bool is_plain_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || !platform::is_valid_utf8(name)) return false;
  if (name.find_first_of(std::string_view("\\:\0", 3)) != std::string_view::npos) return false;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part == ".." || part == ".") return false;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return true;
}

class ZipReader {
 public:
  explicit ZipReader(const SourceFile& file) : file_(file) {}

  Expected<ZipDirectory> read() {
    THERMOCLINE_ASSIGN(const Directory directory, find_directory());
    const std::uint64_t end = directory.offset + directory.bytes;
    std::uint64_t position = directory.offset;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      THERMOCLINE_ASSIGN(position, read_entry(position, end));
    }
    if (position != end) {
      return file_.corrupt(position, "the ZIP directory is longer than its entries");
    }
    THERMOCLINE_CHECK(check_overlaps(directory.offset));
    return std::move(entries_);
  }

 private:
  // The record at the file's end; a comment may follow it.
  Expected<std::uint64_t> find_end() const {
    const std::uint64_t size = file_.size();
    if (size >= end_bytes) {
      const std::uint64_t last = size - end_bytes;
      const std::uint64_t first = last - std::min(last, longest_comment);
      for (std::uint64_t at = last + 1; at-- > first;) {
        if (file_.number<std::uint32_t>(at) == end_signature &&
            at + end_bytes + file_.number<std::uint16_t>(at + 20) == size) {
          return at;
        }
      }
    }
    return file_.corrupt(size, "the ZIP archive has no directory at its end");
  }

  Expected<Directory> find_directory() const {
    THERMOCLINE_ASSIGN(const std::uint64_t end, find_end());
    Directory directory{file_.number<std::uint32_t>(end + 16),
                        file_.number<std::uint32_t>(end + 12),
                        file_.number<std::uint16_t>(end + 10)};
    std::uint64_t limit = end;
    const bool split = file_.number<std::uint16_t>(end + 4) != file_.number<std::uint16_t>(end + 6);
    const bool elsewhere = directory.offset == elsewhere32 || directory.bytes == elsewhere32 ||
                           directory.entries == elsewhere16;
    if (end >= locator64_bytes &&
        file_.number<std::uint32_t>(end - locator64_bytes) == locator64_signature) {
      const auto at = file_.number<std::uint64_t>(end - locator64_bytes + 8);
      limit = end - locator64_bytes;
      if (at > limit || limit - at < end64_bytes ||
          file_.number<std::uint32_t>(at) != end64_signature) {
        return file_.corrupt(limit, "the ZIP archive's 64-bit directory isn't where it should be");
      }
      const Directory wide{file_.number<std::uint64_t>(at + 48),
                           file_.number<std::uint64_t>(at + 40),
                           file_.number<std::uint64_t>(at + 32)};
      const bool agrees = (directory.offset == elsewhere32 || directory.offset == wide.offset) &&
                          (directory.bytes == elsewhere32 || directory.bytes == wide.bytes) &&
                          (directory.entries == elsewhere16 || directory.entries == wide.entries);
      if (!agrees) {
        return file_.corrupt(at, "the ZIP archive's 32-bit and 64-bit directories disagree");
      }
      directory = wide;
      limit = at;
    } else if (elsewhere) {
      return file_.corrupt(end, "the ZIP archive lacks its 64-bit directory");
    }
    if (split) return file_.corrupt(end, "the ZIP archive is one part of several");
    if (directory.offset > limit || directory.bytes != limit - directory.offset) {
      return file_.corrupt(
          end, "the ZIP directory doesn't end where it should", std::to_string(limit),
          std::to_string(directory.offset) + " + " + std::to_string(directory.bytes));
    }
    if (directory.entries > most_entries || directory.entries > directory.bytes / entry_bytes) {
      return file_.corrupt(end, "the ZIP directory announces more entries than fit in it", {},
                           std::to_string(directory.entries));
    }
    return directory;
  }

  // Reads one entry and gives where the next one begins.
  Expected<std::uint64_t> read_entry(std::uint64_t at, std::uint64_t end) {
    if (end - at < entry_bytes || file_.number<std::uint32_t>(at) != entry_signature) {
      return file_.corrupt(at, "an entry of the ZIP directory is damaged");
    }
    const std::uint64_t name_bytes = file_.number<std::uint16_t>(at + 28);
    const std::uint64_t extra_bytes = file_.number<std::uint16_t>(at + 30);
    const std::uint64_t comment_bytes = file_.number<std::uint16_t>(at + 32);
    const std::uint64_t total = entry_bytes + name_bytes + extra_bytes + comment_bytes;
    if (end - at < total) return file_.corrupt(at, "an entry of the ZIP directory is damaged");
    const std::string_view name = file_.text(at + entry_bytes, name_bytes);
    if (!is_plain_name(name)) {
      return file_.corrupt(at, "the ZIP archive holds an entry with a forbidden name", {},
                           std::string(name));
    }
    if ((file_.number<std::uint16_t>(at + 8) & encrypted_flags) != 0) {
      return unsupported(at, "encrypted", name);
    }
    if (file_.number<std::uint16_t>(at + 10) != 0) return unsupported(at, "compressed", name);

    std::uint64_t packed = file_.number<std::uint32_t>(at + 20);
    std::uint64_t bytes = file_.number<std::uint32_t>(at + 24);
    std::uint64_t local = file_.number<std::uint32_t>(at + 42);
    if (!widen(at + entry_bytes + name_bytes, extra_bytes, {&bytes, &packed, &local})) {
      return file_.corrupt(at, "an entry of the ZIP directory lacks its 64-bit sizes", {},
                           std::string(name));
    }
    if (packed != bytes) {
      return file_.corrupt(at, "a stored entry of the ZIP archive has two sizes",
                           std::to_string(bytes), std::to_string(packed));
    }
    THERMOCLINE_ASSIGN(const std::uint64_t data, data_offset(local, name));
    if (!file_.holds(data, bytes)) {
      return file_.corrupt(at, "an entry of the ZIP archive lies beyond the end of the file", {},
                           std::string(name));
    }
    if (!entries_.emplace(name, ZipEntry{data, bytes}).second) {
      return file_.corrupt(at, "the ZIP archive holds two entries of one name", {},
                           std::string(name));
    }
    extents_.push_back({local, data + bytes});
    return at + total;
  }

  // Replaces 32-bit values that say "elsewhere" by those of the 64-bit extra field, which come in
  // this order. False if one is missing.
  bool widen(std::uint64_t at, std::uint64_t length,
             std::initializer_list<std::uint64_t*> values) const {
    std::uint64_t field = at;
    std::uint64_t field_end = at;
    for (std::uint64_t next = at; at + length - next >= 4;) {
      const std::uint64_t bytes = file_.number<std::uint16_t>(next + 2);
      if (at + length - next - 4 < bytes) break;
      if (file_.number<std::uint16_t>(next) == extra64) {
        field = next + 4;
        field_end = field + bytes;
        break;
      }
      next += 4 + bytes;
    }
    for (std::uint64_t* value : values) {
      if (*value != elsewhere32) continue;
      if (field_end - field < 8) return false;
      *value = file_.number<std::uint64_t>(field);
      field += 8;
    }
    return true;
  }

  // Where an entry's bytes begin; its local header must agree with the directory.
  Expected<std::uint64_t> data_offset(std::uint64_t local, std::string_view name) const {
    if (!file_.holds(local, local_bytes) || file_.number<std::uint32_t>(local) != local_signature) {
      return file_.corrupt(local, "an entry of the ZIP archive isn't where the directory says", {},
                           std::string(name));
    }
    const std::uint64_t name_bytes = file_.number<std::uint16_t>(local + 26);
    const std::uint64_t extra_bytes = file_.number<std::uint16_t>(local + 28);
    const std::uint64_t total = local_bytes + name_bytes + extra_bytes;
    if (!file_.holds(local, total) || file_.text(local + local_bytes, name_bytes) != name ||
        file_.number<std::uint16_t>(local + 8) != 0) {
      return file_.corrupt(local, "an entry of the ZIP archive and its directory disagree",
                           std::string(name));
    }
    return local + total;
  }

  Expected<void> check_overlaps(std::uint64_t directory_offset) {
    std::sort(extents_.begin(), extents_.end());
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      const std::uint64_t next = i + 1 < extents_.size() ? extents_[i + 1].first : directory_offset;
      if (extents_[i].second > next) {
        return file_.corrupt(extents_[i].first, "entries of the ZIP archive overlap");
      }
    }
    return {};
  }

  Error unsupported(std::uint64_t at, std::string_view how, std::string_view name) const {
    return file_.error(ErrorCode::unsupported, at,
                       "the ZIP archive holds an entry that is " + std::string(how),
                       "save the file again with torch.save, which stores its entries as they are",
                       "stored entries", std::string(name));
  }

  const SourceFile& file_;
  ZipDirectory entries_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents_;
};

}  // namespace

Expected<ZipDirectory> read_zip_directory(const SourceFile& file) {
  return ZipReader(file).read();
}

}  // namespace thermocline::importer
