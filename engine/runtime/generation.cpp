#include "runtime/generation.h"

#include "runtime/sampler.h"
#include "runtime/stop_matcher.h"

#include <algorithm>
#include <string>

namespace thermocline::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Generation {
 public:
  Generation(Session& session, const GenerateRequest& request, const std::atomic<bool>& cancel,
             const GenerationObserver& observer)
      : session_(session),
        request_(request),
        cancel_(cancel),
        observer_(observer),
        tokenizer_(session.model().tokenizer()),
        decoder_(tokenizer_, false),
        stops_(request.stop),
        sampler_(request.sampling),
        start_(Clock::now()) {}

  Expected<GenerationResult> run() {
    THERMOCLINE_CHECK(check(request_.sampling));
    const std::vector<TokenId> prompt = prompt_ids(tokenizer_, request_);
    THERMOCLINE_CHECK(check_prompt(prompt));
    if (auto done = read_prompt(prompt); !done) return finish_early(std::move(done).error());
    result_.prompt_seconds = seconds_since(start_);
    decode_start_ = Clock::now();
    if (auto done = decode(); !done) return finish_early(std::move(done).error());
    return finished();
  }

 private:
  Expected<void> check_prompt(const std::vector<TokenId>& prompt) const {
    if (prompt.empty()) {
      Error error;
      error.code = ErrorCode::invalid_argument;
      error.message = "the prompt is empty";
      error.remedy = "write something";
      return error;
    }
    if (prompt.size() > session_.context_length()) {
      return session_.context_error("the prompt is longer than the context", prompt.size());
    }
    return {};
  }

  Expected<void> read_prompt(const std::vector<TokenId>& prompt) {
    const auto total = static_cast<std::uint32_t>(prompt.size());
    // The last token is always evaluated: its logits are needed.
    const std::uint32_t reused = std::min(session_.common_prefix(prompt), total - 1);
    session_.truncate(reused);
    result_.prompt_tokens = total;
    result_.prompt_tokens_reused = reused;
    observer_.on_prompt(reused, reused, total);
    for (std::uint32_t done = reused; done < total;) {
      const std::uint32_t count = std::min(session_.batch_size(), total - done);
      const bool last = done + count == total;
      THERMOCLINE_CHECK(
          session_.append(std::span(prompt).subspan(done, count), last ? 1 : 0, &cancel_));
      done += count;
      observer_.on_prompt(done, reused, total);
    }
    return {};
  }

  Expected<void> decode() {
    while (true) {
      if (cancel_.load(std::memory_order_relaxed)) {
        result_.reason = StopReason::stopped;
        return {};
      }
      const TokenId id = sampler_.sample(session_.logits(0), session_.tokens());
      if (result_.ids.empty()) result_.time_to_first_token = seconds_since(start_);
      if (tokenizer_.ends_generation(id)) {
        result_.reason = StopReason::eos;
        return {};
      }
      result_.ids.push_back(id);
      take(decoder_.push(id));
      result_.decode_seconds = seconds_since(decode_start_);
      observer_.on_token(result_);
      if (stops_.stopped()) {
        result_.reason = StopReason::stop_text;
        return {};
      }
      if (request_.max_tokens != 0 && result_.ids.size() >= request_.max_tokens) {
        result_.reason = StopReason::length;
        return {};
      }
      if (session_.length() >= session_.context_length()) {
        result_.reason = StopReason::context_full;
        return {};
      }
      THERMOCLINE_CHECK(session_.append(std::span(&id, 1), 1, &cancel_));
      count_active();
    }
  }

  void count_active() {
    std::uint64_t active = 0;
    for (const std::uint32_t count : session_.active_neurons())
      active += count;
    active_ += active;
    neurons_ +=
        std::uint64_t{session_.model().config().ffn_size} * session_.model().config().layers;
    result_.active_share = static_cast<double>(active_) / static_cast<double>(neurons_);
  }

  void take(const std::string& text) {
    decoded_ += text.size();
    if (!decoder_.holds_back()) boundaries_.push_back({result_.ids.size(), decoded_});
    show(stops_.push(text));
  }

  void show(const std::string& text) {
    if (text.empty()) return;
    result_.text += text;
    observer_.on_text(text);
  }

  Expected<GenerationResult> finish_early(Error error) {
    if (error.code != ErrorCode::cancelled) return error;
    result_.reason = StopReason::stopped;
    return finished();
  }

  GenerationResult finished() {
    show(stops_.push(decoder_.finish()));
    show(stops_.finish());
    if (!result_.ids.empty()) result_.decode_seconds = seconds_since(decode_start_);
    for (const Boundary& boundary : boundaries_) {
      if (boundary.bytes > result_.text.size()) break;
      result_.text_ids = boundary.ids;
      result_.text_ids_bytes = boundary.bytes;
    }
    return std::move(result_);
  }

  Session& session_;
  const GenerateRequest& request_;
  const std::atomic<bool>& cancel_;
  const GenerationObserver& observer_;
  Tokenizer tokenizer_;
  StreamingDecoder decoder_;
  StopMatcher stops_;
  Sampler sampler_;
  Clock::time_point start_;
  Clock::time_point decode_start_;
  std::size_t decoded_ = 0;  // bytes of text so far, stop text included
  // Where the text of the first ids ends, wherever it ends with a whole character.
  struct Boundary {
    std::size_t ids;
    std::size_t bytes;
  };
  std::vector<Boundary> boundaries_;
  std::uint64_t active_ = 0;
  std::uint64_t neurons_ = 0;
  GenerationResult result_;
};

}  // namespace

std::vector<TokenId> prompt_ids(const Tokenizer& tokenizer, const GenerateRequest& request) {
  if (!request.prompt_ids.empty()) return request.prompt_ids;
  std::vector<TokenId> ids;
  if (tokenizer.adds_bos() && tokenizer.bos()) ids.push_back(*tokenizer.bos());
  bool at_start = true;
  for (const PromptPart& part : request.prompt) {
    if (part.text.empty() && part.ids.empty()) continue;
    const std::vector<TokenId> piece =
        part.ids.empty() ? tokenizer.encode_piece(part.text, part.parse_special, at_start)
                         : part.ids;
    ids.insert(ids.end(), piece.begin(), piece.end());
    at_start = false;
  }
  return ids;
}

Expected<GenerationResult> generate(Session& session, const GenerateRequest& request,
                                    const std::atomic<bool>& cancel,
                                    const GenerationObserver& observer) {
  return Generation(session, request, cancel, observer).run();
}

}  // namespace thermocline::runtime
