#include "app/cli/chat_session.h"

#include "app/cli/report.h"
#include "app/cli/sizes.h"
#include "app/cli/terminal.h"
#include "app/cli/transcript.h"
#include "platform/file_system.h"

#include <array>
#include <cstdio>

namespace thermocline::cli {
namespace {

constexpr std::string_view help =
    "/regenerate     answer the last question again\n"
    "/edit TEXT      replace the last question and answer it\n"
    "/save FILE      write the conversation as Markdown\n"
    "/stats          speed, sparsity and memory\n"
    "/vram SIZE      graphics memory to use, such as 2.5GB\n"
    "/quit           end (as Ctrl+D does)\n"
    "Ctrl+C stops an answer and keeps what was said; at the prompt it ends the chat.";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

void say_context_full(const Telemetry& telemetry) {
  write_message(
      "note: the context is full (" + std::to_string(telemetry.context_length) +
      " tokens): shorten the last question with /edit, or start again with a larger --ctx");
}

}  // namespace

ChatSession::ChatSession(EngineRunner& runner, ChatSettings settings)
    : runner_(runner), settings_(std::move(settings)) {
  conversation_.system = settings_.system;
}

ChatSession::Next ChatSession::handle(const std::string& line) {
  const std::string text = trimmed(line);
  if (text.empty()) return Next::read_on;
  if (text.front() != '/') return ask(text);
  const std::size_t space = text.find_first_of(" \t");
  return command(std::string_view(text).substr(0, space),
                 space == std::string::npos ? std::string() : trimmed(text.substr(space)));
}

ChatSession::Next ChatSession::command(std::string_view name, const std::string& rest) {
  if (name == "/quit") return Next::quit;
  const bool has_turn = !conversation_.turns.empty();
  if (name == "/help") {
    write_message(help);
  } else if (name == "/regenerate" || name == "/edit") {
    if (!has_turn) {
      write_message("note: nothing was asked yet");
    } else if (name == "/regenerate") {
      return ask_again(conversation_.turns.back().question);
    } else if (rest.empty()) {
      write_message("note: write the new question behind it: /edit TEXT");
    } else {
      return ask_again(rest);
    }
  } else if (name == "/save") {
    save(rest);
  } else if (name == "/stats") {
    show_stats();
  } else if (name == "/vram") {
    if (const std::optional<std::uint64_t> bytes = parse_size(rest)) {
      runner_.set_vram_budget(*bytes);
    } else {
      write_message("note: write a size behind it, such as /vram 2.5GB");
    }
  } else {
    write_message("note: no command " + printable(name) + "; /help lists them");
  }
  return Next::read_on;
}

ChatSession::Next ChatSession::ask(const std::string& question) {
  conversation_.turns.push_back({question, ""});
  if (!answer_last()) conversation_.turns.pop_back();
  return output_lost_ ? Next::output_lost : Next::read_on;
}

ChatSession::Next ChatSession::ask_again(std::string question) {
  Turn before = std::move(conversation_.turns.back());
  conversation_.turns.back() = {std::move(question), ""};
  // Otherwise the same seed would give the same answer.
  ++settings_.sampling.seed;
  if (!answer_last()) conversation_.turns.back() = std::move(before);
  return output_lost_ ? Next::output_lost : Next::read_on;
}

bool ChatSession::answer_last() {
  TemplatedPrompt prompt = apply(settings_.prompt_template, conversation_);
  GenerateRequest request;
  request.prompt = std::move(prompt.parts);
  request.stop = std::move(prompt.stop);
  request.sampling = settings_.sampling;
  request.max_tokens = settings_.max_tokens;
  bool at_line_start = true;
  Expected<GenerationResult> result =
      runner_.generate(std::move(request), [&](const std::string& text) {
        if (!write_untrusted(text)) output_lost_ = true;
        at_line_start = text.ends_with('\n');
        return !output_lost_;
      });
  if (!at_line_start && !write_output("\n")) output_lost_ = true;
  if (!result) {
    if (result.error().code == ErrorCode::context_full) {
      say_context_full(runner_.telemetry());
    } else {
      write_message("error: " + result.error().line());
    }
    return false;
  }
  if (result->reason == StopReason::context_full) say_context_full(runner_.telemetry());
  if (result->reason == StopReason::stopped) {
    write_message("(stopped)");
    // Nothing was said, so there is nothing to keep and nothing to put in the place of an answer.
    if (result->text.empty()) return false;
  }
  result->ids.resize(result->text_ids);
  Turn& turn = conversation_.turns.back();
  turn.answer = std::move(result->text);
  turn.answer_ids = std::move(result->ids);
  turn.answer_ids_bytes = result->text_ids_bytes;
  return true;
}

void ChatSession::save(const std::string& file) const {
  if (file.empty()) {
    write_message("note: write the file's name behind it: /save FILE");
    return;
  }
  const Expected<void> saved =
      save_transcript(platform::from_utf8(file), transcript(conversation_, settings_.model_name));
  write_message(saved ? "saved " + printable(file) : "error: " + saved.error().line());
}

void ChatSession::show_stats() const {
  const Telemetry now = runner_.telemetry();
  double active = 0.0;
  double neurons = 0.0;
  for (const LayerTelemetry& layer : now.layers) {
    active += layer.active_average;
    neurons += layer.neurons;
  }
  write_message("mode " + std::string(name_of(now.mode)) + ", " + std::to_string(now.threads) +
                " threads");
  write_message(formatted("answer: %u tokens, %.2f a second; first after %.2f s",
                          now.generated_tokens, now.tokens_per_second_average,
                          now.time_to_first_token));
  write_message(formatted("prompt: %u tokens, %u of them known already, %.2f a second",
                          now.prompt_tokens, now.prompt_tokens_reused,
                          now.prompt_tokens_per_second));
  write_message(formatted("context: %u of %u tokens", now.context_used, now.context_length));
  if (neurons > 0.0)
    write_message(formatted("neurons computed: %.1f %%", 100.0 * active / neurons));
  write_message("memory: model " + size_text(now.model_bytes) + ", cache " +
                size_text(now.kv_cache_bytes) + ", work " + size_text(now.work_bytes) +
                (now.resident_bytes == 0 ? "" : ", process " + size_text(now.resident_bytes)));
  if (now.degraded) write_message("degraded: " + printable(now.degraded_reason));
}

}  // namespace thermocline::cli
