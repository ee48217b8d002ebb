// Draws the next token from logits. Deterministic for a seed on every machine: own generator
// mapping, sums in a fixed order.
#pragma once

#include <thermocline/sampling.h>
#include <thermocline/tokenizer.h>

#include <random>
#include <span>
#include <vector>

namespace thermocline::runtime {

class Sampler {
 public:
  // `options` must have passed check().
  explicit Sampler(const SamplingOptions& options) : options_(options), generator_(options.seed) {}

  // The next token after `recent` (the latest last). Logits must be finite and not empty.
  TokenId sample(std::span<const float> logits, std::span<const TokenId> recent);

 private:
  struct Candidate {
    TokenId id;
    float logit;
    double probability;
  };
  void penalize(std::span<const TokenId> recent);
  void keep_most_probable();
  TokenId draw();

  SamplingOptions options_;
  std::mt19937_64 generator_;
  std::vector<Candidate> candidates_;
};

}  // namespace thermocline::runtime
