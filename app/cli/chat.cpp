// `thermocline chat`: an interactive conversation.
#include "app/cli/chat_session.h"
#include "app/cli/commands.h"
#include "app/cli/host.h"
#include "app/cli/line_reader.h"
#include "app/cli/model_path.h"
#include "app/cli/report.h"
#include "app/cli/template_option.h"
#include "app/cli/terminal.h"
#include "platform/file_system.h"

namespace thermocline::cli {
namespace {

void show_banner(const ModelLoaded& loaded, const ChatSettings& settings) {
  write_message(printable(settings.model_name) + ", mode " + std::string(name_of(loaded.mode)) +
                ", template " + std::string(name_of(settings.prompt_template)) + ", context " +
                std::to_string(loaded.context_length) + " tokens");
  if (is_base_model(loaded.info)) {
    write_message("base model: completes text, doesn't follow instructions");
  }
  for (const std::string& note : loaded.info.notes)
    write_message("note: " + printable(note));
  if (is_terminal(Stream::input)) write_message("/help lists the commands");
}

Expected<int> chat(const std::string& model, const RunSettings& run_settings, ChatSettings settings,
                   std::optional<PromptTemplate> prompt_template) {
  THERMOCLINE_ASSIGN(const auto path, resolve_model(model));
  THERMOCLINE_ASSIGN(const auto runner, EngineRunner::load(path, run_settings));
  const ModelInfo& info = runner->loaded().info;
  settings.prompt_template = template_for(info, prompt_template);
  settings.model_name = info.name.empty() ? platform::to_utf8(path.filename()) : info.name;
  settings.sampling = run_settings.sampling;
  settings.max_tokens = run_settings.max_tokens.value_or(0);
  show_banner(runner->loaded(), settings);

  ChatSession session(*runner, std::move(settings));
  const std::unique_ptr<LineReader> lines = make_line_reader();
  for (;;) {
    // A Ctrl+C that came too late to stop an answer was not meant to end the chat.
    interrupt_flag() = false;
    if (termination_requested()) return exit_interrupted;
    THERMOCLINE_ASSIGN(const std::optional<std::string> line, lines->read("> "));
    if (interrupt_flag()) {
      write_message("");
      return exit_interrupted;
    }
    if (!line) {
      if (is_terminal(Stream::input)) write_message("");
      return exit_done;
    }
    switch (session.handle(*line)) {
      case ChatSession::Next::read_on:
        break;
      case ChatSession::Next::quit:
        return exit_done;
      case ChatSession::Next::output_lost:
        return output_error();
    }
  }
}

int run(const Arguments& arguments) {
  const Expected<RunSettings> run_settings = read_run_settings(arguments);
  if (!run_settings) return report_usage(run_settings.error(), "chat");
  ChatSettings settings;
  if (const std::string* system = arguments.value("--system")) settings.system = *system;
  const Expected<std::optional<PromptTemplate>> prompt_template = read_template(arguments);
  if (!prompt_template) return report_usage(prompt_template.error(), "chat");
  const std::string model = arguments.operands().empty() ? "demo" : arguments.operands().front();
  const Expected<int> code = chat(model, *run_settings, std::move(settings), *prompt_template);
  return code ? *code : report_failure(code.error());
}

}  // namespace

Command chat_command() {
  return {"chat",
          "MODEL",
          0,
          1,
          "Talks with MODEL: a file, a folder with one model, or demo for the built-in one (the\n"
          "default). /help at the prompt lists what can be done there.",
          joined({{{"--system", "TEXT", "instructions that come first"}, template_option()},
                  generation_options(),
                  model_options()}),
          run};
}

}  // namespace thermocline::cli
