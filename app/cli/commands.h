// The commands of the program, one function each; see options.h for what a Command is.
#pragma once

#include "app/cli/options.h"

namespace thermocline::cli {

Command chat_command();
Command generate_command();
Command logits_command();
Command activity_command();
Command tokenize_command();
Command detokenize_command();
Command inspect_command();

}  // namespace thermocline::cli
