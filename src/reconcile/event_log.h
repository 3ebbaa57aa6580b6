#pragma once

#include <functional>
#include <string>

#include "berth/base/printable.h"
#include "reconcile/writes.h"

namespace berth::reconcile {

using Log = std::function<void(const std::string& line)>;

// The one way by which people hear of what happens: Kubernetes Events and lines in the log. Both
// are printable, whatever text of others they have. Session thread.
class EventLog {
 public:
  EventLog(Writes& writes, Log log) : writes_(writes), log_(std::move(log)) {}

  void publish(const ports::ObjectRef& about, ports::Event event, TimePoint now) {
    event.message = printable(event.message);
    writes_.begin(about, std::move(event), now);
  }
  void log(const std::string& line) { log_(printable(line)); }

 private:
  Writes& writes_;
  Log log_;
};

}  // namespace berth::reconcile
