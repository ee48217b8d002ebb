// `thermocline activity`: which neurons take part, per layer and position.
#include "app/cli/commands.h"
#include "app/cli/host.h"
#include "app/cli/json_text.h"
#include "app/cli/model_path.h"
#include "app/cli/report.h"
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"

#include <thermocline/evaluation.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

namespace thermocline::cli {
namespace {

struct Recorded {
  FfnMode mode = FfnMode::exact;
  std::uint32_t neurons = 0;                       // of each layer
  std::vector<std::vector<LayerActivity>> layers;  // [layer][position]
};

Expected<Recorded> record(const Arguments& arguments, const RunSettings& settings,
                          std::span<const TokenId> ids) {
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  THERMOCLINE_ASSIGN(Model model, Model::open(path));
  Recorded recorded;
  recorded.neurons = model.info().ffn_size;
  recorded.layers.resize(model.info().layers);
  EvaluationOptions options;
  options.mode = settings.mode;
  options.precision = settings.precision;
  options.threads = settings.threads;
  options.context_length = static_cast<std::uint32_t>(ids.size());
  options.cancel = &interrupt_flag();
  THERMOCLINE_ASSIGN(Evaluator evaluator, Evaluator::create(std::move(model), options));
  recorded.mode = evaluator.mode();
  THERMOCLINE_CHECK(evaluator.append(ids, nullptr, false, [&](const LayerActivity& activity) {
    recorded.layers[activity.layer].push_back(activity);
  }));
  for (auto& positions : recorded.layers) {
    std::stable_sort(positions.begin(), positions.end(),
                     [](const auto& a, const auto& b) { return a.position < b.position; });
  }
  return recorded;
}

// What the predictor selects may still turn out to be zero; what is left of it is kept.
std::vector<std::uint32_t> kept_neurons(const LayerActivity& activity) {
  std::vector<std::uint32_t> kept;
  std::set_intersection(activity.kept.begin(), activity.kept.end(), activity.fired.begin(),
                        activity.fired.end(), std::back_inserter(kept));
  return kept;
}

Json activity_json(const Recorded& recorded, bool list_neurons) {
  const bool predicted = recorded.mode == FfnMode::predicted;
  Json layers = Json::array();
  for (std::size_t layer = 0; layer < recorded.layers.size(); ++layer) {
    Json positions = Json::array();
    for (const LayerActivity& activity : recorded.layers[layer]) {
      Json position{{"position", activity.position}, {"fired", activity.fired.size()}};
      if (predicted) {
        position["kept"] = kept_neurons(activity).size();
        position["selected"] = activity.kept.size();
      }
      if (list_neurons) {
        position["fired_neurons"] = activity.fired;
        if (predicted) {
          position["kept_neurons"] = kept_neurons(activity);
          position["selected_neurons"] = activity.kept;
        }
      }
      positions.push_back(std::move(position));
    }
    layers.push_back(
        {{"layer", layer}, {"neurons", recorded.neurons}, {"positions", std::move(positions)}});
  }
  return {{"mode", name_of(recorded.mode)}, {"layers", std::move(layers)}};
}

std::string neuron_list(const char* name, const std::vector<std::uint32_t>& neurons) {
  std::string text = std::string("    ") + name + ":";
  for (const std::uint32_t neuron : neurons)
    text += " " + std::to_string(neuron);
  return text + "\n";
}

std::string activity_table(const Recorded& recorded, bool list_neurons) {
  const bool predicted = recorded.mode == FfnMode::predicted;
  std::string text = "mode " + std::string(name_of(recorded.mode)) + "\n";
  text += "layer  position   neurons     fired";
  text += predicted ? "  selected      kept\n" : "\n";
  for (const auto& positions : recorded.layers) {
    for (const LayerActivity& activity : positions) {
      std::array<char, 96> row{};
      std::snprintf(row.data(), row.size(), "%5u  %8u  %8u  %8zu", activity.layer,
                    activity.position, recorded.neurons, activity.fired.size());
      text += row.data();
      if (predicted) {
        std::snprintf(row.data(), row.size(), "  %8zu  %8zu", activity.kept.size(),
                      kept_neurons(activity).size());
        text += row.data();
      }
      text += "\n";
      if (!list_neurons) continue;
      text += neuron_list("fired", activity.fired);
      if (predicted) text += neuron_list("selected", activity.kept);
    }
  }
  return text;
}

int run(const Arguments& arguments) {
  const Expected<RunSettings> settings = read_run_settings(arguments);
  if (!settings) return report_usage(settings.error(), "activity");
  const Expected<std::vector<TokenId>> ids = read_ids(arguments);
  if (!ids) return report_usage(ids.error(), "activity");
  const Expected<Recorded> recorded = record(arguments, *settings, *ids);
  if (!recorded) return report_failure(recorded.error());
  const bool list_neurons = arguments.has("--neurons");
  return finish_with(arguments.has("--json") ? json_text(activity_json(*recorded, list_neurons))
                                             : activity_table(*recorded, list_neurons));
}

}  // namespace

Command activity_command() {
  return {
      "activity",
      "MODEL",
      1,
      1,
      "Shows per layer and position how many neurons fire. In predicted mode also how many the\n"
      "predictor selects, and how many of these fire (kept).",
      joined({{{"--ids", "IDS", "token ids, used as they are"},
               {"--neurons", "", "list the neurons too"},
               {"--json", "", "print JSON"}},
              model_options()}),
      run};
}

}  // namespace thermocline::cli
