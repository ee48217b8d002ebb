// The recorded vocabularies and what llama.cpp made of texts with them.
#pragma once

#include <thermocline/tokenizer.h>

#include <string>
#include <string_view>
#include <vector>

namespace thermocline::tests {

struct RecordedCase {
  std::string text;  // any bytes
  bool is_utf8 = true;
  bool peer_aborts = false;  // llama.cpp died on it: there are no ids
  std::vector<TokenId> ids;
  std::vector<TokenId> ids_with_special;
  std::string detokenised;
};

// Names of the vocabularies: "llama-spm", "falcon", "gpt-2".
Tokenizer recorded_tokenizer(std::string_view name);
std::vector<RecordedCase> recorded_cases(std::string_view name);

}  // namespace thermocline::tests
