// `thermocline tokenize` and `detokenize`: text to token ids and back, through standard streams.
#include "app/cli/commands.h"
#include "app/cli/input.h"
#include "app/cli/model_path.h"
#include "app/cli/numbers.h"
#include "app/cli/report.h"
#include "app/cli/terminal.h"

#include <thermocline/tokenizer.h>

namespace thermocline::cli {
namespace {

Error bad_input(std::string message, std::string remedy) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.file = "standard input";
  error.message = std::move(message);
  error.remedy = std::move(remedy);
  return error;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Expected<std::string> bytes_from_hex(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const int digit = hex_digit(c);
    if (digit < 0) {
      return bad_input(
          "character " + std::to_string(i + 1) + " of the input is no hexadecimal digit",
          "give two of 0-9, a-f for each byte");
    }
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  if (high >= 0) {
    return bad_input("the input ends in the middle of a byte", "give two digits for each byte");
  }
  return bytes;
}

Expected<Tokenizer> open_tokenizer(const Arguments& arguments) {
  THERMOCLINE_ASSIGN(const auto path, resolve_model(arguments.operands().front()));
  return Tokenizer::open(path);
}

Expected<std::string> tokenize(const Arguments& arguments) {
  THERMOCLINE_ASSIGN(const Tokenizer tokenizer, open_tokenizer(arguments));
  THERMOCLINE_ASSIGN(std::string text, read_input());
  if (arguments.has("--hex")) {
    THERMOCLINE_ASSIGN(text, bytes_from_hex(text));
  }
  const std::vector<TokenId> ids =
      arguments.has("--special") ? tokenizer.encode_special(text) : tokenizer.encode(text);
  std::string line;
  for (const TokenId id : ids) {
    if (!line.empty()) line += ' ';
    line += std::to_string(id);
  }
  return line + "\n";
}

Expected<std::string> detokenize(const Arguments& arguments) {
  THERMOCLINE_ASSIGN(const Tokenizer tokenizer, open_tokenizer(arguments));
  THERMOCLINE_ASSIGN(const std::string text, read_input());
  THERMOCLINE_ASSIGN(const std::vector<TokenId> ids, parse_ids(text, "standard input"));
  for (const TokenId id : ids) {
    if (static_cast<std::size_t>(id) >= tokenizer.size()) {
      return bad_input("token id " + std::to_string(id) + " is outside the vocabulary of " +
                           arguments.operands().front(),
                       "give ids below " + std::to_string(tokenizer.size()));
    }
  }
  return tokenizer.decode_cleaned(ids);
}

int run_tokenize(const Arguments& arguments) {
  const Expected<std::string> line = tokenize(arguments);
  return line ? finish_with(*line) : report_failure(line.error());
}

int run_detokenize(const Arguments& arguments) {
  const Expected<std::string> bytes = detokenize(arguments);
  if (!bytes) return report_failure(bytes.error());
  return write_untrusted(*bytes) ? exit_done : report_failure(output_error());
}

}  // namespace

Command tokenize_command() {
  return {"tokenize",
          "MODEL_OR_VOCABULARY",
          1,
          1,
          "Turns standard input into token ids, on one line.",
          {{"--special", "", "add BOS as the model says and parse special tokens"},
           {"--hex", "", "the input is hexadecimal bytes"}},
          run_tokenize};
}

Command detokenize_command() {
  return {"detokenize",
          "MODEL_OR_VOCABULARY",
          1,
          1,
          "Turns token ids on standard input into the bytes that they stand for.",
          {},
          run_detokenize};
}

}  // namespace thermocline::cli
