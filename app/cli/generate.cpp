// `thermocline generate`: continues a prompt.
#include "app/cli/commands.h"
#include "app/cli/engine_runner.h"
#include "app/cli/host.h"
#include "app/cli/input.h"
#include "app/cli/json_text.h"
#include "app/cli/model_path.h"
#include "app/cli/report.h"
#include "app/cli/template_option.h"
#include "app/cli/terminal.h"
#include "platform/file_system.h"

namespace thermocline::cli {
namespace {

constexpr std::uint32_t default_max_tokens = 128;

Error usage(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

Expected<void> check_prompt_options(const Arguments& arguments) {
  const int sources = int{arguments.has("--prompt")} + int{arguments.has("--prompt-file")} +
                      int{arguments.has("--ids")};
  if (sources != 1) return usage("give one of '--prompt', '--prompt-file' and '--ids'");
  if (arguments.has("--chat") && arguments.has("--ids")) {
    return usage("'--chat' wraps text, so it doesn't go with '--ids'");
  }
  for (const std::string option : {"--system", "--template"}) {
    if (arguments.has(option) && !arguments.has("--chat")) {
      return usage("'" + option + "' needs '--chat'");
    }
  }
  for (const std::string& text : arguments.all("--stop")) {
    if (text.empty()) return usage("'--stop' needs a text that isn't empty");
  }
  return {};
}

Expected<std::string> prompt_text(const Arguments& arguments) {
  if (const std::string* text = arguments.value("--prompt")) return *text;
  return read_input_file(platform::from_utf8(*arguments.value("--prompt-file")));
}

std::string_view stop_name(StopReason reason) {
  switch (reason) {
    case StopReason::eos:
      return "eos";
    case StopReason::stop_text:
    case StopReason::stopped:
      return "stopped";
    case StopReason::length:
    case StopReason::context_full:
      return "length";
  }
  return "length";
}

double per_second(std::size_t count, double seconds) {
  return seconds > 0.0 ? static_cast<double>(count) / seconds : 0.0;
}

Json result_json(const GenerationResult& result, const Telemetry& telemetry, std::uint64_t seed) {
  const std::uint32_t computed = result.prompt_tokens - result.prompt_tokens_reused;
  Json layers = Json::array();
  for (std::size_t i = 0; i < telemetry.layers.size(); ++i) {
    layers.push_back({{"layer", i},
                      {"neurons", telemetry.layers[i].neurons},
                      {"active_average", telemetry.layers[i].active_average}});
  }
  Json json{{"ids", result.ids}, {"text", result.text}, {"stop", stop_name(result.reason)}};
  if (result.reason == StopReason::context_full) json["context_full"] = true;
  json["seed"] = seed;
  json["timings"] = {{"prompt_tokens", result.prompt_tokens},
                     {"prompt_seconds", result.prompt_seconds},
                     {"prompt_tokens_per_second", per_second(computed, result.prompt_seconds)},
                     {"decode_seconds", result.decode_seconds},
                     {"tokens_per_second", per_second(result.ids.size(), result.decode_seconds)},
                     {"time_to_first_token", result.time_to_first_token}};
  json["sparsity"] = {{"mode", name_of(telemetry.mode)},
                      {"active_share", result.active_share},
                      {"layers", std::move(layers)}};
  return json;
}

Expected<int> generate(const Arguments& arguments, const RunSettings& settings,
                       std::optional<PromptTemplate> prompt_template, GenerateRequest request) {
  std::string prompt;
  if (request.prompt_ids.empty()) {
    THERMOCLINE_ASSIGN(prompt, prompt_text(arguments));
  }
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  THERMOCLINE_ASSIGN(const auto runner, EngineRunner::load(path, settings));
  if (arguments.has("--chat")) {
    const std::string* system = arguments.value("--system");
    TemplatedPrompt templated =
        apply(template_for(runner->loaded().info, prompt_template),
              {system == nullptr ? "" : *system, {{std::move(prompt), ""}}});
    request.prompt = std::move(templated.parts);
    request.stop.insert(request.stop.end(), templated.stop.begin(), templated.stop.end());
  } else if (request.prompt_ids.empty()) {
    request.prompt = {{std::move(prompt), false}};
  }

  const bool json = arguments.has("--json");
  bool written = true;
  Expected<GenerationResult> result =
      runner->generate(std::move(request), [&](const std::string& text) {
        if (!json) written = written && write_untrusted(text);
        return written;
      });
  if (!result) {
    Error error = std::move(result).error();
    if (error.code == ErrorCode::context_full) error.remedy = "shorten it or raise --ctx";
    return error;
  }
  if (json) {
    written =
        write_output(json_text(result_json(*result, runner->telemetry(), settings.sampling.seed)));
  } else if (is_terminal(Stream::output)) {
    written = written && write_output("\n");
  }
  if (!written) return output_error();
  if (result->reason == StopReason::context_full) {
    write_message("note: the context is full (" + std::to_string(runner->loaded().context_length) +
                  " tokens); raise --ctx for a longer answer");
  }
  return interrupt_flag() ? exit_interrupted : exit_done;
}

int run(const Arguments& arguments) {
  const Expected<RunSettings> settings = read_run_settings(arguments);
  if (!settings) return report_usage(settings.error(), "generate");
  if (const auto checked = check_prompt_options(arguments); !checked) {
    return report_usage(checked.error(), "generate");
  }
  const Expected<std::optional<PromptTemplate>> prompt_template = read_template(arguments);
  if (!prompt_template) return report_usage(prompt_template.error(), "generate");
  GenerateRequest request;
  if (arguments.has("--ids")) {
    Expected<std::vector<TokenId>> ids = read_ids(arguments);
    if (!ids) return report_usage(ids.error(), "generate");
    request.prompt_ids = *std::move(ids);
  }
  request.sampling = settings->sampling;
  request.max_tokens = settings->max_tokens.value_or(default_max_tokens);
  request.stop = arguments.all("--stop");
  const Expected<int> code = generate(arguments, *settings, *prompt_template, std::move(request));
  return code ? *code : report_failure(code.error());
}

}  // namespace

Command generate_command() {
  return {"generate",
          "MODEL",
          1,
          1,
          "Prints how MODEL (a file, a folder with one model, or demo) continues a prompt.",
          joined({{{"--prompt", "TEXT", "the text to continue"},
                   {"--prompt-file", "FILE",
                    "a file or pipe with the text to continue; - is standard input"},
                   {"--ids", "IDS", "token ids to continue, used as they are"},
                   {"--chat", "", "put the prompt into the model's chat template"},
                   {"--system", "TEXT", "with --chat: instructions that come first"},
                   template_option(),
                   {"--stop", "TEXT", "end before this text (may be repeated)", "", true},
                   {"--json", "", "print ids, text, timings and sparsity as JSON"}},
                  generation_options(),
                  model_options()}),
          run};
}

}  // namespace thermocline::cli
