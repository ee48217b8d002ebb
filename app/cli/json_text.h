// JSON for standard output.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace thermocline::cli {

// Keys stay in the order in which they were set.
using Json = nlohmann::ordered_json;

// One line with a newline. Bytes that aren't UTF-8 come out as U+FFFD instead of failing; with
// `indent` >= 0, several lines.
std::string json_text(const Json& value, int indent = -1);

}  // namespace thermocline::cli
