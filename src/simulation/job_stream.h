#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"

namespace berth::engine {
class Session;
}

namespace berth::simulation {

inline constexpr const char* kModelLabel = "berth.dev/gpu-model";  // of nodes

// Pods of one shape.
struct StreamPods {
  std::int32_t count = 1;
  NamedAmounts request;  // "pods" aside
  Constraints constraints;
};

// A job that is a target when it comes.
struct StreamTarget {
  Duration since{};  // for so long
  std::string why;
  bool is_named = false;                                // by a user
  std::vector<std::pair<std::string, Duration>> nodes;  // kept for it, for so long
};

// A job that comes, runs for a time that nobody knows before, and is gone.
struct StreamJob {
  std::string name;
  Duration submit{};                        // from the beginning
  Duration run{};                           // of each of its pods, once all have started
  std::optional<Duration> limit;            // it says that it runs no longer
  std::optional<Duration> cancelled_after;  // it leaves then, if it has not started
  std::int32_t pods = 1;                    // start together
  NamedAmounts request;                     // of each pod, "pods" aside
  std::vector<std::string> models;          // kModelLabel, any of them; none: all
  std::string queue;                        // empty: the default one
  std::int32_t priority = 0;
  std::vector<StreamPods> shapes;   // in place of `request` and `models`; their sum is `pods`
  Duration waited{};                // before it comes: it is as much older
  std::vector<std::string> places;  // by pod: it runs there from the first
  bool never_ends = false;
  std::optional<StreamTarget> target = {};      // none: it is none yet
  std::optional<Duration> promised_start = {};  // it was promised this one (BEHIND-6)
  Duration ran{};                               // before it comes: lost when it starts anew
  std::string name_space = "trace";
};

struct StreamOutcome {
  std::optional<Duration> start, end;                  // of the last start, from the beginning
  std::vector<std::pair<Duration, Duration>> earlier;  // starts that did not last, and their ends
  Duration lost{};                                     // of these: what has to be done again
  bool was_cancelled = false;
  std::vector<std::int32_t> nodes;  // of its pods at the last start, by index in `nodes`, sorted
};

// Faults of pods and nodes, and time beside the work of jobs.
struct StreamTroubles {
  Duration startup{};                   // of each start, before the work begins
  std::int32_t failures_per_mille = 0;  // of starts: a pod fails at some time
  Duration between_node_failures{};     // of one node, on average; 0: nodes stay
  Duration repair = std::chrono::hours(1);
  bool victims_go_on = false;  // work before an eviction or a failure counts
  std::uint64_t seed = 1;
};

// Sees a stream while it runs. Jobs are indices into the request's.
class StreamObserver {
 public:
  // Opens a session in the state that the next one would find.
  using Inspect = std::function<void(const std::function<void(engine::Session&)>&)>;

  virtual ~StreamObserver() = default;
  // After the sessions of an instant: these came at it, and wait.
  virtual void waits(const std::vector<std::size_t>& jobs, const Inspect& inspect) = 0;
  virtual void starts(std::size_t job, TimePoint now) = 0;
  virtual void ends(std::size_t job, Duration run) = 0;
};

// A node that goes with all that runs on it, or comes: it was not there before.
struct NodeChange {
  Duration at{};         // from the beginning
  std::size_t node = 0;  // by index in `nodes`
  bool comes = false;
};

struct StreamRequest {
  std::vector<StreamJob> jobs;  // by submit; names are distinct
  std::vector<NodeObject> nodes;
  std::vector<ClusterEvent> others;  // queues, priority classes
  conf::Config config;
  StreamTroubles troubles;
  std::vector<NodeChange> node_changes;
  Duration give_up_after = std::chrono::hours(24 * 366 * 100);  // of simulated time
  // Now and then, with the number of jobs that are done; false: stop here. May be empty.
  std::function<bool(std::size_t done)> on_progress;
  StreamObserver* observer = nullptr;  // null: nobody
};

struct StreamResult {
  std::vector<StreamOutcome> jobs;  // in the order of the request
  Duration until{};                 // the last event
  std::size_t sessions = 0;
  double idle_kept = 0;  // node-seconds, as KeptRoom has them
  bool was_stopped = false;
};

// Jumps from event to event. At one instant, ends come first, then cancellations, then what is
// submitted, then sessions until one decides nothing. A pod that is evicted, fails or loses its
// node takes its job with it: the job waits again under its name, and starts anew. A limit counts
// without the time of start-up. Nodes come and go right after ends. Jobs that nothing starts in a
// week on an idle machine end it. Reads no clock and no file: equal requests give equal results. An
// Error if the engine refuses the configuration.
Result<StreamResult> run_stream(StreamRequest request);

}  // namespace berth::simulation
