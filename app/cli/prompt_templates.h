// Builds the prompt for a conversation in the form that a model was trained on. A model's own
// template is a program (Jinja); it is recognised by its shape and never executed.
#pragma once

#include <thermocline/engine.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thermocline::cli {

enum class PromptTemplate { plain, question_answer, instruction, llama2, chatml };
inline constexpr std::array all_prompt_templates{
    PromptTemplate::plain, PromptTemplate::question_answer, PromptTemplate::instruction,
    PromptTemplate::llama2, PromptTemplate::chatml};
std::string_view name_of(PromptTemplate prompt_template);  // "question-answer"
std::optional<PromptTemplate> prompt_template_from(std::string_view name);

struct Turn {
  std::string question;
  std::string answer;  // as the model gave it; empty in the turn that asks for one
  std::vector<TokenId> answer_ids = {};  // the tokens of the answer's first `answer_ids_bytes`
  std::size_t answer_ids_bytes = 0;
};
struct Conversation {
  std::string system;  // may be empty
  std::vector<Turn> turns;
};

struct TemplatedPrompt {
  std::vector<PromptPart> parts;  // ends where the answer begins
  std::vector<std::string> stop;  // texts that end the answer
};
TemplatedPrompt apply(PromptTemplate prompt_template, const Conversation& conversation);

// The template for a model: its own by shape, else by its name, else question and answer.
PromptTemplate choose_template(const ModelInfo& info);
// Whether the model brings a template of a shape that isn't known here, so that choose_template()
// is no more than a guess.
bool has_unknown_template(const ModelInfo& info);
// Whether nothing says that the model was trained to follow instructions.
bool is_base_model(const ModelInfo& info);

}  // namespace thermocline::cli
