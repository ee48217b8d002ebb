// One answer: prompt into the cache, then token by token until something ends it.
#pragma once

#include "runtime/session.h"

#include <thermocline/engine.h>

#include <chrono>
#include <functional>

namespace thermocline::runtime {

// What a running generation tells as it goes.
struct GenerationObserver {
  std::function<void(std::uint32_t done, std::uint32_t reused, std::uint32_t total)> on_prompt;
  std::function<void(const std::string& text)> on_text;  // whole characters, no part of a stop text
  std::function<void(const GenerationResult& so_far)> on_token;
};

// Ids of a request's prompt: as given, or BOS and the encoded parts.
std::vector<TokenId> prompt_ids(const Tokenizer& tokenizer, const GenerateRequest& request);

// Runs `request`. Cancelled through `cancel` it ends with StopReason::stopped and what there is.
// Errors: invalid_argument, context_full (the prompt alone doesn't fit) and what Session::append
// says.
Expected<GenerationResult> generate(Session& session, const GenerateRequest& request,
                                    const std::atomic<bool>& cancel,
                                    const GenerationObserver& observer);

}  // namespace thermocline::runtime
