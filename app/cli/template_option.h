// The option --template: which form the prompt of a conversation takes.
#pragma once

#include "app/cli/options.h"
#include "app/cli/prompt_templates.h"

#include <optional>

namespace thermocline::cli {

Option template_option();
// Empty if the option wasn't given. Errors: invalid_argument.
Expected<std::optional<PromptTemplate>> read_template(const Arguments& arguments);
// `wanted`, else the model's; a note on standard error says so if that is no more than a guess.
PromptTemplate template_for(const ModelInfo& info, std::optional<PromptTemplate> wanted);

}  // namespace thermocline::cli
