#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/plan.h"
#include "daemon/queue_reporter.h"
#include "daemon/reservation_reporter.h"
#include "daemon/status_reporter.h"
#include "daemon/target_teller.h"
#include "daemon/unclaimed_groups.h"
#include "mirror/mirror.h"
#include "ports/event_sink.h"
#include "ports/evictor.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Turns plans into evictions, statuses, and lines for people; the rest is Steering's. Session
// thread only; the ports return at once.
class Dispatcher {
 public:
  using Tell = std::function<void(const std::string& line)>;

  // `events` gets what became of evictions.
  Dispatcher(ports::StatusSink& status, ports::Evictor& evictor, ports::EventSink& events,
             Tell tell);

  // Everything that happens to the cluster.
  void observe(const ClusterEvent& event) {
    reporter_.observe(event, leads_);
    queue_reporter_.observe(event, leads_);
    reservation_reporter_.observe(event);
  }
  // Who does not lead learns from the API what the leader writes, and writes nothing.
  void set_leading(bool leads);
  // Of what is written about reservations.
  void set_reservations(const ReservationReporter::Options& options) {
    reservation_reporter_.set_options(options);
  }
  void stand_by(mirror::Mirror& mirror);
  void evict(TaskId task, const std::string& reason, const Cluster& cluster);
  // After the plan was assumed and the mirror settled: ids are still those of the plan.
  void carry_out(const Plan& plan, mirror::Mirror& mirror, TimePoint now);
  // The queues as of the last plan; null: there was none yet.
  const std::shared_ptr<const views::QueueTable>& queues() const { return queue_reporter_.table(); }

 private:
  // The last word on a job that waits. Ids are used again for other jobs.
  struct Said {
    Refusal refusal;
    std::string job;
    std::string job_uid;
    std::string task;
    std::string message;
    std::uint64_t round = 0;
    TimePoint told;
  };

  void report_waiting(const Plan& plan, const mirror::Mirror& mirror, TimePoint now);
  void report_placed(const Plan& plan, const mirror::Mirror& mirror);
  void report_phases(const std::vector<JobId>& changed, const mirror::Mirror& mirror);
  void report_notes(const std::vector<std::string>& notes);
  void report_targets(const Plan& plan, const Cluster& cluster);
  StatusReporter::Standing standing(JobId id, const Cluster& cluster) const;

  StatusReporter reporter_;
  QueueReporter queue_reporter_;
  ReservationReporter reservation_reporter_;
  TargetTeller target_teller_;
  UnclaimedGroups unclaimed_groups_;
  ports::Evictor& evictor_;
  ports::EventSink& events_;
  Tell tell_;
  bool leads_ = true;
  std::uint64_t round_ = 0;
  std::map<JobId, Said> said_;      // of jobs that wait
  std::vector<std::string> notes_;  // on the configuration, of the last plan
  std::vector<JobId> changed_;      // of whom something may be another
};

}  // namespace berth::daemon
