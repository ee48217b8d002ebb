#include "runtime/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace thermocline::runtime {

StopMatcher::StopMatcher(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopMatcher::push(std::string_view piece) {
  if (stopped_) return {};
  pending_ += piece;
  std::size_t first = std::string::npos;
  for (const std::string& stop : stops_)
    first = std::min(first, pending_.find(stop));
  if (first != std::string::npos) {
    stopped_ = true;
    pending_.resize(first);
    return std::exchange(pending_, {});
  }
  const std::size_t safe = pending_.size() - held_back();
  std::string text = pending_.substr(0, safe);
  pending_.erase(0, safe);
  return text;
}

std::string StopMatcher::finish() {
  return stopped_ ? std::string() : std::exchange(pending_, {});
}

// Length of the longest end of `pending_` with which some stop text begins.
std::size_t StopMatcher::held_back() const {
  std::size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (std::size_t n = std::min(stop.size() - 1, pending_.size()); n > longest; --n) {
      if (std::string_view(pending_).ends_with(std::string_view(stop).substr(0, n))) longest = n;
    }
  }
  return longest;
}

}  // namespace thermocline::runtime
