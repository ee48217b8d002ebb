#include <thermocline/error.h>

namespace thermocline {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::file_not_found:
      return "file_not_found";
    case ErrorCode::file_unreadable:
      return "file_unreadable";
    case ErrorCode::not_a_model:
      return "not_a_model";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::corrupt_file:
      return "corrupt_file";
    case ErrorCode::file_changed:
      return "file_changed";
    case ErrorCode::write_failed:
      return "write_failed";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::context_full:
      return "context_full";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::numeric_failure:
      return "numeric_failure";
  }
  return "unknown";
}

std::string Error::line() const {
  std::string text;
  if (!file.empty()) text += file + ": ";
  if (offset) text += "at byte " + std::to_string(*offset) + ": ";
  if (!tensor.empty()) text += "'" + tensor + "': ";
  text += message;
  if (!wanted.empty() && !found.empty()) {
    text += " (wanted " + wanted + ", found " + found + ")";
  } else if (!found.empty()) {
    text += " (found " + found + ")";
  } else if (!wanted.empty()) {
    text += " (wanted " + wanted + ")";
  }
  if (!remedy.empty()) text += "; " + remedy;
  return printable(text);
}

}  // namespace thermocline
