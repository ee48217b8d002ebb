// `thermocline logits`: writes the model's raw output for given token ids.
#include "app/cli/commands.h"
#include "app/cli/host.h"
#include "app/cli/model_path.h"
#include "app/cli/output_file.h"
#include "app/cli/report.h"
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"

#include <thermocline/evaluation.h>

#include <algorithm>
#include <bit>

namespace thermocline::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds little-endian numbers");

// Positions evaluated at once, so that a long input doesn't need all its logits in memory.
constexpr std::size_t slice_length = 256;

Expected<void> write_logits(const Arguments& arguments, const RunSettings& settings,
                            std::span<const TokenId> ids, std::size_t skipped) {
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  THERMOCLINE_ASSIGN(Model model, Model::open(path));
  EvaluationOptions options;
  options.mode = settings.mode;
  options.precision = settings.precision;
  options.threads = settings.threads;
  options.context_length = static_cast<std::uint32_t>(ids.size());
  options.cancel = &interrupt_flag();
  THERMOCLINE_ASSIGN(Evaluator evaluator, Evaluator::create(std::move(model), options));
  THERMOCLINE_ASSIGN(const auto file,
                     write_output_file(platform::from_utf8(*arguments.value("--out"))));
  if (skipped > 0) THERMOCLINE_CHECK(evaluator.append(ids.first(skipped), nullptr));
  ProgressLine progress;
  std::vector<float> logits;
  for (std::size_t done = skipped; done < ids.size();) {
    const std::size_t count = std::min(slice_length, ids.size() - done);
    THERMOCLINE_CHECK(evaluator.append(ids.subspan(done, count), &logits));
    THERMOCLINE_CHECK(file->write(std::as_bytes(std::span(logits))));
    done += count;
    progress.show(std::to_string(done) + " of " + std::to_string(ids.size()) + " tokens");
  }
  return file->commit();
}

int run(const Arguments& arguments) {
  const auto wrong = [](std::string message) {
    Error error;
    error.code = ErrorCode::invalid_argument;
    error.message = std::move(message);
    return report_usage(std::move(error), "logits");
  };
  const Expected<RunSettings> settings = read_run_settings(arguments);
  if (!settings) return report_usage(settings.error(), "logits");
  const Expected<std::vector<TokenId>> ids = read_ids(arguments);
  if (!ids) return report_usage(ids.error(), "logits");
  const std::string* out = arguments.value("--out");
  if (out == nullptr || out->empty()) return wrong("'--out' must name the file to write");
  const Expected<std::optional<std::uint32_t>> last = read_count(arguments, "--last", 1);
  if (!last) return report_usage(last.error(), "logits");
  if (*last && **last > ids->size())
    return wrong("'--last' asks for more positions than there are ids");
  const std::size_t skipped = *last ? ids->size() - **last : 0;
  const Expected<void> done = write_logits(arguments, *settings, *ids, skipped);
  return done ? exit_done : report_failure(done.error());
}

}  // namespace

Command logits_command() {
  return {"logits",
          "MODEL",
          1,
          1,
          "Writes the logits of every position as raw little-endian 32-bit floats.",
          joined({{{"--ids", "IDS", "token ids, used as they are"},
                   {"--out", "FILE", "the file to write: [positions][vocabulary]"},
                   {"--last", "N", "only the last N positions"}},
                  model_options()}),
          run};
}

}  // namespace thermocline::cli
