#include "app/cli/template_option.h"

#include "app/cli/terminal.h"

#include <string>

namespace thermocline::cli {
namespace {

constexpr std::string_view option_name = "--template";
constexpr std::string_view template_names = "plain, question-answer, instruction, llama2 or chatml";

}  // namespace

Option template_option() {
  return {option_name, "NAME", template_names};
}

Expected<std::optional<PromptTemplate>> read_template(const Arguments& arguments) {
  const std::string* name = arguments.value(option_name);
  if (name == nullptr) return std::optional<PromptTemplate>();
  const std::optional<PromptTemplate> known = prompt_template_from(*name);
  if (known) return known;
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = "'" + std::string(option_name) + "' can't be taken";
  error.wanted = template_names;
  error.found = "'" + *name + "'";
  return error;
}

PromptTemplate template_for(const ModelInfo& info, std::optional<PromptTemplate> wanted) {
  if (wanted) return *wanted;
  const PromptTemplate chosen = choose_template(info);
  if (has_unknown_template(info)) {
    write_message(
        "note: the model's own chat template is of a kind that this version doesn't know; '" +
        std::string(name_of(chosen)) + "' is used, and --template chooses another");
  }
  return chosen;
}

}  // namespace thermocline::cli
