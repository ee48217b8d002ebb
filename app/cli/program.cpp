#include "app/cli/program.h"

#include "app/cli/commands.h"
#include "app/cli/host.h"
#include "app/cli/report.h"
#include "app/cli/terminal.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace thermocline::cli {
namespace {

constexpr std::array<std::string_view, 7> later_commands{
    "plan", "bench", "selftest", "download", "models", "convert", "quantize"};

std::vector<Command> all_commands() {
  return {chat_command(),     generate_command(),   logits_command(), activity_command(),
          tokenize_command(), detokenize_command(), inspect_command()};
}

Error invalid(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

// A summary's first sentence, on one line.
std::string first_sentence(std::string_view summary) {
  std::string sentence(summary.substr(0, summary.find(". ")));
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return sentence.substr(0, sentence.find(". "));
}

std::string program_help(const std::vector<Command>& commands) {
  std::string text =
      "usage: thermocline COMMAND [options]\n\n"
      "Runs ReLU-sparse language models on this machine.\n\n";
  for (const Command& command : commands) {
    std::string name(command.name);
    name.resize(12, ' ');
    text += "  " + name + first_sentence(command.summary) + "\n";
  }
  text += "\n'thermocline COMMAND --help' tells more; --version shows the version.\n";
  return text;
}

// Whether "--help" stands where it is an option, not an option's value.
bool asks_for_help(const Command& command, std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--help" || words[i] == "-h") return true;
    const bool takes_value =
        std::any_of(command.options.begin(), command.options.end(), [&](const Option& option) {
          return !option.value_name.empty() &&
                 (option.name == words[i] || option.short_name == words[i]);
        });
    if (takes_value) ++i;
  }
  return false;
}

int run_command(std::span<const std::string> words) {
  if (words.empty()) return report_usage(invalid("no command is given"));
  const std::string& name = words.front();
  const std::vector<Command> commands = all_commands();
  if (name == "--help" || name == "-h" || name == "help")
    return finish_with(program_help(commands));
  if (name == "--version") return finish_with("thermocline " THERMOCLINE_VERSION "\n");
  if (std::find(later_commands.begin(), later_commands.end(), name) != later_commands.end()) {
    Error error = invalid("'" + name + "' is not in this version");
    error.remedy = "see 'thermocline --help' for what is";
    return report_failure(error);
  }
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&name](const Command& each) { return each.name == name; });
  if (command == commands.end()) return report_usage(invalid("unknown command '" + name + "'"));
  if (asks_for_help(*command, words.subspan(1))) return finish_with(help_text(*command));
  const Expected<Arguments> arguments = parse_arguments(*command, words.subspan(1));
  if (!arguments) return report_usage(arguments.error(), name);
  return command->run(*arguments);
}

}  // namespace

int run_program(std::span<const std::string> words) {
  try {
    return run_command(words);
  } catch (const std::bad_alloc&) {
    write_message("error: not enough memory; close other programs or use a smaller model or --ctx");
    return exit_failed;
  }
}

}  // namespace thermocline::cli
