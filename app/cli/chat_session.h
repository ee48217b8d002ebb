// A conversation in the terminal: what a person types becomes questions and commands.
#pragma once

#include "app/cli/engine_runner.h"
#include "app/cli/prompt_templates.h"

#include <string>
#include <string_view>

namespace thermocline::cli {

struct ChatSettings {
  PromptTemplate prompt_template = PromptTemplate::question_answer;
  std::string system;
  std::string model_name;
  SamplingOptions sampling;
  std::uint32_t max_tokens = 0;  // 0: until the model ends
};

class ChatSession {
 public:
  // `runner` must outlive the session.
  ChatSession(EngineRunner& runner, ChatSettings settings);

  // What goes on after a line.
  enum class Next { read_on, quit, output_lost };
  // Answers a question or carries out a "/command".
  Next handle(const std::string& line);

 private:
  Next command(std::string_view name, const std::string& rest);
  Next ask(const std::string& question);
  // Asks `question` in place of the last one, which comes back if that fails.
  Next ask_again(std::string question);
  bool answer_last();
  void save(const std::string& file) const;
  void show_stats() const;

  EngineRunner& runner_;
  ChatSettings settings_;
  Conversation conversation_;
  bool output_lost_ = false;
};

}  // namespace thermocline::cli
