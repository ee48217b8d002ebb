#include "importer/pickle.h"

#include "importer/element_type.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

namespace thermocline::importer {
namespace {

// A checkpoint of 70 billion weights needs some 10,000 values and 200 KB.
constexpr std::size_t most_values = 1u << 18;
constexpr std::uint64_t longest_pickle = 4u << 20;

bool is_dtype(std::string_view name) {
  constexpr std::array names{"float64", "float32", "float16", "bfloat16", "int64",
                             "int32",   "int16",   "int8",    "uint8",    "bool"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_ordered_dict(std::string_view module, std::string_view name) {
  return module == "collections" && name == "OrderedDict";
}

bool is_allowed(std::string_view module, std::string_view name) {
  if (is_ordered_dict(module, name)) return true;
  if (module == "torch._utils") {
    return name == "_rebuild_tensor_v2" || name == "_rebuild_parameter";
  }
  return module == "torch" && (storage_element_type(name) || is_dtype(name));
}

class Machine {
 public:
  Machine(const SourceFile& file, std::uint64_t offset, std::uint64_t limit)
      : file_(file), start_(offset), position_(offset), limit_(limit) {}

  Expected<Pickle> run() {
    for (;;) {
      step_ = position_;
      if (position_ - start_ > longest_pickle) {
        return file_.error(ErrorCode::unsupported, step_, "the pickle is too long",
                           "choose a file with fewer tensors",
                           "at most " + std::to_string(longest_pickle) + " bytes");
      }
      THERMOCLINE_ASSIGN(const auto opcode, number<std::uint8_t>());
      if (opcode == '.') break;
      THERMOCLINE_CHECK(carry_out(opcode));
      if (pickle_.values.size() > most_values) return too_many_values();
    }
    THERMOCLINE_ASSIGN(pickle_.root, pop());
    if (!stack_.empty() || !marks_.empty()) return damaged("ends with values left over");
    pickle_.end = position_;
    return std::move(pickle_);
  }

 private:
  Expected<void> carry_out(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        return read_protocol();
      case 0x95:  // FRAME: a length that readers may ignore
        return skip(8);
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return {};
      case '0':  // POP
        return discard();
      case 'N':
        return push({PickleKind::none});
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        return push({PickleKind::boolean, opcode == 0x88 ? 1 : 0});
      case 'K':  // BININT1
        return push_integer<std::uint8_t>();
      case 'M':  // BININT2
        return push_integer<std::uint16_t>();
      case 'J':  // BININT
        return push_integer<std::int32_t>();
      case 0x8a:  // LONG1
        return push_long();
      case 'G':  // BINFLOAT
        return push_real();
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
        return push_text<std::uint32_t>();
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':   // SHORT_BINSTRING
        return push_text<std::uint8_t>();
      case 'q':  // BINPUT
        return put<std::uint8_t>();
      case 'r':  // LONG_BINPUT
        return put<std::uint32_t>();
      case 0x94:  // MEMOIZE
        return remember(static_cast<std::uint32_t>(memo_.size()));
      case 'h':  // BINGET
        return get<std::uint8_t>();
      case 'j':  // LONG_BINGET
        return get<std::uint32_t>();
      default:
        return carry_out_structure(opcode);
    }
  }

  Expected<void> carry_out_structure(std::uint8_t opcode) {
    switch (opcode) {
      case ')':  // EMPTY_TUPLE
        return push({PickleKind::tuple});
      case ']':  // EMPTY_LIST
        return push({PickleKind::list});
      case '}':  // EMPTY_DICT
        return push({PickleKind::dict});
      case 't':  // TUPLE
        return push_marked(PickleKind::tuple);
      case 'l':  // LIST
        return push_marked(PickleKind::list);
      case 'd':  // DICT
        return push_marked(PickleKind::dict);
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        return push_top(PickleKind::tuple, opcode - 0x84u);
      case 'a':  // APPEND
        return extend(PickleKind::list, 1);
      case 's':  // SETITEM
        return extend(PickleKind::dict, 2);
      case 'e':  // APPENDS
        return extend_marked(PickleKind::list);
      case 'u':  // SETITEMS
        return extend_marked(PickleKind::dict);
      case 'c':  // GLOBAL
        return push_global_lines();
      case 0x93:  // STACK_GLOBAL
        return push_global_texts();
      case 'Q':  // BINPERSID
        return push_top(PickleKind::reference, 1);
      case 'R':  // REDUCE
        return call();
      case 'b':  // BUILD
        return set_state();
      default:
        return refuse_opcode(opcode);
    }
  }

  // Reading.
  template <typename T>
  Expected<T> number() {
    if (limit_ - position_ < sizeof(T)) return damaged("is cut off");
    const T value = file_.number<T>(position_);
    position_ += sizeof(T);
    return value;
  }
  Expected<std::string_view> text(std::uint64_t length) {
    if (limit_ - position_ < length) return damaged("is cut off");
    const std::string_view value = file_.text(position_, length);
    position_ += length;
    return value;
  }
  Expected<std::string_view> line() {
    const std::string_view rest = file_.text(position_, limit_ - position_);
    const std::size_t length = rest.find('\n');
    if (length == std::string_view::npos) return damaged("is cut off");
    position_ += length + 1;
    return rest.substr(0, length);
  }
  Expected<void> skip(std::uint64_t bytes) {
    THERMOCLINE_CHECK(text(bytes));
    return {};
  }

  // The stack.
  Expected<void> push(PickleValue value) {
    stack_.push_back(static_cast<std::uint32_t>(pickle_.values.size()));
    pickle_.values.push_back(std::move(value));
    return {};
  }
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  Expected<std::uint32_t> pop() {
    if (available() == 0) return damaged("takes more values than there are");
    const std::uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Expected<void> discard() {
    THERMOCLINE_CHECK(pop());
    return {};
  }
  Expected<std::vector<std::uint32_t>> pop_many(std::size_t count) {
    if (available() < count) return damaged("takes more values than there are");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<std::uint32_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    return items;
  }
  Expected<std::vector<std::uint32_t>> pop_marked() {
    if (marks_.empty()) return damaged("ends a list that it hasn't begun");
    THERMOCLINE_ASSIGN(std::vector<std::uint32_t> items, pop_many(available()));
    marks_.pop_back();
    return items;
  }

  // Values.
  Expected<void> read_protocol() {
    THERMOCLINE_ASSIGN(const auto protocol, number<std::uint8_t>());
    if (protocol <= 4) return {};
    return unsupported("protocol " + std::to_string(protocol));
  }
  template <typename T>
  Expected<void> push_integer() {
    THERMOCLINE_ASSIGN(const T value, number<T>());
    return push({PickleKind::integer, value});
  }
  Expected<void> push_long() {
    THERMOCLINE_ASSIGN(const auto length, number<std::uint8_t>());
    THERMOCLINE_ASSIGN(const std::string_view bytes, text(length));
    if (length > 8) return push({PickleKind::big_integer});
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    if (length > 0 && length < 8 && (bytes.back() & 0x80) != 0) value |= ~0ull << (8 * length);
    return push({PickleKind::integer, static_cast<std::int64_t>(value)});
  }
  Expected<void> push_real() {
    THERMOCLINE_ASSIGN(const std::string_view bytes, text(8));
    std::uint64_t bits = 0;  // the one big-endian number of the format
    for (const char byte : bytes)
      bits = bits << 8 | static_cast<unsigned char>(byte);
    return push({PickleKind::real, 0, std::bit_cast<double>(bits)});
  }
  template <typename Length>
  Expected<void> push_text() {
    THERMOCLINE_ASSIGN(const Length length, number<Length>());
    PickleValue value{PickleKind::text};
    THERMOCLINE_ASSIGN(value.text, text(length));
    return push(std::move(value));
  }
  Expected<void> push_top(PickleKind kind, std::size_t count) {
    PickleValue value{kind};
    THERMOCLINE_ASSIGN(value.items, pop_many(count));
    return push(std::move(value));
  }
  Expected<void> push_marked(PickleKind kind) {
    PickleValue value{kind};
    THERMOCLINE_ASSIGN(value.items, pop_marked());
    if (kind == PickleKind::dict && value.items.size() % 2 != 0) return damaged("has half a pair");
    return push(std::move(value));
  }
  Expected<void> extend(PickleKind kind, std::size_t count) {
    THERMOCLINE_ASSIGN(const std::vector<std::uint32_t> items, pop_many(count));
    return append(kind, items);
  }
  Expected<void> extend_marked(PickleKind kind) {
    THERMOCLINE_ASSIGN(const std::vector<std::uint32_t> items, pop_marked());
    return append(kind, items);
  }
  Expected<void> append(PickleKind kind, const std::vector<std::uint32_t>& items) {
    if (kind == PickleKind::dict && items.size() % 2 != 0) return damaged("has half a pair");
    if (available() == 0 || pickle_.values[stack_.back()].kind != kind) {
      return damaged("adds to something else than a list or dictionary");
    }
    std::vector<std::uint32_t>& all = pickle_.values[stack_.back()].items;
    all.insert(all.end(), items.begin(), items.end());
    return {};
  }

  // The memo.
  Expected<void> remember(std::uint32_t key) {
    if (available() == 0) return damaged("takes more values than there are");
    memo_[key] = stack_.back();
    if (memo_.size() > most_values) return too_many_values();
    return {};
  }
  template <typename Key>
  Expected<void> put() {
    THERMOCLINE_ASSIGN(const Key key, number<Key>());
    return remember(key);
  }
  template <typename Key>
  Expected<void> get() {
    THERMOCLINE_ASSIGN(const Key key, number<Key>());
    const auto found = memo_.find(key);
    if (found == memo_.end()) return damaged("recalls a value that it hasn't kept");
    stack_.push_back(found->second);
    return {};
  }

  // Names and calls.
  Expected<void> push_global(std::string_view module, std::string_view name) {
    if (!is_allowed(module, name)) {
      return unsupported(std::string(module) + "." + std::string(name));
    }
    PickleValue value{PickleKind::global};
    value.module = module;
    value.text = name;
    return push(std::move(value));
  }
  Expected<void> push_global_lines() {
    THERMOCLINE_ASSIGN(const std::string_view module, line());
    THERMOCLINE_ASSIGN(const std::string_view name, line());
    return push_global(module, name);
  }
  Expected<void> push_global_texts() {
    THERMOCLINE_ASSIGN(const std::vector<std::uint32_t> names, pop_many(2));
    const PickleValue& module = pickle_.values[names[0]];
    const PickleValue& name = pickle_.values[names[1]];
    if (module.kind != PickleKind::text || name.kind != PickleKind::text) {
      return damaged("names something by what isn't text");
    }
    return push_global(module.text, name.text);
  }
  Expected<void> call() {
    PickleValue value{PickleKind::call};
    THERMOCLINE_ASSIGN(value.items, pop_many(2));
    const PickleValue& callable = pickle_.values[value.items[0]];
    const PickleValue& arguments = pickle_.values[value.items[1]];
    if (callable.kind != PickleKind::global || arguments.kind != PickleKind::tuple) {
      return damaged("calls something that isn't a function");
    }
    if (!is_ordered_dict(callable.module, callable.text)) return push(std::move(value));
    if (!arguments.items.empty()) return unsupported("an OrderedDict made from other values");
    return push({PickleKind::dict});
  }
  // PyTorch hangs version notes on its dictionaries, which tensors don't need.
  Expected<void> set_state() {
    THERMOCLINE_CHECK(pop());
    if (available() == 0 || pickle_.values[stack_.back()].kind != PickleKind::dict) {
      return unsupported("an object with a state of its own");
    }
    return {};
  }

  Error refuse_opcode(std::uint8_t opcode) const {
    std::array<char, 16> name{};
    std::snprintf(name.data(), name.size(), "opcode 0x%02x", static_cast<unsigned>(opcode));
    return unsupported(name.data());
  }
  Error damaged(const std::string& what) const {
    return file_.corrupt(step_, "the pickle " + what);
  }
  Error too_many_values() const {
    return file_.error(ErrorCode::unsupported, step_, "the pickle holds too many values",
                       "choose a file with fewer tensors",
                       "at most " + std::to_string(most_values));
  }
  Error unsupported(const std::string& found) const {
    return file_.error(ErrorCode::unsupported, step_,
                       "the pickle asks for something that tensors don't need, so it isn't read",
                       "use a .safetensors file of these weights, or one that holds tensors only",
                       "tensors only", found);
  }

  const SourceFile& file_;
  std::uint64_t start_;
  std::uint64_t position_;
  std::uint64_t limit_;
  std::uint64_t step_ = 0;  // where the step being carried out begins
  Pickle pickle_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint32_t, std::uint32_t> memo_;
};

}  // namespace

std::string_view name_of(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "none";
    case PickleKind::boolean:
      return "boolean";
    case PickleKind::integer:
    case PickleKind::big_integer:
      return "integer";
    case PickleKind::real:
      return "number";
    case PickleKind::text:
      return "string";
    case PickleKind::tuple:
      return "tuple";
    case PickleKind::list:
      return "list";
    case PickleKind::dict:
      return "dictionary";
    case PickleKind::global:
      return "name";
    case PickleKind::reference:
      return "reference";
    case PickleKind::call:
      return "object";
  }
  return "unknown";
}

Expected<Pickle> read_pickle(const SourceFile& file, std::uint64_t offset, std::uint64_t limit) {
  if (limit > file.size() || offset > limit) {
    return file.corrupt(offset, "the pickle is cut off");
  }
  return Machine(file, offset, limit).run();
}

}  // namespace thermocline::importer
