// An event sink that keeps what it gets and lets a test wait for it.
#pragma once

#include <thermocline/engine.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace thermocline {

class RecordedEvents {
 public:
  EventSink sink() {
    return [this](const Event& event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(event);
      wake_.notify_all();
    };
  }
  // The first event of type T at or after position `from` that satisfies `wanted`, waiting for it;
  // moves `from` behind it.
  template <typename T>
  T await(const std::function<bool(const T&)>& wanted = [](const T&) { return true; }) {
    std::unique_lock lock(mutex_);
    while (true) {
      for (; next_ < events_.size(); ++next_) {
        if (const T* event = std::get_if<T>(&events_[next_]); event != nullptr && wanted(*event)) {
          ++next_;
          return *event;
        }
      }
      wake_.wait(lock);
    }
  }
  std::vector<Event> all() {
    const std::lock_guard lock(mutex_);
    return events_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Event> events_;
  std::size_t next_ = 0;
};

}  // namespace thermocline
