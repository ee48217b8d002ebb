// Names of the public enumerations, for options, JSON and logs.
#include <thermocline/engine.h>

namespace thermocline {

std::string_view name_of(FfnMode mode) {
  switch (mode) {
    case FfnMode::exact:
      return "exact";
    case FfnMode::predicted:
      return "predicted";
    case FfnMode::dense:
      return "dense";
    case FfnMode::automatic:
      return "auto";
  }
  return "unknown";
}

std::string_view name_of(Precision precision) {
  return precision == Precision::fast ? "fast" : "f32";
}

std::optional<FfnMode> ffn_mode_from(std::string_view name) {
  for (const FfnMode mode :
       {FfnMode::exact, FfnMode::predicted, FfnMode::dense, FfnMode::automatic}) {
    if (name == name_of(mode)) return mode;
  }
  return std::nullopt;
}

std::optional<Precision> precision_from(std::string_view name) {
  for (const Precision precision : {Precision::fast, Precision::f32}) {
    if (name == name_of(precision)) return precision;
  }
  return std::nullopt;
}

std::string_view name_of(EngineState state) {
  switch (state) {
    case EngineState::no_model:
      return "no_model";
    case EngineState::loading:
      return "loading";
    case EngineState::ready:
      return "ready";
    case EngineState::prefill:
      return "prefill";
    case EngineState::decoding:
      return "decoding";
    case EngineState::replanning:
      return "replanning";
    case EngineState::unloading:
      return "unloading";
    case EngineState::failed:
      return "failed";
  }
  return "unknown";
}

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::length:
      return "length";
    case StopReason::eos:
      return "eos";
    case StopReason::stop_text:
      return "stop_text";
    case StopReason::stopped:
      return "stopped";
    case StopReason::context_full:
      return "context_full";
  }
  return "unknown";
}

}  // namespace thermocline
