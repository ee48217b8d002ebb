// What a command accepts, declared as data, and the parser for it.
#pragma once

#include <thermocline/expected.h>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::cli {

struct Option {
  std::string_view name;        // "--max-tokens"
  std::string_view value_name;  // "N"; empty: a switch
  std::string_view help;
  std::string_view short_name = {};  // "-n"
  bool repeatable = false;
};

// The words after the command's name, sorted out.
class Arguments {
 public:
  bool has(std::string_view option) const { return values_.contains(option); }
  // The value of an option that was given, else null.
  const std::string* value(std::string_view option) const;
  std::vector<std::string> all(std::string_view option) const;
  std::span<const std::string> operands() const { return operands_; }

 private:
  friend Expected<Arguments> parse_arguments(const struct Command& command,
                                             std::span<const std::string> words);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
};

struct Command {
  std::string_view name;
  std::string_view operands;  // "MODEL", as in the usage line
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
  std::string_view summary;
  std::vector<Option> options;
  int (*run)(const Arguments& arguments) = nullptr;  // gives the exit code
};

// Accepts "--name value", "--name=value" and "--" before operands that begin with a dash. Errors
// say which word is wrong.
Expected<Arguments> parse_arguments(const Command& command, std::span<const std::string> words);

std::string help_text(const Command& command);

}  // namespace thermocline::cli
