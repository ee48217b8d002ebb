// Understands the part of Python's pickle format that describes tensors. A pickle is a program for
// a stack machine; here its steps only build a description, and nothing it names is ever called.
// Anything that tensors don't need is refused by name. Source: the opcode list in CPython's
// Lib/pickletools.py, protocols 0 to 4.
#pragma once

#include "importer/source_file.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace thermocline::importer {

enum class PickleKind {
  none,
  boolean,
  integer,
  big_integer,  // more than 64 bits
  real,
  text,
  tuple,
  list,
  dict,       // also collections.OrderedDict
  global,     // a class or function, by module and name
  reference,  // a persistent id: items = {id}
  call,       // items = {callable, arguments}
};
std::string_view name_of(PickleKind kind);

struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  // of a boolean too
  double real = 0.0;
  std::string_view text = {};             // a global's name; views on the file
  std::string_view module = {};           // of a global
  std::vector<std::uint32_t> items = {};  // values by number; a dict's keys and values in turn
};

struct Pickle {
  std::vector<PickleValue> values;  // values may be shared, and may contain each other
  std::uint32_t root = 0;
  std::uint64_t end = 0;  // where the pickle ends in the file

  const PickleValue& operator[](std::uint32_t i) const { return values[i]; }
};

// Reads the pickle that begins at `offset` and ends before `limit`. Errors: corrupt_file,
// unsupported (a step or name that tensors don't need).
Expected<Pickle> read_pickle(const SourceFile& file, std::uint64_t offset, std::uint64_t limit);

}  // namespace thermocline::importer
