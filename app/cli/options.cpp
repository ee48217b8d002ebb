#include "app/cli/options.h"

#include <algorithm>

namespace thermocline::cli {
namespace {

Error wrong_usage(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

const Option* find_option(const Command& command, std::string_view word) {
  const auto found =
      std::find_if(command.options.begin(), command.options.end(), [word](const Option& option) {
        return option.name == word || (!option.short_name.empty() && option.short_name == word);
      });
  return found == command.options.end() ? nullptr : &*found;
}

std::string left_column(const Option& option) {
  std::string text = option.short_name.empty() ? "" : std::string(option.short_name) + ", ";
  text += option.name;
  if (!option.value_name.empty()) text += " " + std::string(option.value_name);
  return text;
}

}  // namespace

const std::string* Arguments::value(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? nullptr : &found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

Expected<Arguments> parse_arguments(const Command& command, std::span<const std::string> words) {
  Arguments arguments;
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (only_operands || word.size() < 2 || word.front() != '-') {
      arguments.operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const Option* option = find_option(command, name);
    if (option == nullptr) return wrong_usage("unknown option '" + name + "'");
    std::string value;
    if (option->value_name.empty()) {
      if (equals != std::string::npos) return wrong_usage("'" + name + "' takes no value");
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (++i < words.size()) {
      value = words[i];
    } else {
      return wrong_usage("'" + name + "' needs a value (" + std::string(option->value_name) + ")");
    }
    std::vector<std::string>& values = arguments.values_[std::string(option->name)];
    if (!values.empty() && !option->repeatable) {
      return wrong_usage("'" + name + "' is given twice");
    }
    values.push_back(std::move(value));
  }
  if (arguments.operands_.size() < command.least_operands) {
    return wrong_usage("'" + std::string(command.name) + "' needs " +
                       std::string(command.operands));
  }
  if (arguments.operands_.size() > command.most_operands) {
    return wrong_usage("unexpected '" + arguments.operands_[command.most_operands] + "'");
  }
  return arguments;
}

std::string help_text(const Command& command) {
  std::string text = "usage: thermocline " + std::string(command.name);
  if (!command.operands.empty()) {
    text += command.least_operands == 0 ? " [" + std::string(command.operands) + "]"
                                        : " " + std::string(command.operands);
  }
  text += " [options]\n\n" + std::string(command.summary) + "\n\n";
  std::size_t width = std::string_view("--help").size();
  for (const Option& option : command.options)
    width = std::max(width, left_column(option).size());
  const auto add = [&text, width](std::string column, std::string_view help) {
    column.resize(width, ' ');
    text += "  " + column + "  " + std::string(help) + "\n";
  };
  for (const Option& option : command.options)
    add(left_column(option), option.help);
  add("--help", "show this text");
  return text;
}

}  // namespace thermocline::cli
