#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "embedded/recorded_runs.h"
#include "embedded/scheduling_queue.h"

namespace berth::embedded {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Place = SchedulingQueue::Place;

char letter(Place place) {
  switch (place) {
    case Place::active:
      return 'a';
    case Place::backoff:
    case Place::error_backoff:
      return 'b';
    case Place::unschedulable:
      return 'u';
    case Place::gated:
      return 'g';
    case Place::in_flight:
      return 'f';
  }
  return '?';
}

Rejectors rejectors(const std::string& letters) {
  unsigned by = 0;
  for (const char each : letters) {
    if (each == 'e') by |= kByExtender;
    if (each == 'r') by |= kByResources;
    if (each == 'n') by |= kByNode;
  }
  return static_cast<Rejectors>(by);
}

// Does a recorded run (tests/e2e/recorded/walk.go has the operations) on the stand-in's queue.
class Replay {
 public:
  explicit Replay(bool pops_from_backoff) : queue_(seconds(1), seconds(10), pops_from_backoff) {}

  // "MILLISECONDS OPERATION;PLACE POD,...". An empty answer: the same pods have come to the same
  // places.
  std::string complaint_about(const std::string& step) {
    const std::size_t end = step.find(';');
    std::istringstream text(step.substr(0, end));
    std::int64_t pause = 0;
    std::string operation;
    text >> pause >> operation;
    now_ += milliseconds(pause);
    queue_.flush(now_);
    if (!do_event(operation, text)) do_pod(operation, text);
    const std::string changes = take_changes();
    const std::string expected = step.substr(end + 1);
    return changes == expected ? "" : "at \"" + step + "\" the stand-in has \"" + changes + '"';
  }

 private:
  bool do_event(const std::string& operation, std::istringstream& text) {
    static const std::map<std::string, WakeUp> kEvents = {
        {"node_added", WakeUp::node_came},  {"node_changed", WakeUp::node_change},
        {"node_gone", WakeUp::node_gone},   {"pod_gone", WakeUp::pod_gone},
        {"pod_placed", WakeUp::pod_placed}, {"pod_changed", WakeUp::pod_placed},
    };
    if (operation == "pop") {
      queue_.pop(now_);
    } else if (operation == "nomination_ended") {
      std::int32_t priority = 0;
      text >> priority;
      queue_.wake_up_to(WakeUp::pod_gone, priority, now_);
    } else if (const auto event = kEvents.find(operation); event != kEvents.end()) {
      queue_.wake_all(event->second, now_);
    } else {
      return false;
    }
    return true;
  }

  void do_pod(const std::string& operation, std::istringstream& text) {
    std::string pod;
    std::string by;
    text >> pod >> by;
    if (operation == "add" || operation == "gated") {
      priorities_[pod] = std::stoi(by);
      queue_.put(pod, std::stoi(by), operation == "gated", now_);
    } else if (operation == "reject") {
      queue_.reject(pod, rejectors(by), now_);
    } else if (operation == "fail") {
      queue_.fail(pod, now_);
    } else if (operation == "gone") {
      queue_.erase(pod);
    } else if (operation == "unbound") {
      queue_.fail(pod, now_);
      queue_.wake_all(WakeUp::pod_gone, now_);
    } else if (operation == "bound" || operation == "withdrawn") {
      queue_.erase(pod);
      queue_.wake_all(operation == "bound" ? WakeUp::pod_placed : WakeUp::pod_gone, now_);
    } else if (operation != "assume") {
      update(operation, pod);
    }
  }

  void update(const std::string& operation, const std::string& pod) {
    static const std::map<std::string, WakeUp> kUpdates = {
        {"status", WakeUp::own_status},        {"label", WakeUp::own_status},
        {"ungate", WakeUp::own_status},        {"shrink", WakeUp::own_request},
        {"tolerate", WakeUp::own_tolerations},
    };
    const bool is_gated = queue_.place(pod) == Place::gated && operation != "ungate";
    queue_.put(pod, priorities_.at(pod), is_gated, now_);
    queue_.wake(pod, kUpdates.at(operation), now_);
  }

  // As the recording has them: first the pods that there are, then those that are gone.
  std::string take_changes() {
    std::string moved;
    std::string gone;
    for (auto& [pod, priority] : priorities_) {
      const auto place = queue_.place(pod);
      const char now = place ? letter(*place) : 'x';
      char& before = places_.try_emplace(pod, 'x').first->second;
      if (now == before) continue;
      before = now;
      std::string& list = now == 'x' ? gone : moved;
      list += (list.empty() ? "" : ",") + std::string(1, now) + pod;
    }
    return moved + (moved.empty() || gone.empty() ? "" : ",") + gone;
  }

  SchedulingQueue queue_;
  TimePoint now_;
  std::map<std::string, std::int32_t> priorities_;  // of all pods so far
  std::map<std::string, char> places_;
};

TEST(RecordedQueueTest, TheStandInsQueueDoesWhatKubeSchedulersDid) {
  replay_runs("recorded_queue.jsonl", 320, [](const nlohmann::json& run) {
    return std::make_unique<Replay>(run.at("popsFromBackoff").get<bool>());
  });
}

}  // namespace
}  // namespace berth::embedded
