#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "reconcile/event_log.h"
#include "reconcile/observed_state.h"

namespace berth::reconcile {

// Events about targets: elected, nodes locked, released; and condition Targeted. A restart
// publishes nothing again that the API shows already. Session thread.
class TargetEvents {
 public:
  TargetEvents(const ObservedState& observed, EventLog& events)
      : observed_(observed), events_(events) {}

  // After the plan was assumed.
  void publish(const Plan& plan, const Cluster& cluster, TimePoint now);
  // None: nothing was decided about the job since this berthd leads.
  std::optional<WrittenCondition> condition_of(const Job& job) const;
  void stop_leading();

 private:
  // The part of a target that was published.
  struct Published {
    std::optional<TimePoint> elected_at;
    std::set<std::string> nodes;
  };
  struct Condition {
    JobId job;
    WrittenCondition condition;
  };

  void publish_locks(const Reservation& reservation, const Cluster& cluster, Published& published,
                     TimePoint now);
  void publish_end(const EndedReservation& ended, const Cluster& cluster, TimePoint now);
  void publish(const Job& job, const char* reason, const std::string& message, bool is_warning,
               TimePoint now);

  const ObservedState& observed_;
  EventLog& events_;
  std::map<std::string, Published> published_;
  std::map<std::string, Condition> conditions_;  // by uid, also of ended targets that still exist
};

}  // namespace berth::reconcile
