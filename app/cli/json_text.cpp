#include "app/cli/json_text.h"

namespace thermocline::cli {

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thermocline::cli
