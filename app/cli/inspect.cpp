// `thermocline inspect`: what a file is, what it holds and whether it would run.
#include "app/cli/commands.h"
#include "app/cli/described_file.h"
#include "app/cli/model_path.h"
#include "app/cli/report.h"
#include "gguf/container.h"
#include "importer/checkpoint.h"
#include "platform/file_system.h"

namespace thermocline::cli {
namespace {

Expected<Json> describe(const std::filesystem::path& path) {
  THERMOCLINE_ASSIGN(const auto mapped, platform::FileSystem::system().map(path));
  const importer::FileKind kind = importer::recognise(mapped->bytes());
  if (kind == importer::FileKind::gguf || kind == importer::FileKind::unknown) {
    // The container's reader knows more kinds of files by name, so its error says more.
    THERMOCLINE_ASSIGN(const auto file, gguf::Container::open(path));
    return described(*file, path);
  }
  THERMOCLINE_ASSIGN(const auto file, importer::Checkpoint::open(path));
  return described(*file);
}

Expected<std::string> inspect(const Arguments& arguments) {
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  THERMOCLINE_ASSIGN(const Json file, describe(path));
  return arguments.has("--json") ? json_text(file, 2) : table_of(file);
}

int run(const Arguments& arguments) {
  const Expected<std::string> text = inspect(arguments);
  return text ? finish_with(*text) : report_failure(text.error());
}

}  // namespace

Command inspect_command() {
  return {
      "inspect",
      "FILE",
      1,
      1,
      "Shows what a file is (GGUF, PowerInfer GGUF, gpuidx, .pt or safetensors) with its keys and\n"
      "tensors, and what would run.",
      {{"--json", "", "print JSON"}},
      run};
}

}  // namespace thermocline::cli
