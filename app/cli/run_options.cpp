#include "app/cli/run_options.h"

#include "app/cli/numbers.h"
#include "app/cli/sizes.h"

#include <limits>
#include <random>
#include <string>

namespace thermocline::cli {
namespace {

constexpr unsigned most_threads = 4096;

Error option_error(std::string_view option, std::string wanted, const std::string& found) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = "'" + std::string(option) + "' can't be taken";
  error.wanted = std::move(wanted);
  error.found = "'" + found + "'";
  return error;
}

Error not_in_this_version(const std::string& what, std::string remedy) {
  Error error;
  error.code = ErrorCode::unsupported;
  error.message = what + " is not in this version";
  error.remedy = std::move(remedy);
  return error;
}

Expected<void> read_mode(const Arguments& arguments, FfnMode& mode) {
  const std::string* name = arguments.value("--mode");
  if (name == nullptr) return {};
  if (*name == "signs") return not_in_this_version("mode 'signs'", "use '--mode exact'");
  const std::optional<FfnMode> known = ffn_mode_from(*name);
  if (!known) return option_error("--mode", "exact, predicted, dense or auto", *name);
  mode = *known;
  return {};
}

Expected<void> read_device(const Arguments& arguments) {
  const std::string* name = arguments.value("--device");
  if (name == nullptr || *name == "cpu") return {};
  if (*name == "emulated" || *name == "cuda") {
    return not_in_this_version("device '" + *name + "'", "use '--device cpu'");
  }
  return option_error("--device", "cpu", *name);
}

Expected<void> read_float(const Arguments& arguments, std::string_view option, float& number) {
  const std::string* text = arguments.value(option);
  if (text == nullptr) return {};
  const std::optional<double> value = parse_real(*text);
  if (!value || *value > std::numeric_limits<float>::max() ||
      *value < std::numeric_limits<float>::lowest()) {
    return option_error(option, "a number", *text);
  }
  number = static_cast<float>(*value);
  return {};
}

Expected<void> read_sampling(const Arguments& arguments, SamplingOptions& sampling) {
  const auto read = [&](std::string_view option, float& number) -> Expected<void> {
    THERMOCLINE_CHECK(read_float(arguments, option, number));
    Expected<void> checked = check(sampling);
    if (!checked) checked.error().message = "'" + std::string(option) + "' is out of range";
    return checked;
  };
  THERMOCLINE_CHECK(read("--temperature", sampling.temperature));
  // Temperature 0 means the model's plain best token unless a penalty is asked for.
  if (sampling.temperature == 0.0f) sampling.repeat_penalty = 1.0f;
  THERMOCLINE_CHECK(read("--repeat-penalty", sampling.repeat_penalty));
  THERMOCLINE_CHECK(read("--top-p", sampling.top_p));
  THERMOCLINE_CHECK(read("--min-p", sampling.min_p));
  THERMOCLINE_ASSIGN(const std::optional<std::uint32_t> top_k, read_count(arguments, "--top-k"));
  sampling.top_k = top_k.value_or(sampling.top_k);
  if (const std::string* text = arguments.value("--seed")) {
    const std::optional<std::uint64_t> seed = parse_unsigned(*text);
    if (!seed) return option_error("--seed", "a whole number", *text);
    sampling.seed = *seed;
  } else {
    std::random_device random;
    sampling.seed = random();
  }
  return {};
}

}  // namespace

std::vector<Option> model_options() {
  return {{"--mode", "MODE", "exact, predicted, dense or auto (default)"},
          {"--precision", "P", "fast (default) or f32: no activation rounding, f32 KV cache"},
          {"--threads", "N", "processor threads (default: one for each physical core)"},
          {"--device", "DEVICE", "cpu"}};
}

std::vector<Option> generation_options() {
  return {{"--max-tokens", "N", "end after N tokens", "-n"},
          {"--temperature", "T", "0: always the most probable token (default 0.8)"},
          {"--top-k", "K", "choose among the K most probable tokens, 0: all (default 40)"},
          {"--top-p", "P", "choose among tokens that make up this probability (default 0.95)"},
          {"--min-p", "P", "least probability, relative to the best token (default 0.05)"},
          {"--repeat-penalty", "R", "1: none (default 1.1, with temperature 0: 1)"},
          {"--seed", "N", "the same seed gives the same answer (default: a new one each time)"},
          {"--ctx", "N", "length of the context in tokens"},
          {"--vram-budget", "SIZE", "graphics memory to use, such as 2.5GB or 800MiB"}};
}

std::vector<Option> joined(std::initializer_list<std::vector<Option>> lists) {
  std::vector<Option> all;
  for (const std::vector<Option>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

Expected<std::optional<std::uint32_t>> read_count(const Arguments& arguments,
                                                  std::string_view option, std::uint32_t least) {
  const std::string* text = arguments.value(option);
  if (text == nullptr) return std::optional<std::uint32_t>();
  const std::optional<std::uint64_t> value = parse_unsigned(*text);
  if (!value || *value < least || *value > std::numeric_limits<std::uint32_t>::max()) {
    return option_error(option, "a whole number from " + std::to_string(least), *text);
  }
  return std::optional(static_cast<std::uint32_t>(*value));
}

Expected<RunSettings> read_run_settings(const Arguments& arguments) {
  RunSettings settings;
  THERMOCLINE_CHECK(read_mode(arguments, settings.mode));
  THERMOCLINE_CHECK(read_device(arguments));
  if (const std::string* name = arguments.value("--precision")) {
    const std::optional<Precision> precision = precision_from(*name);
    if (!precision) return option_error("--precision", "fast or f32", *name);
    settings.precision = *precision;
  }
  THERMOCLINE_ASSIGN(const auto threads, read_count(arguments, "--threads", 1));
  if (threads && *threads > most_threads) {
    return option_error("--threads", "at most " + std::to_string(most_threads),
                        std::to_string(*threads));
  }
  settings.threads = threads.value_or(0);
  THERMOCLINE_ASSIGN(const auto context, read_count(arguments, "--ctx", 1));
  settings.context_length = context.value_or(0);
  if (const std::string* text = arguments.value("--vram-budget")) {
    settings.vram_budget = parse_size(*text);
    if (!settings.vram_budget) {
      return option_error("--vram-budget", "a size such as 2.5GB, 800MiB or bytes", *text);
    }
  }
  THERMOCLINE_CHECK(read_sampling(arguments, settings.sampling));
  THERMOCLINE_ASSIGN(settings.max_tokens, read_count(arguments, "--max-tokens", 1));
  return settings;
}

Expected<std::vector<TokenId>> read_ids(const Arguments& arguments) {
  const std::string* text = arguments.value("--ids");
  Error missing;
  missing.code = ErrorCode::invalid_argument;
  missing.message = "'--ids' needs at least one token id";
  if (text == nullptr) return missing;
  THERMOCLINE_ASSIGN(std::vector<TokenId> ids, parse_ids(*text, "--ids"));
  if (ids.empty()) return missing;
  return ids;
}

}  // namespace thermocline::cli
