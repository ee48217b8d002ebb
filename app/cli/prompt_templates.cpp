#include "app/cli/prompt_templates.h"

#include <algorithm>

namespace thermocline::cli {
namespace {

// Collects parts. What a person or the model said must never be parsed for special tokens. White
// space beside it goes with it, because SentencePiece joins a word with the space before it.
class PromptBuilder {
 public:
  void marker(std::string text) { add(std::move(text), true); }
  void said(std::string text) { add(std::move(text), false); }
  // What the model said, in its own tokens where they are known.
  void answered(const Turn& turn, std::string text) {
    if (turn.answer_ids.empty()) return said(std::move(text));
    parts_.push_back({turn.answer.substr(0, turn.answer_ids_bytes), false, turn.answer_ids});
    said(turn.answer.substr(turn.answer_ids_bytes));
  }
  std::vector<PromptPart> take() { return std::move(parts_); }

 private:
  void add(std::string text, bool parse_special) {
    if (text.empty()) return;
    if (!parts_.empty() && parts_.back().parse_special == parse_special &&
        parts_.back().ids.empty()) {
      parts_.back().text += text;
    } else {
      parts_.push_back({std::move(text), parse_special});
    }
  }
  std::vector<PromptPart> parts_;
};

bool starts_with_space(std::string_view text) {
  return !text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\t');
}

std::string after_space(const std::string& text) {
  return text.empty() || starts_with_space(text) ? text : " " + text;
}

// Calls `add(turn, is_last)` for each turn.
template <typename Add>
void for_turns(const Conversation& conversation, const Add& add) {
  for (std::size_t i = 0; i < conversation.turns.size(); ++i) {
    add(conversation.turns[i], i + 1 == conversation.turns.size());
  }
}

TemplatedPrompt plain(const Conversation& conversation) {
  PromptBuilder prompt;
  if (!conversation.system.empty()) prompt.said(conversation.system + "\n");
  for_turns(conversation, [&prompt](const Turn& turn, bool last) {
    prompt.said(turn.question);
    if (last) return;
    prompt.answered(turn, turn.answer);
    prompt.said("\n");
  });
  return {prompt.take(), {}};
}

TemplatedPrompt question_answer(const Conversation& conversation) {
  PromptBuilder prompt;
  if (!conversation.system.empty()) prompt.said(conversation.system + "\n\n");
  for_turns(conversation, [&prompt](const Turn& turn, bool last) {
    prompt.marker("Question:");
    prompt.said(after_space(turn.question));
    prompt.marker("\nAnswer:");
    if (!last) {
      prompt.answered(turn, after_space(turn.answer));
      prompt.marker("\n");
    }
  });
  return {prompt.take(), {"\nQuestion:", "Question:"}};
}

TemplatedPrompt instruction(const Conversation& conversation) {
  PromptBuilder prompt;
  if (!conversation.system.empty()) prompt.said(conversation.system + "\n\n");
  for_turns(conversation, [&prompt](const Turn& turn, bool last) {
    prompt.marker("### Instruction:\n");
    prompt.said(turn.question);
    prompt.marker("\n\n### Response:\n");
    if (!last) {
      prompt.answered(turn, turn.answer);
      prompt.marker("\n\n");
    }
  });
  return {prompt.take(), {"### Instruction"}};
}

TemplatedPrompt llama2(const Conversation& conversation) {
  PromptBuilder prompt;
  bool first = true;
  for_turns(conversation, [&](const Turn& turn, bool last) {
    prompt.marker("[INST]");
    if (first && !conversation.system.empty()) {
      prompt.marker(" <<SYS>>\n");
      prompt.said(conversation.system);
      prompt.marker("\n<</SYS>>\n\n");
      prompt.said(turn.question);
    } else {
      prompt.said(after_space(turn.question));
    }
    prompt.marker(" [/INST]");
    if (!last) {
      prompt.answered(turn, after_space(turn.answer));
      prompt.marker(" </s><s>");
    }
    first = false;
  });
  return {prompt.take(), {"[INST]"}};
}

TemplatedPrompt chatml(const Conversation& conversation) {
  PromptBuilder prompt;
  const auto begin = [&prompt](std::string_view role) {
    prompt.marker("<|im_start|>" + std::string(role) + "\n");
  };
  const auto message = [&](std::string_view role, const std::string& text) {
    begin(role);
    prompt.said(text);
    prompt.marker("<|im_end|>\n");
  };
  if (!conversation.system.empty()) message("system", conversation.system);
  for_turns(conversation, [&](const Turn& turn, bool last) {
    message("user", turn.question);
    begin("assistant");
    if (last) return;
    prompt.answered(turn, turn.answer);
    prompt.marker("<|im_end|>\n");
  });
  return {prompt.take(), {"<|im_end|>"}};
}

std::optional<PromptTemplate> own_template(const ModelInfo& info) {
  const auto has = [&info](std::string_view marker) {
    return info.chat_template.find(marker) != std::string::npos;
  };
  if (has("<|im_start|>")) return PromptTemplate::chatml;
  if (has("[INST]")) return PromptTemplate::llama2;
  if (has("### Instruction")) return PromptTemplate::instruction;
  if (has("Question:") && has("Answer:")) return PromptTemplate::question_answer;
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

bool is_tuned_by_name(const ModelInfo& info) {
  const std::string name = lower_case(info.name);
  return name.find("dpo") != std::string::npos || name.find("instruct") != std::string::npos ||
         name.find("chat") != std::string::npos;
}

}  // namespace

std::string_view name_of(PromptTemplate prompt_template) {
  switch (prompt_template) {
    case PromptTemplate::plain:
      return "plain";
    case PromptTemplate::question_answer:
      return "question-answer";
    case PromptTemplate::instruction:
      return "instruction";
    case PromptTemplate::llama2:
      return "llama2";
    case PromptTemplate::chatml:
      return "chatml";
  }
  return "unknown";
}

std::optional<PromptTemplate> prompt_template_from(std::string_view name) {
  for (const PromptTemplate each : all_prompt_templates) {
    if (name == name_of(each)) return each;
  }
  return {};
}

TemplatedPrompt apply(PromptTemplate prompt_template, const Conversation& conversation) {
  switch (prompt_template) {
    case PromptTemplate::plain:
      return plain(conversation);
    case PromptTemplate::question_answer:
      return question_answer(conversation);
    case PromptTemplate::instruction:
      return instruction(conversation);
    case PromptTemplate::llama2:
      return llama2(conversation);
    case PromptTemplate::chatml:
      return chatml(conversation);
  }
  return {};
}

PromptTemplate choose_template(const ModelInfo& info) {
  if (const auto own = own_template(info)) return *own;
  const bool bamboo =
      info.architecture == "bamboo" || lower_case(info.name).find("bamboo") != std::string::npos;
  return bamboo && is_tuned_by_name(info) ? PromptTemplate::chatml
                                          : PromptTemplate::question_answer;
}

bool has_unknown_template(const ModelInfo& info) {
  return !info.chat_template.empty() && !own_template(info);
}

bool is_base_model(const ModelInfo& info) {
  return info.chat_template.empty() && !is_tuned_by_name(info);
}

}  // namespace thermocline::cli
