// The one error type of Thermocline. Nothing in the public API throws or aborts: a function that
// can fail returns Expected<T>, and the Error in it tells a person what happened and what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thermocline {

enum class ErrorCode {
  invalid_argument,  // the caller asked for something that can't be
  file_not_found,    // no such file, or a dangling link
  file_unreadable,   // a directory, device, pipe, no permission, read error
  not_a_model,       // the file is something else
  unsupported,       // a valid file that this version can't run
  corrupt_file,      // the file breaks its format's rules
  file_changed,      // the file shrank or vanished while in use
  write_failed,      // disk full, no permission, ...
  out_of_memory,     //
  context_full,      // more tokens than the context can hold
  cancelled,         // stopped on request
  numeric_failure,   // NaN or infinity where a number was needed
};

// Stable lower-case name of a code, for JSON and logs ("corrupt_file").
std::string_view name_of(ErrorCode code);

// What went wrong, where, and what to do about it. A value type; copy and move freely.
struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;  // the cause, one sentence without a full stop
  std::string remedy;   // what the person can do, one sentence without a full stop; may be empty
  std::string file;     // UTF-8 path, empty if no file is concerned
  std::optional<std::uint64_t> offset;  // byte offset in `file`
  std::string tensor;                   // tensor or key concerned, if any
  std::string wanted;                   // what would have been right, if it can be said shortly
  std::string found;                    // what was there instead

  // Everything above as exactly one printable line; control characters are escaped, so a hostile
  // file name or tensor name can't disturb a terminal.
  std::string line() const;
};

// `text` with control characters, bidirectional overrides and invalid UTF-8 replaced by visible
// escapes (\n, \x1b, \u202e), so that it can be shown on one terminal line.
std::string printable(std::string_view text);

}  // namespace thermocline
