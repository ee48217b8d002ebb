#include "app/cli/transcript.h"

#include "app/cli/output_file.h"

#include <span>

namespace thermocline::cli {

std::string transcript(const Conversation& conversation, std::string_view model_name) {
  std::string text = "# Conversation with " + printable(model_name) + "\n";
  if (!conversation.system.empty()) text += "\n## Instructions\n\n" + conversation.system + "\n";
  for (const Turn& turn : conversation.turns) {
    text += "\n## Question\n\n" + turn.question + "\n\n## Answer\n\n" + turn.answer + "\n";
  }
  return text;
}

Expected<void> save_transcript(const std::filesystem::path& path, const std::string& text) {
  THERMOCLINE_ASSIGN(const auto file, write_output_file(path));
  THERMOCLINE_CHECK(file->write(std::as_bytes(std::span(text.data(), text.size()))));
  return file->commit();
}

}  // namespace thermocline::cli
