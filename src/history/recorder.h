#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "history/files.h"
#include "history/recording.h"

namespace berth::history {

// HISTORY-4 to HISTORY-6. Follows the jobs, nodes and queues of a cluster, and makes the lines of
// its recording. Session thread only.
class Recorder {
 public:
  // Changes that last for a shorter time are not recorded.
  static constexpr Duration kPause = std::chrono::seconds(10);

  // `put` must not wait.
  explicit Recorder(std::function<void(Entry)> put) : put_(std::move(put)) {}

  void observe(const ClusterEvent& event);
  // After each session: jobs that may have changed since the last call.
  void look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);
  // Nothing follows.
  void finish(const Cluster& cluster, TimePoint now);

 private:
  enum class State : std::uint8_t { unknown, waits, runs, over };
  struct KnownJob {
    JobFacts facts;
    std::string pods;       // pods_text(), when most were there
    std::int32_t most = 0;  // live pods then
    bool is_done = false;   // all its pods have ended
    State written = State::unknown;
  };
  struct KnownObject {
    std::string text;  // empty: it is gone
    bool is_dirty = false;
  };
  using Objects = std::map<std::string, KnownObject>;  // by name

  void note(Objects& objects, const std::string& name, std::string text);
  void look_at(JobId id, const Cluster& cluster, TimePoint now);
  void follow(KnownJob& known, const Job& job, const Cluster& cluster, TimePoint now);
  void note_run(KnownJob& known, const Job& job, const Cluster& cluster, TimePoint now);
  void lose(KnownJob& known, TimePoint now);
  static State state_of(const KnownJob& known);
  void write(KnownJob& known, TimePoint now);
  void write_all(const Cluster& cluster, TimePoint now);
  void write_objects(const Cluster& cluster, TimePoint now);

  const std::function<void(Entry)> put_;
  Objects nodes_, queues_;
  std::unordered_map<JobId, KnownJob> jobs_;  // look-up only
  std::set<JobId> dirty_;                     // in another state than the one written
  std::optional<TimePoint> written_at_;
};

}  // namespace berth::history
