#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "reconcile/event_log.h"

namespace berth::reconcile {

// Events about evictions, on victims and on the jobs that get their room, and lines of the log
// (docs/design/reconcile.md). Session thread.
class EvictionEvents {
 public:
  explicit EvictionEvents(EventLog& events) : events_(events) {}

  // The eviction of a pod begins now. `text` continues "Evicted ".
  void begun(const Task& victim, const std::string& text);
  // The same of an eviction of a plan.
  void begun(const PlannedEviction& eviction, const Cluster& cluster);
  // An eviction has ended.
  void take(const Ended& ended);
  // EVENT-5. Logs evictions that were considered in vain, where the reason is another.
  void log_considered(const Plan& plan, const Cluster& cluster, TimePoint now);
  // Publishes all that has begun or ended since the last call.
  void publish(TimePoint now);
  void stop_leading();

 private:
  // The job that gets the room.
  struct Claimant {
    ports::ObjectRef object;
    std::string name;
  };
  struct Answer {
    ports::ObjectRef victim;
    bool is_refused = false;
    std::string text;  // that of the eviction, or the API server's
    std::optional<Claimant> claimant;
  };
  struct Begun {
    Claimant claimant;
    std::map<std::string, std::vector<std::string>> victims;  // names by action
  };
  struct Considered {
    Reason reason = Reason::none;
    TimePoint at;
  };
  struct Published {
    std::string message;
    TimePoint at;
  };

  void publish_begun(TimePoint now);
  void publish_answers(TimePoint now);
  void publish_refusals(const std::vector<const Answer*>& refusals, TimePoint now);
  // False: it was published lately.
  bool publish_once(const ports::ObjectRef& about, ports::Event event, TimePoint now);

  EventLog& events_;
  std::map<std::string, Claimant> claimants_;  // by uid of victims whose eviction is under way
  std::map<std::string, Begun> begun_;         // by uid of the claimant
  std::vector<Answer> answers_;
  // By uid of the object and reason of the event.
  std::map<std::pair<std::string, std::string>, Published> published_;
  // By uid of the job and action.
  std::map<std::pair<std::string, std::string>, Considered> considered_;
};

}  // namespace berth::reconcile
