// Finds stop texts in a stream of text pieces. What might still become a stop text is held back, so
// no part of one ever reaches the screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thermocline::runtime {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);

  // Adds `piece`; returns the text that is certainly not part of a stop text. After a stop text was
  // found, the text before it is returned once and then nothing.
  std::string push(std::string_view piece);
  // What was held back, when the stream ends.
  std::string finish();
  bool stopped() const { return stopped_; }

 private:
  std::size_t held_back() const;

  std::vector<std::string> stops_;
  std::string pending_;
  bool stopped_ = false;
};

}  // namespace thermocline::runtime
