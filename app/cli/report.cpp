#include "app/cli/report.h"

#include "app/cli/terminal.h"

namespace thermocline::cli {

int report_failure(const Error& error) {
  if (error.code == ErrorCode::cancelled) return exit_interrupted;
  write_message("error: " + error.line());
  return exit_failed;
}

int report_usage(Error error, std::string_view command) {
  if (error.code == ErrorCode::unsupported) return report_failure(error);
  if (error.remedy.empty()) {
    error.remedy =
        "see 'thermocline " + (command.empty() ? "" : std::string(command) + " ") + "--help'";
  }
  write_message("error: " + error.line());
  return exit_wrong_usage;
}

int finish_with(std::string_view output) {
  return write_output(output) ? exit_done : report_failure(output_error());
}

}  // namespace thermocline::cli
